import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorldFiles } from "../../src/run/world/files.ts";
import { workspacePath } from "../../src/run/world/paths.ts";
import { World } from "../../src/run/world/world.ts";
import { Page } from "../../src/core/nouns/case.ts";
import { caseOf, metric, replyOf, resultsOf, scripted, skillOf, trialWith, variantOf } from "./support.ts";

const never = new AbortController().signal;
const worldOf = (
  files: Record<string, string>,
  pages: Record<string, object> = {},
  mounted: Record<string, string> = {},
) =>
  new World(
    new WorldFiles(new Map(Object.entries(files)), new Map(Object.entries(mounted))),
    Object.fromEntries(Object.entries(pages).map(([url, page]) => [url, Page.parse(page)])),
  );
const shell = async (world: World, command: string) => {
  const { stdout, stderr, exitCode } = await world.run(command, never);
  return [stdout, stderr, exitCode];
};

/** Runs calls of tools in one trial; gives their results. */
async function use(
  calls: [string, object][],
  input: object = {},
  variant = variantOf(),
): Promise<readonly string[]> {
  const replies = [
    ...calls.map(([name, args]) => replyOf({ calls: [{ name, arguments: JSON.stringify(args) }] })),
    replyOf({ content: "ok" }),
  ];
  return resultsOf(await trialWith(scripted(replies), caseOf(input), { variant }));
}

describe("paths", () => {
  test.each([
    ["src/app.ts", "src/app.ts"],
    ["./src//app.ts/", "src/app.ts"],
    [".", ""],
    ["", ""],
    ["a\\b.txt", "a/b.txt"],
    ["..x/y..", "..x/y.."],
    ["__proto__", "__proto__"],
  ])("%j is %j", (input, path) => {
    expect(workspacePath(input)).toEqual({ ok: true, path });
  });
  test.each([
    "/etc/passwd",
    "~/x",
    "C:\\x",
    "c:/x",
    "../x",
    "a/../../x",
    "a/../b",
    "..\\x",
    "a\0b",
    "\\\\host\\x",
    "x".repeat(501),
  ])("%.40j is refused", (input) => {
    expect(workspacePath(input).ok).toBe(false);
  });
  test("never lead out, whatever is written", () => {
    const part = fc.constantFrom("..", ".", "a", "/", "\\", "~", "C:", " ", "\0", "%2e%2e", "．．");
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
        (input) => {
          const found = workspacePath(input);
          if (!found.ok) return;
          expect(found.path.startsWith("/")).toBe(false);
          expect(found.path.split("/")).not.toContain("..");
        },
      ),
    );
  });
});

