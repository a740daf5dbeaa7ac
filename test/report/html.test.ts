import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { inline } from "../../src/core/report/html/audit.ts";
import { h } from "../../src/core/report/html/markup.ts";
import { writeReports } from "../../src/io/report-files.ts";
import { CHROMIUM, LAUNCH, LOW_CONTRAST, NO_CHROMIUM } from "../support/chromium.ts";
import { scanMarkup } from "../support/markup-scan.ts";
import { tempDir } from "../support/project.ts";
import { makeRun, marks, type RunSpec, type TrialSpec, times, writeMadeRun } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";
import { SAMPLE } from "./sample-run.ts";

/** Writes the run's reports and returns the page's path. */
async function pageOf(spec: RunSpec): Promise<string> {
  const dir = await writeMadeRun(tempDir(), makeRun(spec));
  await writeReports(dir);
  return join(dir, "report.html");
}
const scanOf = async (spec: RunSpec) => scanMarkup(readFileSync(await pageOf(spec), "utf8"));

/** A run whose every text is an attack. */
function hostile(attack: string): RunSpec {
  const id = `case ${attack}`;
  const said: Partial<TrialSpec> = {
    steps: [
      { user: attack, injected: [attack] },
      { says: attack, calls: [{ name: attack, args: { [attack]: attack }, result: attack, error: true }] },
      { calls: [{ name: "web_fetch", args: attack, result: attack.repeat(3) }] },
      { says: attack },
    ],
    failed: { [attack]: attack },
  };
  const layer = (text: string) => ({
    "base.md": `${text}\n\n## Language\n\n${attack}\n`,
    [`modes/${attack}.md`]: text,
  });
  return {
    runId: "hostile",
    model: attack,
    cases: [{ id, title: attack, intent: attack }, "quiet"],
    baseline: { variant: attack, layers: layer("before"), skills: { [attack]: { body: "one" } } },
    candidate: {
      variant: `b${attack}`,
      layers: layer(attack),
      skills: { [attack]: { description: attack, body: attack } },
    },
    commits: [{ commit: "9ab2".repeat(10), subject: attack, body: attack }],
    notes: [attack],
    trials: [...marks(id, "11", "00", said), ...marks("quiet", "00", "11", said)],
  };
}

/** The only elements and attributes that the page is made of. */
const ELEMENTS = new Set(
  "html head meta title style body main header div h1 h2 h3 h4 p ul ol li dl dt dd span code pre b sup a nav section details summary table thead tbody tr th td svg rect line circle".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "lang charset http-equiv content name class href id aria-label aria-hidden open data-label title role dir value viewBox x y x1 x2 y1 y2 width height cx cy r".split(
    " ",
  ),
);

test("whatever stands in a run's texts, the page is made of its own elements and attributes alone", async () => {
  for (const attack of ATTACKS) {
    const { elements } = await scanOf(hostile(attack));
    expect(elements.filter(({ name }) => !ELEMENTS.has(name)).map(({ name }) => name)).toEqual([]);
    const names = elements.flatMap(({ attributes }) => [...attributes.keys()]);
    expect(names.filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
    const links = elements.flatMap(({ attributes }) => attributes.get("href") ?? []);
    expect(links.filter((link) => !/^#[a-z]+$/.test(link))).toEqual([]);
  }
});

test("a value inside an attribute stays inside it (BR-073)", () => {
  const { elements } = scanMarkup(h("span", { title: '" onmouseover="alert(1)' }, '" onmouseover="x').markup);
  expect([...(elements[0]?.attributes ?? [])]).toEqual([["title", '" onmouseover="alert(1)']]);
});

test("any text goes through elements, attributes and inline Markdown unharmed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { elements } = scanMarkup(h("p", { title: text }, text, inline(text)).markup);
      expect(elements.every(({ name }) => ["p", "span", "code", "b"].includes(name))).toBe(true);
    }),
  );
});

test("all that report.md tells is on the page, too", async () => {
  const { text } = await scanOf(SAMPLE);
  for (const told of [
    "short-answers",
    "failed",
    "1f3c1f3",
    "The page is static, so no browser is started.",
    "Answer in one sentence",
    "Answers were too long.",
    "pass → fail",
    "rm -rf build",
    "+Else: browser_navigate.",
    "a note of the run",
    "broken (timeout 1)",
    "web_fetch",
    "Language section: kept",
    "cases passed in every trial of the baseline",
  ])
    expect(text).toContain(told);
});

