import { checkMatchers } from "../../match/check.ts";
import { BUILT_IN_TOOLS, type Case, type CustomTool, type ExpectedCall } from "../../nouns/case.ts";
import type { Path } from "../../text/path.ts";
import type { Inspection } from "../report.ts";
import { schemaFaults } from "./schema-sanity.ts";
import { didYouMean } from "../../text/nearest.ts";

const BUILT_IN: readonly string[] = BUILT_IN_TOOLS;
const NEED_APPROVAL = ["write_file", "execute_command"];

/** Names of the tools that a case offers. `load_skill` is always among them. */
export function offeredTools({ tools }: Pick<Case, "tools">): readonly string[] {
  const names = tools?.map((tool) => (typeof tool === "string" ? tool : tool.name)) ?? BUILT_IN;
  return [...new Set([...names, "load_skill"])];
}

/** The `tools` of a case: names that exist, once each; own tools with schemas that mean something. */
export function checkOfferedTools(look: Inspection): void {
  const seen = new Set<string>();
  look.case.tools?.forEach((tool, at) => {
    const name = typeof tool === "string" ? tool : tool.name;
    if (seen.has(name))
      look.error("duplicate-tool", ["tools", at], `the tool ${JSON.stringify(name)} is listed twice`);
    seen.add(name);
    if (typeof tool !== "string") checkOwnTool(look, tool, ["tools", at]);
    else if (!BUILT_IN.includes(tool)) unknownTool(look, tool, ["tools", at]);
  });
  checkApprovals(look);
}

function unknownTool(look: Inspection, name: string, path: Path): void {
  const hint = `built-in tools are ${BUILT_IN.join(", ")}; a tool of the case's own needs name, description, parameters, results`;
  look.error(
    "unknown-tool",
    path,
    `there is no built-in tool ${JSON.stringify(name)}.${didYouMean(name, BUILT_IN)}`,
    hint,
  );
}

function checkOwnTool(look: Inspection, tool: CustomTool, path: Path): void {
  if (tool.name === "load_skill") {
    look.error(
      "reserved-tool",
      [...path, "name"],
      "load_skill can't be replaced by a tool of the case's own",
    );
  } else if (BUILT_IN.includes(tool.name)) {
    look.warn(
      "replaces-built-in",
      [...path, "name"],
      `this tool takes the place of the built-in ${tool.name}`,
    );
  }
  for (const fault of schemaFaults(tool.parameters)) {
    look.error("bad-schema", [...path, "parameters", ...fault.path], fault.message);
  }
  if (tool.parameters.type !== "object") {
    const message = 'the parameters of a tool are a JSON Schema with "type: object"';
    look.error("bad-schema", [...path, "parameters"], message);
  }
  checkResults(look, tool, path);
}

function checkResults(look: Inspection, tool: CustomTool, path: Path): void {
  let always = -1;
  tool.results.forEach((result, at) => {
    const here = [...path, "results", at];
    matcherFaults(look, result.when ?? {}, [...here, "when"]);
    if ("return" in result && result.error !== undefined) {
      look.error("contradiction", here, "a result has return or error, not both");
    } else if (!("return" in result) && result.error === undefined) {
      look.error("empty-result", here, "a result needs return or error");
    }
    if (always >= 0)
      look.warn("never-used", here, `result ${always + 1} has no when and is always given before this one`);
    else if (result.when === undefined) always = at;
  });
}

function checkApprovals(look: Inspection): void {
  const { approvals, tools } = look.case;
  const own = tools?.flatMap((tool) => (typeof tool !== "string" && tool.approval ? [tool.name] : [])) ?? [];
  const asking = [...NEED_APPROVAL, ...own];
  approvals.forEach(({ tool }, at) => {
    if (asking.includes(tool)) return;
    const message = `${JSON.stringify(tool)} is no tool that needs approval.${didYouMean(tool, asking)}`;
    look.error("unknown-tool", ["approvals", at, "tool"], message, `tools that ask: ${asking.join(", ")}`);
  });
}

/** Tools that the expectations name: offered, spelled right, with matchers that mean something. */
export function checkExpectedCalls(look: Inspection): void {
  const expected = look.case.expect.tools;
  if (expected === undefined) return;
  const offered = offeredTools(look.case);
  const root = ["expect", "tools"];
  expected.calls?.forEach((call, at) => {
    checkCall(look, call, [...root, "calls", at]);
    if (offered.includes(call.name)) return;
    const message = `the case expects a call of ${JSON.stringify(call.name)} but doesn't offer it.${didYouMean(call.name, offered)}`;
    look.error(
      "tool-not-offered",
      [...root, "calls", at, "name"],
      message,
      `it offers ${offered.join(", ")}`,
    );
  });
  expected.forbid.forEach((rule, at) => {
    if (typeof rule !== "string") checkCall(look, rule, [...root, "forbid", at]);
    warnUnknown(look, typeof rule === "string" ? rule : rule.name, offered, [...root, "forbid", at]);
  });
  expected.before.forEach((pair, at) => {
    for (const [side, name] of pair.entries())
      warnUnknown(look, name, offered, [...root, "before", at, side]);
  });
  expected.ignore.forEach((name, at) => {
    warnUnknown(look, name, offered, [...root, "ignore", at]);
  });
}

/** A model may try a tool that it isn't offered, so naming one is sense; naming one that exists nowhere is a slip. */
function warnUnknown(look: Inspection, name: string, offered: readonly string[], path: Path): void {
  const known = [...new Set([...offered, ...BUILT_IN])];
  if (known.includes(name)) return;
  const message = `${JSON.stringify(name)} is no built-in tool and none of the case's own.${didYouMean(name, known)}`;
  look.warn("unknown-tool", path, message);
}

function checkCall(look: Inspection, call: ExpectedCall, path: Path): void {
  matcherFaults(look, call.args ?? {}, [...path, "args"]);
  if (call.exact === true && call.args === undefined) {
    look.warn("exact-without-args", path, "exact without args: only a call without any argument fits");
  }
}

function matcherFaults(look: Inspection, value: unknown, path: Path): void {
  for (const { key, message } of checkMatchers(value)) look.error("bad-matcher", [...path, ...key], message);
}
