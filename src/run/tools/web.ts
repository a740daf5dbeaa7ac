import { type FoundPage, findPage } from "../world/pages.ts";
import type { World } from "../world/world.ts";
import { defineTool } from "./define.ts";
import { cutText } from "./files.ts";
import { failed, ok, textArg, type ToolResult } from "./tool.ts";
import { cut } from "../../core/text/cut.ts";

const url = {
  type: "string",
  minLength: 1,
  description: "The complete address, starting with http:// or https://.",
};
const NO_PAGE = "no page is open; call browser_navigate first";
/** Always of one length: what a screenshot costs is the point, not what it shows. */
const SCREENSHOT =
  "[image/png, 1280 x 800 pixels: a screenshot was taken; its pixels can't be read as text here]";
const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  410: "Gone",
  429: "Too Many Requests",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

/** `web_fetch`: what a server sends, scripts not run. */
export const webFetch = defineTool({
  name: "web_fetch",
  description:
    "Fetches one web page and returns its title and text as the server sends them. Scripts are not run: an app or feed gives only its empty shell. Cheap and quick; right for documentation, articles, raw files and APIs.",
  parameters: { url },
  required: ["url"],
  run: (args, { world }) => {
    const hit = look(world, textArg(args, "url"));
    if ("error" in hit) return hit;
    const { page } = hit;
    const text = page.text === "" ? "(the page has no text)" : cutText(page.text);
    if (page.status >= 400) return failed(`${statusText(page.status)} for ${hit.url}\n\n${text}`);
    return ok(page.title === undefined ? text : `Title: ${page.title}\n\n${text}`);
  },
});

/** `browser_navigate`: opens a page in the trial's browser. */
export const browserNavigate = defineTool({
  name: "browser_navigate",
  description:
    "Opens a web page in the browser and lets its scripts run. The result only says that it is open: read it with take_snapshot. Slower than web_fetch; right for pages that scripts build.",
  parameters: { url },
  required: ["url"],
  run: (args, { world }) => {
    const hit = look(world, textArg(args, "url"));
    if ("error" in hit) return hit;
    world.openPage = hit.url;
    const title = hit.page.title === undefined ? "" : ` ("${hit.page.title}")`;
    const status = hit.page.status >= 400 ? `, ${statusText(hit.page.status)}` : "";
    return ok(`Opened ${hit.url}${title}${status}. Read it with take_snapshot.`);
  },
});

/** `take_snapshot`: the rendered text of the open page. */
export const takeSnapshot = defineTool({
  name: "take_snapshot",
  description:
    "Returns the rendered text of the page that is open in the browser, as an outline of headings, links, fields and texts. This is the way to read a page in the browser.",
  parameters: {},
  required: [],
  run: (_args, { world }) =>
    onOpenPage(world, ({ url: address, page }) => {
      const text = page.snapshot ?? page.text;
      const title = page.title === undefined ? "" : `Title: ${page.title}\n`;
      return ok(`URL: ${address}\n${title}\n${text === "" ? "(the page has no text)" : cutText(text)}`);
    }),
});

/** `take_screenshot`: a picture that can't be read as text. */
export const takeScreenshot = defineTool({
  name: "take_screenshot",
  description:
    "Takes a picture of the page that is open in the browser. Costly, and its text can't be read from the picture: use it only to judge how a page looks, after take_snapshot.",
  parameters: {},
  required: [],
  run: (_args, { world }) => onOpenPage(world, () => ok(SCREENSHOT)),
});

function look(world: World, address: string): FoundPage | ToolResult {
  if (!/^https?:\/\//i.test(address.trim())) {
    return failed(`${cut(JSON.stringify(address), 200)} is not an http or https address`);
  }
  return findPage(world.pages, address) ?? failed(`${statusText(404)} for ${cut(address, 200)}`);
}

function onOpenPage(world: World, use: (found: FoundPage) => ToolResult): ToolResult {
  const hit = world.openPage === null ? null : findPage(world.pages, world.openPage);
  return hit === null ? failed(NO_PAGE) : use(hit);
}

function statusText(status: number): string {
  return `HTTP ${status} ${REASONS[status] ?? ""}`.trimEnd();
}
