import { type Command, defineCommand } from "just-bash";
import type { Page } from "../../core/nouns/case.ts";
import { findPage, hostOf, knowsHost } from "./pages.ts";

type Pages = Readonly<Record<string, Page>>;

/** What a page's server answers to a plain client: its unrendered text, or nothing when there is no such host. */
type Answer =
  | { readonly kind: "no-host"; readonly host: string }
  | { readonly kind: "page"; readonly status: number; readonly body: string };

/** Options of curl that are followed by a value. */
const CURL_VALUES =
  /^(-[HAeXdmuxbcCrTFwEK]|--(header|user-agent|referer|request|data|data-raw|max-time|user|proxy|cookie|retry|connect-timeout|write-out|max-redirs|form|url-query|data-urlencode))$/;
const WGET_VALUES = /^(-[TtUPQ]|--(timeout|tries|user-agent|header|directory-prefix))$/;

/** `curl` over the case's pages: prints a page's unrendered text, as a server would send it. */
export function curlCommand(pages: Pages): Command {
  return defineCommand("curl", async (args, { fs, cwd }) => {
    const { urls, output, flags } = readArgs(args, CURL_VALUES, /^(-o|--output)$/);
    const url = urls[0];
    if (url === undefined) return failed(2, "curl: no URL specified");
    const answer = answerOf(pages, url);
    if (answer.kind === "no-host") return failed(6, `curl: (6) Could not resolve host: ${answer.host}`);
    if (answer.status >= 400 && (flags.has("f") || flags.has("--fail"))) {
      return failed(22, `curl: (22) The requested URL returned error: ${answer.status}`);
    }
    const head = flags.has("I") || flags.has("--head");
    const headers = `HTTP/1.1 ${answer.status}\ncontent-type: text/plain; charset=utf-8\n\n`;
    const body = head ? headers : flags.has("i") ? `${headers}${answer.body}` : answer.body;
    const target = output ?? (flags.has("O") ? baseName(url) : "-");
    return target === "-" ? done(body) : save(fs, cwd, target, body);
  });
}

/** `wget` over the case's pages. */
export function wgetCommand(pages: Pages): Command {
  return defineCommand("wget", async (args, { fs, cwd }) => {
    const { urls, output } = readArgs(args, WGET_VALUES, /^(-O|--output-document)$/);
    const url = urls[0];
    if (url === undefined) return failed(1, "wget: missing URL");
    const answer = answerOf(pages, url);
    if (answer.kind === "no-host") return failed(4, `wget: unable to resolve host address '${answer.host}'`);
    if (answer.status >= 400) return failed(8, `wget: server returned error: ${answer.status}`);
    return output === "-" ? done(answer.body) : save(fs, cwd, output ?? baseName(url), answer.body);
  });
}

function answerOf(pages: Pages, url: string): Answer {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const hit = findPage(pages, full) ?? findPage(pages, full.replace(/^http:/i, "https:"));
  if (hit !== null) return { kind: "page", status: hit.page.status, body: ended(hit.page.text) };
  if (knowsHost(pages, full)) return { kind: "page", status: 404, body: "404 Not Found\n" };
  return { kind: "no-host", host: hostOf(full) ?? url };
}

/** Splits arguments into addresses, the output file and flags (short ones apart: `-sSL`, `-qO-`). */
function readArgs(
  args: readonly string[],
  valued: RegExp,
  outputFlag: RegExp,
): { readonly urls: readonly string[]; readonly output: string | null; readonly flags: ReadonlySet<string> } {
  const urls: string[] = [];
  const flags = new Set<string>();
  let output: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    const glued = /^(-[A-Za-z]*?)([oO])(\S*)$/.exec(arg);
    if (outputFlag.test(arg)) output = args[++at] ?? null;
    else if (arg === "--url") urls.push(args[++at] ?? "");
    else if (valued.test(arg)) at += 1;
    else if (arg.startsWith("--")) flags.add(arg);
    else if (glued !== null && outputFlag.test(`-${glued[2]}`)) {
      output = glued[3] === "" ? (args[++at] ?? null) : (glued[3] ?? null);
    } else if (arg.startsWith("-") && arg !== "-") for (const letter of arg.slice(1)) flags.add(letter);
    else urls.push(arg);
  }
  return { urls, output, flags };
}

type Result = { stdout: string; stderr: string; exitCode: number };
type Fs = {
  resolvePath(base: string, path: string): string;
  writeFile(path: string, text: string): Promise<void>;
};

async function save(fs: Fs, cwd: string, target: string, body: string): Promise<Result> {
  await fs.writeFile(fs.resolvePath(cwd, target), body);
  return done("");
}

function baseName(url: string): string {
  return (
    url
      .replace(/[?#].*$/, "")
      .split("/")
      .pop() || "index.html"
  );
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function done(stdout: string): Result {
  return { stdout, stderr: "", exitCode: 0 };
}

function failed(exitCode: number, message: string): Result {
  return { stdout: "", stderr: `${message}\n`, exitCode };
}
