import fc from "fast-check";
import { marked } from "marked";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gapReport } from "../../src/core/report/gap.ts";
import { formatProblem } from "../../src/core/nouns/problem.ts";
import { readReportInput } from "../../src/io/report-input.ts";
import { tempDir } from "../support/project.ts";
import { makeRun, marks, type RunSpec, writeMadeRun } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";
import { SAMPLE } from "./sample-run.ts";

const file = "docs/prompt-analysis-template.md";
const own = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
const inputOf = async (spec: RunSpec) => readReportInput(await writeMadeRun(tempDir(), makeRun(spec)));
const report = async (spec: RunSpec, text = own) => gapReport(await inputOf(spec), { file, text });

test("the whole report of a small run", async () => {
  const { text, problems } = await report(SAMPLE);
  expect(problems).toEqual([]);
  await expect(text).toMatchFileSnapshot("golden/report.md");
});

test("a template of one's own: sections, order and text are kept, comments are not, line ends are made equal", async () => {
  const text =
    "\ufeff# Meine Analyse von {{ run }}\r\n\r\n<!-- {{changes}} is not shown\r\n -->\r\nWarum?\r\n{{why}}\r\n\r\nEnde: {{verdict}}.\r\n";
  const { text: out, problems } = await report(SAMPLE, text);
  expect(problems).toEqual([]);
  expect(out).toBe(
    "# Meine Analyse von short-answers\n\nWarum?\n- `9ab29ab` Answer in one sentence\n\n  Answers were too long. Refs \\#12\n\nEnde: failed.\n",
  );
});

test("an unknown placeholder stays, and a warning names file, line, the nearest and the known ones", async () => {
  const { text, problems } = await report(SAMPLE, "# A\n\n{{chnages}} {{ }}\n");
  expect(text).toBe("# A\n\n{{chnages}} {{ }}\n");
  expect(problems.map(formatProblem)[0]).toBe(
    `${file}:3: warning: {{chnages}} is no placeholder, so it was left as it is [unknown-placeholder]\n  hint: did you mean {{changes}}? known ones: facts, decision, before, changes, why, expected, results, differences, regression, people, audit, notes, run, date, baseline, candidate, model, verdict`,
  );
});

test("a block stands on lines of its own wherever the template puts it, and never inside a code block", async () => {
  const diff = (await report(SAMPLE, "{{changes}}")).text.trim();
  for (const around of ["text {{changes}} more", "    {{changes}}", "> {{changes}}", "- {{changes}}"]) {
    const { text } = await report(SAMPLE, around);
    expect(`\n\n${text}\n`).toContain(`\n\n${diff}\n\n`);
  }
  const inCode = await report(SAMPLE, "```\n{{changes}} {{run}}\n```\n{{verdict}}");
  expect(inCode.text).toBe("```\n{{changes}} short-answers\n```\nfailed\n");
  expect(inCode.problems.map((one) => [one.code, one.where.line])).toEqual([["placeholder-in-code", 2]]);
});

test("same bytes for the same run, whatever the order in which trials ended", async () => {
  const backwards = { ...SAMPLE, trials: SAMPLE.trials.toReversed() };
  expect((await report(backwards)).text).toBe((await report(SAMPLE)).text);
});

test("the first differing turn, not the first turn", async () => {
  const first = { calls: [{ name: "list_dir", args: { path: "." }, result: "a.txt" }] };
  const steps = (path: string) => [
    { user: "Read it." },
    first,
    { calls: [{ name: "read_file", args: { path } }] },
    { says: "ok" },
  ];
  const { text } = await report(
    {
      cases: ["c"],
      trials: [
        ...marks("c", "111", "", { steps: steps("a.txt") }),
        ...marks("c", "", "000", { steps: steps("b.txt") }),
      ],
    },
    "{{differences}}",
  );
  expect(text).toContain("Turn 1 is the same; turn 2 differs:");
  expect(text).toContain('| calls `read_file {"path":"a.txt"}` | calls `read_file {"path":"b.txt"}` |');
  expect(text).toContain("- `completion[0] answer contains`: the answer lacks it");
});