test("what is not known is called so: no NaN, undefined or null in the text", async () => {
  const broken = {
    status: "broken",
    failure: { kind: "server", message: "boom", status: 500, attempts: 5 },
  } as const;
  const runs: RunSpec[] = [
    SAMPLE,
    { cases: [], trials: [] },
    { cases: ["a"], trials: [] },
    {
      cases: ["a"],
      trials: times(2, { case: "a", arm: "candidate", completion: null, tools: null }),
      baseline: null,
    },
    { kind: "import", model: null, cases: ["a"], trials: marks("a", "1", "0"), baseline: { commit: null } },
    {
      cases: ["a"],
      trials: (["baseline", "candidate"] as const).map((arm) => ({
        case: "a",
        arm,
        outcome: broken,
        steps: [],
      })),
    },
  ];
  for (const spec of runs) {
    const { text } = await scanOf(spec);
    expect(text).not.toMatch(/NaN|undefined|null|Infinity|\[object/);
  }
});

test("long transcripts, results, diffs and lists are cut, and say by how much and where the rest stands", async () => {
  const long: Partial<TrialSpec> = {
    steps: [
      { user: "Go on." },
      ...Array.from({ length: 64 }, (_, n) => ({
        calls: [{ name: "read_file", args: { n }, result: "y".repeat(5000) }],
      })),
    ],
  };
  const ids = Array.from({ length: 64 }, (_, n) => `case-${String(n).padStart(2, "0")}`);
  const lines = (sign: string) => Array.from({ length: 300 }, (_, n) => `${sign} ${n}`).join("\n");
  const page = await pageOf({
    cases: ids,
    trials: ids.flatMap((id) => marks(id, "1", "0", long)),
    baseline: { layers: { "base.md": lines("a") } },
    candidate: { layers: { "base.md": lines("b") } },
  });
  const source = readFileSync(page, "utf8");
  const { text } = scanMarkup(source);
  expect(text).toMatch(/more steps stand in trials\.jsonl/);
  expect(text).toMatch(/more lines of this diff are left out/);
  expect(text).toMatch(/4 more cases of these kinds are not shown here; their trials stand in trials\.jsonl/);
  expect(source.length).toBeLessThan(20_000_000);
});

test.skipIf(CHROMIUM === undefined)(
  "in a browser: nothing runs, nothing is fetched, nothing is wider than a phone",
  async () => {
    const browser = await chromium.launch(LAUNCH);
    try {
      const title = "evalkit hostile: undecided";
      for (const attack of [ATTACKS.join("\n"), ATTACKS.join(" ")]) {
        const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
        const seen: string[] = [];
        page.on("dialog", (dialog) => seen.push(`dialog ${dialog.message()}`));
        page.on("request", (request) => seen.push(request.url().slice(0, 8)));
        page.on("pageerror", (error) => seen.push(`error ${error.message}`));
        page.on("console", (message) => seen.push(`console ${message.text()}`));
        await page.goto(pathToFileURL(await pageOf(hostile(attack))).href);
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        const found: unknown = await page.evaluate(`({
        title: document.title,
        scripts: document.querySelectorAll("script, iframe, img, link, object, form, base").length,
        headings: document.querySelectorAll("h1").length,
        wider: document.documentElement.scrollWidth - innerWidth,
      })`);
        expect({ found, seen }).toEqual({
          found: { title, scripts: 0, headings: 1, wider: 0 },
          seen: ["file:///"],
        });
        await page.close();
      }
    } finally {
      await browser.close();
    }
  },
);

test.skipIf(CHROMIUM === undefined)("in a browser: readable in light and dark", async () => {
  const browser = await chromium.launch(LAUNCH);
  try {
    const url = pathToFileURL(await pageOf(SAMPLE)).href;
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ colorScheme });
      await page.goto(url);
      expect({ colorScheme, low: await page.evaluate(LOW_CONTRAST) }).toEqual({ colorScheme, low: [] });
      await page.close();
    }
  } finally {
    await browser.close();
  }
});

if (CHROMIUM === undefined) console.warn(NO_CHROMIUM);
