import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { beforeAll, expect, test } from "vitest";
import { ATTACKS } from "../report/attacks.ts";
import { scanMarkup } from "../support/markup-scan.ts";
import { type CliResult, cli, commit, repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { activeSigns, commandLines, LANGUAGE, serverOf } from "./support.ts";

/** A text that tries everything at once. */
const MODEL = ATTACKS.filter((text) => text.length < 500).join("\n");
/** The same as a file can hold it. */
const EVIL = MODEL.replace(/\p{Surrogate}/gu, "?");
const FORMULAS = [
  "=1+1",
  "@SUM(A1)",
  "-2+3",
  "+1",
  "\t=1",
  "\r=1",
  "=cmd|' /C calc'!A0",
  "'=1",
  '=HYPERLINK("http://x")',
  "＝1+1",
  "﹣1",
];
const ID = `<img src=x onerror=alert(1)> "'\`|\\ ::error::x ##[error]y \u202e=1`;

const yaml = (value: unknown): string =>
  JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
const evilCase = (id: string, n: number) => `id: ${yaml(id)}
title: ${yaml(EVIL)}
turns: [{ user: ${yaml(`${EVIL} number ${n}`)} }]
context: ${yaml(EVIL.replaceAll("{{", "{ {"))}
tools: [read_file, { name: say, description: ${yaml(EVIL)}, results: [{ return: ${yaml(EVIL)} }] }]
world: { files: { "a.txt": ${yaml(EVIL)} }, pages: { "https://a.example.test/": { text: ${yaml(EVIL)}, title: ${yaml(EVIL)} } } }
expect:
  tools: { calls: [{ name: say, args: { text: ${yaml(EVIL)} } }] }
  completion: [{ answer: { contains: ${yaml(EVIL)} } }, { answer: { contains: never } }]
intent: ${yaml(EVIL)}
`;

let cwd = "";
let run: CliResult;
const CI = { GITHUB_ACTIONS: "true", CI: "" };

beforeAll(async () => {
  const answers = [MODEL, ...FORMULAS, ...ATTACKS];
  let n = 0;
  const stub = await startStub(({ body }) => {
    const last = body.messages?.at(-1);
    n += 1;
    if (last?.role === "tool") return reply(answers[n % answers.length] ?? MODEL);
    return reply({
      content: MODEL,
      calls: [
        { name: "say", arguments: { text: MODEL, [MODEL.slice(0, 50)]: 1 } },
        { name: MODEL.slice(0, 60), arguments: MODEL },
      ],
    });
  });
  const files = {
    "prompts/base.md": `${LANGUAGE}\n${EVIL.replaceAll("{{", "{ {")}`,
    "cases/evil.yaml": [ID, "evil-2", "evil-3", "evil-4"].map(evilCase).join("---\n"),
    "skills/evil/SKILL.md": `---\nname: evil\ndescription: ${yaml(EVIL)}\ntags: [${yaml(EVIL)}]\n---\n${EVIL}\n`,
    "skills/broken/SKILL.md": `---\n${"\u001b[31m"}::error::x: [\n---\n`,
    "evalkit.yaml": "model: stub-model\nretries: 0\ntrials: 2\n",
  };
  cwd = repository(files, {
    better: { "prompts/base.md": `${LANGUAGE}\n${EVIL.replaceAll("{{", "{ {")}\nchanged` },
  });
  commit(cwd, { "x.txt": "x" }, `Evil subject <script> ::error::x \u001b[31m\n\n${EVIL}`);
  run = await cli(["run", "--baseline", "better", "--candidate", "main", "--run-id", "r"], {
    cwd,
    env: { ...serverOf(stub.url), ...CI },
  });
});

/** What stands in a text that could act on a terminal or a CI runner. */
function acting({ stdout, stderr }: CliResult) {
  return {
    signs: [...new Set([...activeSigns(stdout), ...activeSigns(stderr)])],
    commands: [...commandLines(stdout), ...commandLines(stderr)],
  };
}
const NOTHING = { signs: [], commands: [] };

test("a run of hostile texts: what is printed acts on no terminal and no CI runner", () => {
  expect({ code: run.code, stderr: run.code === 2 ? run.stderr : "" }).toEqual({ code: 3, stderr: "" });
  expect(run.stdout).toContain("run r");
  expect(acting(run)).toEqual(NOTHING);
});

test.each([
  ["list"],
  ["list", "runs"],
  ["validate"],
  ["assemble", "--variant", "main"],
  ["skills"],
  ["skills", "show", "evil"],
  ["show", "r"],
  ["show", "r", "evil-2"],
  ["show", "r", ID],
  ["show", "r", "evil-2", "--full"],
  ["report", "r"],
  ["gate", "r"],
  ["compare", "r#baseline", "r#candidate"],
  ["flakes"],
  ["plan"],
  ["mutate", "--list"],
  ["list", "--filter", `${EVIL.slice(0, 40)}*`],
  ["show", "r", EVIL.slice(0, 100)],
  ["gate", EVIL.slice(0, 100)],
  ["run", "--baseline", "better", "--candidate", "main", "--filter", "\u001b[31m::error::*"],
  ["::error::pwned\n::error::pwned"],
  ["run", "--\u001b[31m"],
])("%j prints nothing that acts", async (...args) => {
  const other = await cli(args, { cwd, env: CI });
  expect({ code: other.code === 4, stderr: other.code === 4 ? other.stderr : "" }).toEqual({
    code: false,
    stderr: "",
  });
  expect(acting(other)).toEqual(NOTHING);
});

test.each([
  ["list", "--json"],
  ["validate", "--json"],
  ["assemble", "--variant", "main", "--json"],
  ["skills", "--json"],
  ["show", "r", "--json"],
  ["show", "r", "evil-2", "--json"],
  ["gate", "r", "--json"],
  ["flakes", "--json"],
  ["plan", "--json"],
])("%j is JSON of the same values, and no command for a runner", async (...args) => {
  const plain = await cli(args, { cwd });
  const inCi = await cli(args, { cwd, env: CI });
  expect(JSON.parse(inCi.stdout)).toEqual(JSON.parse(plain.stdout));
  expect(commandLines(inCi.stdout)).toEqual([]);
});

const fileOf = (name: string) => readFileSync(join(cwd, "reports/r", name), "utf8");

test("report.html is whole markup of our own elements: no script, no handler, no address, nothing loaded", () => {
  const { elements, text } = scanMarkup(fileOf("report.html"));
  const names = new Set(elements.map(({ name }) => name));
  for (const name of [
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "form",
    "base",
    "audio",
    "video",
    "h6",
  ])
    expect(names).not.toContain(name);
  for (const { attributes } of elements) {
    for (const [name, value] of attributes) {
      expect(name).not.toMatch(/^on|^style$|^src|^srcdoc|^formaction|^xlink/);
      if (name === "href") expect(value).toMatch(/^#/);
    }
  }
  expect(text).toContain("alert(1)");
  expect(activeSigns(fileOf("report.html"))).toEqual([]);
});

test("report.md: no raw tag, no mention, no live address, no broken fence", () => {
  const text = fileOf("report.md");
  expect(activeSigns(text)).toEqual([]);
  let fence: string | null = null;
  const outside: string[] = [];
  for (const line of text.split("\n")) {
    const found: string | undefined = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && found !== undefined) fence = found;
    else if (fence !== null && line.trim() === fence) fence = null;
    else if (fence === null) outside.push(line.replace(/(`+)(?:(?!`).|[^`]`+[^`])*?\1(?!`)/g, ""));
  }
  expect(fence).toBeNull();
  const open = outside.join("\n");
  expect(open).not.toMatch(/<(script|img|\/td|h1|!--)/);
  expect(open).not.toMatch(/(?<!\\)\[click\]\(javascript/);
  expect(open).not.toMatch(/https?:\/\/(?!\S*evalkit)/);
  expect(open).not.toMatch(/@everyone/);
  expect(open).not.toMatch(/^# heading out of a fence/m);
});

test("junit: one well-formed document of our own elements", async () => {
  const other = await cli(["report", "r", "--format", "junit"], { cwd, env: CI });
  expect({ code: other.code, stderr: other.stderr }).toMatchObject({ code: 0 });
  expect(XMLValidator.validate(other.stdout)).toBe(true);
  const parsed = new XMLParser({ ignoreAttributes: false }).parse(other.stdout);
  expect(Object.keys(parsed).sort()).toEqual(["?xml", "testsuites"]);
  expect(activeSigns(other.stdout)).toEqual([]);
  expect(commandLines(other.stdout)).toEqual([]);
});

test("sheets: no cell is a formula, the pages hold no element of a model's, the key says what is whose", async () => {
  for (const kind of ["single", "pair"]) {
    const out = join(cwd, `sheets-${kind}`);
    const other = await cli(["sheet", "export", "r", "--kind", kind, "--raters", "ann", "--out", out], {
      cwd,
      env: CI,
    });
    expect({ code: other.code, stderr: other.stderr }).toMatchObject({ code: 0 });
    expect(acting(other)).toEqual(NOTHING);
    const csv = readFileSync(join(out, "sheet-ann.csv"), "utf8");
    const rows: string[][] = parse(csv, { bom: true, relax_column_count: false });
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[\s"]*[=+\-@\t\r＝＋－＠﹣﹢]/);
    const html = readFileSync(join(out, "sheet-ann.html"), "utf8");
    const withoutOwn = html.replace(/<script[\s\S]*?<\/script>/g, "").replace(/<style[\s\S]*?<\/style>/g, "");
    expect(withoutOwn).not.toMatch(/<(img|iframe|object|svg|h6|a href)\b/i);
    expect(withoutOwn).not.toMatch(/\son\w+=/i);
    expect(html).toContain("Content-Security-Policy");
    // What stands in the page as data can't end its element.
    expect(html.split("</script>").length).toBe(html.split("<script").length);
    expect(activeSigns(html)).toEqual([]);
    expect(readdirSync(out).sort()).toEqual([
      "key.json",
      "scoring-guide.txt",
      "sheet-ann.csv",
      "sheet-ann.html",
    ]);
  }
});

test("names and notes of raters are words: in files, in the summary, on the terminal", async () => {
  const out = join(cwd, "sheets-names");
  for (const rater of ["../../x", "a/b", "ann\u001b[31m", "<b>", "", "=1", "a".repeat(300)]) {
    const other = await cli(["sheet", "export", "r", "--raters", rater, "--out", out], { cwd, env: CI });
    expect({ rater, code: other.code }).toMatchObject({ code: 2 });
    expect(acting(other)).toEqual(NOTHING);
  }
});

test("imported results with hostile names: refused or harmless, __proto__ included", async () => {
  const { writeFileSync } = await import("node:fs");
  const line = (id: string, arm: string, more = "") =>
    `{"case":${yaml(id)},"arm":"${arm}","trial":1,"taskCompletion":1${more}}`;
  const ids = ["__proto__", "constructor", "<script>alert(1)</script>", "a::error::b", "=1+1", "../../x"];
  writeFileSync(
    join(cwd, "results.jsonl"),
    ids.flatMap((id) => [line(id, "baseline"), line(id, "candidate")]).join("\n"),
  );
  const other = await cli(["import", "results.jsonl", "--run-id", "imported"], { cwd, env: CI });
  expect({ code: other.code, stderr: other.stderr }).not.toMatchObject({ code: 4 });
  expect(acting(other)).toEqual(NOTHING);
  const summary = JSON.parse(readFileSync(join(cwd, "reports/imported/summary.json"), "utf8"));
  expect(summary.cases.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
  scanMarkup(readFileSync(join(cwd, "reports/imported/report.html"), "utf8"));
  for (const bad of [
    '{"__proto__":{"case":"a"}}',
    line("a", "__proto__"),
    line("\u001b[31m::error::x", "baseline", ',"x\u202e":1'),
    line("a", "baseline", ',"__proto__":{}'),
    "[".repeat(100_000),
    '{"case":"a","arm":"baseline","trial":1e308}',
  ]) {
    writeFileSync(join(cwd, "results.jsonl"), bad);
    const refused = await cli(["import", "results.jsonl"], { cwd, env: CI });
    expect({ bad: bad.slice(0, 80), code: refused.code }).toMatchObject({ code: 2 });
    expect(acting(refused)).toEqual(NOTHING);
    expect(refused.stderr.length).toBeLessThan(3000);
  }
});