test("layers that differ in nothing are said not to differ", async () => {
  const layers = { "base.md": "Same.\n\n## Language\n" };
  const { text } = await report(
    { cases: ["c"], trials: marks("c", "1", "1"), baseline: { layers }, candidate: { layers } },
    "{{changes}}",
  );
  expect(text).toBe("No change: both versions hold the same prompts and skills.\n");
});

test("the audit finds what was lost: the Language section, a safety rule, a line said twice, a date", async () => {
  const { text } = await report(SAMPLE, "{{audit}}");
  expect(text).toContain("- [x] Language section: kept");
  expect(text).toContain("`base.md`: `Never delete files without asking the user first.`");
  expect(text).toContain("`Use tools sparingly and only when needed.` in `base.md`, `modes/agent.md`");
  expect(text).toContain("`modes/agent.md`: `Today is 2026-01-02.`");
  const lost = await report(
    { ...SAMPLE, candidate: { layers: { "base.md": "```\n## Language\n```\n" } } },
    "{{audit}}",
  );
  expect(lost.text).toContain("- [ ] Language section: missing in `base.md` of the candidate.");
});

test("no data is said, never NaN, undefined or an empty section", async () => {
  const specs: RunSpec[] = [
    { cases: [], trials: [] },
    { cases: ["a"], trials: [] },
    { cases: ["a"], trials: [], candidate: null },
    { cases: ["a"], trials: marks("a", "1", "0"), kind: "import", model: null },
    { cases: ["a"], trials: marks("a", "1", "1", { completion: null, tools: null }) },
  ];
  for (const spec of specs) {
    const { text } = await report(spec);
    expect(text).not.toMatch(/NaN|undefined|\bnull\b|Infinity|\[object/);
    expect(text).not.toMatch(/^## .*\n+(?=##? )/m);
  }
});

/** All that a hostile branch and model can say, in one run. */
function hostile(texts: readonly string[]): RunSpec {
  const at = (n: number): string => texts[n % texts.length] ?? "";
  const id = (n: number): string => `${n} ${at(n)}`.slice(0, 200);
  const steps = [
    { user: at(0) },
    { says: at(1), calls: [{ name: at(2), args: at(3), result: at(4), error: true }] },
    { says: at(5) },
  ];
  return {
    cases: [0, 1].map((n) => ({ id: id(n), title: at(6), intent: at(7), turns: [{ user: at(0) || "x" }] })),
    trials: [0, 1].flatMap((n) => [
      ...marks(id(n), n === 0 ? "11" : "00", n === 0 ? "00" : "11", { steps, failed: { [at(8)]: at(9) } }),
    ]),
    baseline: {
      variant: at(10),
      layers: { [`x${at(11)}`]: at(12) },
      skills: { [`s${at(13)}`]: { description: at(14), body: at(15) } },
    },
    candidate: {
      variant: at(16),
      layers: { [`x${at(11)}`]: `${at(17)}!` },
      skills: { [`s${at(13)}`]: { description: `${at(18)}!`, body: at(19) } },
    },
    commits: [{ commit: "9ab2".repeat(10), subject: at(20), body: at(21) }],
    notes: [at(22)],
    model: at(23),
  };
}

/** What the report may be made of; anything else came out of a text. */
const TAGS = new Set("h1 h2 h3 p ul ol li strong em code pre table thead tbody tr th td input br".split(" "));
const outline = (html: string) =>
  [...html.matchAll(/<h[1-6]>(.*?)<\/h[1-6]>/gs)].map(([, text]) => text).slice(1);

test("no text breaks out of the report", async () => {
  const [calm] = [marked.parse((await report(hostile(["calm"]))).text, { async: false })];
  const anyText = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary", maxLength: 100 }));
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 24, maxLength: 24 }), async (texts) => {
      const { text } = await report(hostile(texts));
      const html = marked.parse(text, { async: false });
      const tags = [...html.matchAll(/<\/?([a-zA-Z][a-zA-Z0-9]*)/g)].map(([, tag]) => tag ?? "");
      expect(tags.filter((tag) => !TAGS.has(tag))).toEqual([]);
      expect(html).not.toContain("<!--");
      expect(outline(html)).toEqual(outline(calm));
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
    { numRuns: 60 },
  );
});
