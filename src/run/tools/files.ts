import { compileRegex } from "../../core/match/regex.ts";
import type { WorldFiles } from "../world/files.ts";
import { workspacePath } from "../world/paths.ts";
import { defineTool } from "./define.ts";
import { failed, flagArg, numberArg, ok, textArg, type ToolArgs, type ToolResult } from "./tool.ts";
import { cut } from "../../core/text/cut.ts";
import { count } from "../../core/text/count.ts";

const MAX_SHOWN = 20_000;
const MAX_HITS = 100;
const MAX_LINE = 300;

const path = (what: string) => ({
  type: "string",
  description: `${what}, relative to the workspace root, such as src/app.ts. Absolute paths and \`..\` are refused.`,
});

/** `read_file`: the text of a file, or a range of its lines. */
export const readFile = defineTool({
  name: "read_file",
  description:
    "Returns the text of one file of the workspace exactly as it is, without line numbers. Long files are cut after 20,000 characters, and the result then says with which offset to read on.",
  parameters: {
    path: path("The file"),
    offset: { type: "integer", minimum: 1, description: "First line to return, counted from 1. Default: 1." },
    limit: { type: "integer", minimum: 1, description: "How many lines to return. Default: all." },
  },
  required: ["path"],
  run: (args, { world }) =>
    onFile(world.files, args, (text) => {
      if (text === "") return ok("(the file is empty)");
      const offset = numberArg(args, "offset", 1);
      const lines = text.split("\n");
      if (text.endsWith("\n")) lines.pop();
      if (offset > lines.length) return failed(`the file has only ${lines.length} lines`);
      const limit = numberArg(args, "limit", lines.length);
      return ok(whole(text, lines, offset, limit) ?? range(lines, offset, limit));
    }),
});

/** The unchanged text where all of it is asked for and fits. */
function whole(text: string, lines: readonly string[], offset: number, limit: number): string | null {
  return offset === 1 && limit >= lines.length && text.length <= MAX_SHOWN ? text : null;
}

function range(lines: readonly string[], offset: number, limit: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    length += line.length + 1;
    if (length > MAX_SHOWN && shown.length > 0) break;
    shown.push(cut(line, MAX_SHOWN));
  }
  const last = offset - 1 + shown.length;
  const more = last < lines.length ? `; read on with offset ${last + 1}` : "";
  return `${shown.join("\n")}\n[lines ${offset} to ${last} of ${lines.length}${more}]`;
}

/** `write_file`: creates or replaces a file. */
export const writeFile = defineTool({
  name: "write_file",
  description:
    "Creates a file of the workspace or replaces the whole of an existing one; missing folders are made. The content is written exactly as given, so it must hold the parts that stay as they are.",
  parameters: {
    path: path("The file"),
    content: { type: "string", description: "The complete new text of the file." },
  },
  required: ["path", "content"],
  approval: true,
  run: (args, { world }) => {
    const place = workspacePath(textArg(args, "path"));
    if (!place.ok) return refusedPath(args, place.why);
    const content = textArg(args, "content");
    const known = world.files.read(place.path) !== undefined;
    const refusal = world.files.write(place.path, content);
    if (refusal !== null) return failed(refusal);
    const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    return ok(`${known ? "Replaced" : "Created"} ${place.path} (${count(lines, "line")}).`);
  },
});

/** `list_dir`: names in a folder. */
export const listDir = defineTool({
  name: "list_dir",
  description:
    "Lists the names in one folder of the workspace, one a line, sorted; folders end in a slash. It does not look into subfolders.",
  parameters: { path: path("The folder; leave it out for the workspace root") },
  required: [],
  run: (args, { world }) => {
    const place = workspacePath(textArg(args, "path", "."));
    if (!place.ok) return refusedPath(args, place.why);
    if (world.files.read(place.path) !== undefined) return failed(`${place.path} is a file; use read_file`);
    const start = place.path === "" ? 0 : place.path.length + 1;
    const names = world.files.below(place.path).map((file) => file.slice(start).replace(/\/.*$/, "/"));
    if (names.length === 0 && place.path !== "") return failed(`no such folder: ${place.path}`);
    return ok(names.length === 0 ? "(the folder is empty)" : cutText([...new Set(names)].join("\n")));
  },
});

/** `search_files`: lines that hold a text or match an expression. */
export const searchFiles = defineTool({
  name: "search_files",
  description:
    "Finds a text in the files of the workspace and returns one hit a line as path:line:text. The pattern is taken literally unless regex is true. At most 100 hits are returned.",
  parameters: {
    pattern: { type: "string", minLength: 1, description: "The text to find, or an RE2 regular expression." },
    path: path("Folder or file to search; leave it out for the whole workspace"),
    regex: { type: "boolean", description: "Take the pattern as a regular expression. Default: false." },
    ignore_case: { type: "boolean", description: "Take upper and lower case as equal. Default: false." },
  },
  required: ["pattern"],
  run: (args, { world }) => {
    const place = workspacePath(textArg(args, "path", "."));
    if (!place.ok) return refusedPath(args, place.why);
    const isFile = world.files.read(place.path) !== undefined;
    const files = isFile ? [place.path] : world.files.below(place.path);
    if (files.length === 0 && place.path !== "") return failed(`no such file or folder: ${place.path}`);
    const finds = finder(args);
    return typeof finds === "string" ? failed(finds) : ok(hitsText(world.files, files, finds));
  },
});

type Finds = (line: string) => boolean;

function finder(args: ToolArgs): Finds | string {
  const pattern = textArg(args, "pattern");
  const ignoreCase = flagArg(args, "ignore_case");
  if (!flagArg(args, "regex")) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  try {
    const compiled = compileRegex(pattern, ignoreCase);
    return (line) => compiled.test(line);
  } catch {
    return `not a regular expression in RE2 syntax: ${cut(pattern, 100)}`;
  }
}

function hitsText(files: WorldFiles, paths: readonly string[], finds: Finds): string {
  const hits: string[] = [];
  let count = 0;
  for (const file of paths) {
    for (const [at, line] of (files.read(file) ?? "").split("\n").entries()) {
      if (!finds(line)) continue;
      count += 1;
      if (count <= MAX_HITS) hits.push(`${file}:${at + 1}:${cut(line, MAX_LINE)}`);
    }
  }
  if (count === 0) return "No hits.";
  return count > MAX_HITS ? `${hits.join("\n")}\n[${MAX_HITS} of ${count} hits shown]` : hits.join("\n");
}

function onFile(files: WorldFiles, args: ToolArgs, use: (text: string) => ToolResult): ToolResult {
  const place = workspacePath(textArg(args, "path"));
  if (!place.ok) return refusedPath(args, place.why);
  const text = files.read(place.path);
  if (text !== undefined) return use(text);
  return failed(
    files.isFolder(place.path)
      ? `${place.path || "."} is a folder; use list_dir`
      : `no such file: ${place.path}`,
  );
}

function refusedPath(args: ToolArgs, why: string): ToolResult {
  return failed(
    `the path ${cut(JSON.stringify(textArg(args, "path")), 120)} ${why}; paths are like src/app.ts`,
  );
}

/** Cuts a long text and says so. */
export function cutText(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  return `${cut(text, MAX_SHOWN)}\n[cut: ${MAX_SHOWN} of ${text.length} characters shown]`;
}