describe("files", () => {
  const world = { files: { "src/app.ts": "one\ntwo\nthree\n", "README.md": "Hi", "src/lib/x.ts": "Two" } };

  test("are read whole or in part, written, listed and searched", async () => {
    expect(
      await use(
        [
          ["read_file", { path: "src/app.ts" }],
          ["read_file", { path: "./src/app.ts", offset: 2, limit: 1 }],
          ["read_file", { path: "src/app.ts", offset: 3 }],
          ["read_file", { path: "src/app.ts", offset: 9 }],
          ["write_file", { path: "new/a.txt", content: "x\ny" }],
          ["write_file", { path: "README.md", content: "" }],
          ["read_file", { path: "README.md" }],
          ["list_dir", {}],
          ["list_dir", { path: "src" }],
          ["search_files", { pattern: "two", ignore_case: true }],
          ["search_files", { pattern: "^t.+e$", regex: true, path: "src" }],
          ["search_files", { pattern: "nothing" }],
        ],
        { world },
      ),
    ).toEqual([
      "one\ntwo\nthree\n",
      "two\n[lines 2 to 2 of 3; read on with offset 3]",
      "three\n[lines 3 to 3 of 3]",
      "Error: the file has only 3 lines",
      "Created new/a.txt (2 lines).",
      "Replaced README.md (0 lines).",
      "(the file is empty)",
      "README.md\nnew/\nsrc/",
      "app.ts\nlib/",
      "src/app.ts:2:two\nsrc/lib/x.ts:1:Two",
      "src/app.ts:3:three",
      "No hits.",
    ]);
  });

  test("what can't be done is a result that says why", async () => {
    expect(
      await use(
        [
          ["read_file", { path: "../secret" }],
          ["read_file", { path: "/etc/passwd" }],
          ["read_file", { path: "none" }],
          ["read_file", { path: "src" }],
          ["read_file", { path: "__proto__" }],
          ["write_file", { path: "src", content: "" }],
          ["write_file", { path: "README.md/x", content: "" }],
          ["write_file", { path: ".evalkit/skills/a/x.md", content: "" }],
          ["list_dir", { path: "none" }],
          ["list_dir", { path: "README.md" }],
          ["search_files", { pattern: "(?=x)", regex: true }],
          ["read_file", { path: "README.md", encoding: "utf8" }],
        ],
        { world },
      ),
    ).toEqual([
      'Error: the path "../secret" leads out of the workspace with `..`; paths are like src/app.ts',
      'Error: the path "/etc/passwd" is not relative to the workspace; paths are like src/app.ts',
      "Error: no such file: none",
      "Error: src is a folder; use list_dir",
      "Error: no such file: __proto__",
      "Error: src is a folder",
      "Error: README.md is a file, not a folder",
      "Error: .evalkit/skills is read-only",
      "Error: no such folder: none",
      "Error: README.md is a file; use read_file",
      "Error: not a regular expression in RE2 syntax: (?=x)",
      `Error: the arguments of read_file don't fit its parameters: Property "encoding" does not match additional properties schema; encoding: False boolean schema. read_file takes: path, offset, limit.`,
    ]);
  });

  test("__proto__ is a file name like any other", async () => {
    const results = await use([
      ["write_file", { path: "__proto__/constructor", content: "x" }],
      ["read_file", { path: "__proto__/constructor" }],
      ["execute_command", { command: "cat __proto__/constructor && echo y > __proto__/polluted" }],
      ["list_dir", { path: "__proto__" }],
    ]);
    expect(results.slice(1)).toEqual(["x", "x\n[exit code 0]", "constructor\npolluted"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("long results are cut and say so; a workspace can't grow without end", async () => {
    const long = `${"x".repeat(99)}\n`.repeat(1000);
    const [read, search, command, big] = await use(
      [
        ["read_file", { path: "long.txt" }],
        ["search_files", { pattern: "x" }],
        ["execute_command", { command: "cat long.txt" }],
        ["write_file", { path: "b.txt", content: "y".repeat(900_000) }],
      ],
      { world: { files: { "long.txt": long, "full.txt": "z".repeat(15_500_000) } } },
    );
    expect(read).toMatch(/\[lines 1 to 200 of 1000; read on with offset 201\]$/);
    expect(search).toMatch(/\[100 of 1000 hits shown\]$/);
    expect(command).toMatch(
      /\[cut: 20000 of 100000 characters shown\]\[exit code 0\]$|\[cut: 20000 of 100000 characters shown\]\n\[exit code 0\]$/,
    );
    expect(big).toBe("Error: the workspace is full: at most 16000000 characters in all");
  });

  test("files of enabled skills are read-only under .evalkit/skills and litter no listing", async () => {
    const note = { path: "references/site.md", text: "note on x", digest: "d" };
    const skills = [skillOf("web", { files: [note] }), skillOf("off", { files: [note], enabled: false })];
    expect(
      await use(
        [
          ["read_file", { path: ".evalkit/skills/web/references/site.md" }],
          ["read_file", { path: ".evalkit/skills/off/references/site.md" }],
          ["list_dir", {}],
          ["list_dir", { path: ".evalkit/skills" }],
          ["search_files", { pattern: "note" }],
          [
            "execute_command",
            { command: "cat .evalkit/skills/web/references/site.md; rm -r .evalkit; echo x > y" },
          ],
          ["read_file", { path: ".evalkit/skills/web/references/site.md" }],
          ["execute_command", { command: "ls -A; cat .evalkit/skills/web/references/site.md" }],
          ["execute_command", { command: "find . -name '*.md'" }],
        ],
        {},
        variantOf({ skills }),
      ),
    ).toEqual(
      [
        "note on x",
        "Error: no such file: .evalkit/skills/off/references/site.md",
        "(the folder is empty)",
        "web/",
        "No hits.",
        "note on x[exit code 0]",
        "note on x",
        ".evalkit\ny\nnote on x[exit code 0]",
        "[exit code 0]",
      ].map((text) => text.replace("x[exit", "x\n[exit")),
    );
  });
});

describe("commands", () => {
  test("change files both ways, in the order of the calls of a reply", async () => {
    const calls = [
      { id: "1", name: "write_file", arguments: '{"path":"in.txt","content":"b\\na\\n"}' },
      { id: "2", name: "execute_command", arguments: '{"command":"sort in.txt > out.txt; rm in.txt"}' },
      { id: "3", name: "read_file", arguments: '{"path":"out.txt"}' },
      { id: "4", name: "list_dir", arguments: "{}" },
    ];
    const line = await trialWith(
      scripted([replyOf({ calls }), replyOf({ content: "ok" })]),
      caseOf({
        expect: {
          completion: [
            { file: { path: "out.txt", equals: "a\nb\n" } },
            { file: { path: "in.txt", absent: true } },
            { command: { run: "cat out.txt | wc -l", stdout: "2" } },
            { command: { run: "echo late > out.txt" } },
          ],
        },
      }),
    );
    expect(resultsOf(line)).toEqual(["Created in.txt (2 lines).", "[exit code 0]", "a\nb\n", "out.txt"]);
    expect(line.scores.taskCompletion).toMatchObject({ value: 1 });
  });

  test("tell output, errors and exit code", async () => {
    expect(await use([["execute_command", { command: "echo out; echo err >&2; exit 3" }]])).toEqual([
      "out\nerr\n[exit code 3]",
    ]);
    expect(await use([["execute_command", { command: "printf x" }]])).toEqual(["x\n[exit code 0]"]);
    expect(await use([["execute_command", { command: "  " }]])).toEqual(["Error: the command is empty"]);
  });

  test("ls takes a name for a name: brackets, stars and what matches nothing", async () => {
    const world = worldOf({ "x[1].txt": "1", "d[1]/in.txt": "2", "b.txt": "3", "a*": "4" });
    for (const [command, expected] of [
      ["ls 'x[1].txt'", ["x[1].txt\n", "", 0]],
      ["ls x* b*", ["b.txt\nx[1].txt\n", "", 0]],
      ["ls 'd[1]'", ["in.txt\n", "", 0]],
      ["ls -d 'd[1]'", ["d[1]\n", "", 0]],
      ["ls 'a*' b.txt", ["b.txt\na*\n", "", 0]],
      ["ls 'b*'", ["", "ls: cannot access 'b*': No such file or directory\n", 2]],
      ["ls *.md", ["", "ls: cannot access '*.md': No such file or directory\n", 2]],
      ["ls", ["a*\nb.txt\nd[1]\nx[1].txt\n", "", 0]],
      // A pattern once more, this would take longer than anyone can wait.
      [`ls ${"*a".repeat(30)}*b`, ["", expect.stringContaining("No such file"), 2]],
    ] as const)
      expect([command, ...(await shell(world, command))]).toEqual([command, ...expected]);
    await shell(world, `touch ${"a".repeat(100)}`);
    expect((await shell(world, `ls ${"*a".repeat(30)}*b`))[2]).toBe(2);
  });

  test("know nothing of the host: files, environment, clock, programs", async () => {
    const world = worldOf({ "a.txt": "1" });
    expect(await shell(world, "cat /etc/passwd; echo $PATH; pwd; whoami; hostname")).toEqual([
      "/usr/bin:/bin\n/workspace\nuser\nlocalhost\n",
      "cat: /etc/passwd: No such file or directory\n",
      0,
    ]);
    expect(
      await shell(world, "date; date +%s; date -I; date -d 2026-03-04 +%A; touch b; ls -l b a.txt"),
    ).toEqual([
      expect.stringMatching(
        /^Thu Jan {2}1 00:00:00 UTC 2026\n1767225600\n2026-01-01\nWednesday\n.*Jan {2}1 {2}2026 b\n.*Jan {2}1 {2}2026 a.txt\n$/s,
      ),
      "",
      0,
    ]);
    for (const program of ["node -e 1", "python3 -c 1", "sqlite3", "npm test", "git status"]) {
      expect(await shell(world, program)).toEqual([
        "",
        expect.stringMatching(/not found|not available/),
        127,
      ]);
    }
  });

  test.each([
    "while true; do :; done",
    "sleep 100000",
    "while true; do sleep 20; done",
    "f() { f; }; f",
    "awk 'BEGIN{while(1){}}'",
    "x=a; while true; do x=$x$x; done",
    "seq 1 100000000",
    "cat /dev/zero",
    ":(){ :|:& };:",
    "echo {1..100000000}",
    "for i in $(seq 1 9000); do echo $i > f$i; done",
  ])("a runaway is stopped: %s", async (command) => {
    const world = worldOf({ "a.txt": "1" });
    const [, , code] = await shell(world, command);
    expect(typeof code).toBe("number");
    // The world lives on.
    expect(await shell(world, "cat a.txt")).toEqual(["1", "", 0]);
  });

  test("a workspace that a command has filled is put back as it was", async () => {
    const world = worldOf({ "a.txt": "x".repeat(900_000) });
    const [, stderr, code] = await shell(
      world,
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cp a.txt b$i; done",
    );
    expect([stderr, code]).toEqual([expect.stringContaining("the changes of this command are undone"), 126]);
    expect([...world.files.texts.keys()]).toEqual(["a.txt"]);
    expect(await shell(world, "ls")).toEqual(["a.txt\n", "", 0]);
  });

  test("an interrupted trial stops its command", async () => {
    const stop = new AbortController();
    const world = worldOf({});
    await shell(world, "true");
    const pending = world.run("for i in $(seq 1 4000); do cat /dev/null; done", stop.signal);
    stop.abort();
    expect((await pending).exitCode).not.toBe(0);
  });

  test("the same commands print the same in every trial", async () => {
    const print = () =>
      shell(worldOf({ "b.txt": "1", "a.txt": "2" }), "ls -la; stat a.txt; find . | sort; date; echo $$");
    expect(await print()).toEqual(await print());
  });
});

describe("the web", () => {
  const pages = {
    "https://docs.example.test/start": { title: "Start", text: "npm i tool" },
    "https://app.example.test/": {
      kind: "dynamic",
      title: "App",
      text: "Loading…",
      snapshot: "heading 'Cart'",
    },
    "https://gone.example.test/x": { text: "no more", status: 410 },
    "https://r.jina.ai/https://wall.example.test/a": { text: "the article" },
  };

  test("web_fetch gives what the server sends, the browser what is rendered", async () => {
    expect(
      await use(
        [
          ["web_fetch", { url: "https://docs.example.test/start#install" }],
          ["web_fetch", { url: "https://app.example.test" }],
          ["web_fetch", { url: "https://nowhere.example.test/" }],
          ["web_fetch", { url: "https://gone.example.test/x" }],
          ["web_fetch", { url: "file:///etc/passwd" }],
          ["take_snapshot", {}],
          ["take_screenshot", {}],
          ["browser_navigate", { url: "https://app.example.test/" }],
          ["take_snapshot", {}],
          ["take_screenshot", {}],
          ["browser_navigate", { url: "https://docs.example.test/start/" }],
          ["take_snapshot", {}],
        ],
        { world: { pages } },
      ),
    ).toEqual([
      "Title: Start\n\nnpm i tool",
      "Title: App\n\nLoading…",
      "Error: HTTP 404 Not Found for https://nowhere.example.test/",
      "Error: HTTP 410 Gone for https://gone.example.test/x\n\nno more",
      'Error: "file:///etc/passwd" is not an http or https address',
      "Error: no page is open; call browser_navigate first",
      "Error: no page is open; call browser_navigate first",
      'Opened https://app.example.test/ ("App"). Read it with take_snapshot.',
      "URL: https://app.example.test/\nTitle: App\n\nheading 'Cart'",
      "[image/png, 1280 x 800 pixels: a screenshot was taken; its pixels can't be read as text here]",
      'Opened https://docs.example.test/start ("Start"). Read it with take_snapshot.',
      "URL: https://docs.example.test/start\nTitle: Start\n\nnpm i tool",
    ]);
  });

  test("curl and wget know the case's pages only", async () => {
    const world = worldOf({}, pages);
    expect(
      await shell(world, 'curl -sL --max-time 30 "https://r.jina.ai/https://wall.example.test/a"'),
    ).toEqual(["the article\n", "", 0]);
    expect(await shell(world, "curl -s https://nowhere.example.test/")).toEqual([
      "",
      "curl: (6) Could not resolve host: nowhere.example.test\n",
      6,
    ]);
    expect(
      await shell(
        world,
        "curl -sf https://docs.example.test/none || echo $?; curl -s https://docs.example.test/none",
      ),
    ).toEqual(["22\n404 Not Found\n", "curl: (22) The requested URL returned error: 404\n", 0]);
    expect(
      await shell(
        world,
        "curl -s -H 'A: b' -o f.txt docs.example.test/start && cat f.txt; wget -qO- https://docs.example.test/start | wc -c",
      ),
    ).toEqual(["npm i tool\n11\n", "", 0]);
    expect(
      await shell(world, "wget -q https://docs.example.test/start; cat start; wget http://10.0.0.1/"),
    ).toEqual(["npm i tool\n", "wget: unable to resolve host address '10.0.0.1'\n", 4]);
  });
});

test("a case's own tools give the first result that fits", async () => {
  const lookup = {
    name: "lookup_order",
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    results: [
      { when: { id: "A1" }, return: { status: "shipped" } },
      { when: { id: { $regex: "^A" } }, error: "order not found" },
      { when: { id: "null" }, return: null },
    ],
  };
  const results = await use(
    [
      ["lookup_order", { id: "A1" }],
      ["lookup_order", { id: "A2" }],
      ["lookup_order", { id: "null" }],
      ["lookup_order", { id: "B" }],
      ["plain", {}],
    ],
    { tools: [lookup, { name: "plain" }] },
  );
  expect(results).toEqual([
    '{"status":"shipped"}',
    "Error: order not found",
    "null",
    "Error: the case has no result of lookup_order for these arguments",
    "ok",
  ]);
});

test("metrics see calls that were refused", async () => {
  const model = scripted([
    replyOf({ calls: [{ name: "take_screenshot", arguments: "{}" }] }),
    replyOf({ content: "ok" }),
  ]);
  const line = await trialWith(model, caseOf({ expect: { tools: { forbid: ["take_screenshot"] } } }));
  expect(metric(line, "toolCallAccuracy")).toBe(0);
});
