import { compileSchema } from "../../core/match/schema.ts";
import { keysDiffer } from "../../core/match/value.ts";
import type { CannedResult, CustomTool } from "../../core/nouns/case.ts";
import { lazily } from "./define.ts";
import { failed, ok, type Tool, type ToolArgs, type ToolResult } from "./tool.ts";

/** A case's own tool: the first canned result whose `when` fits is given. */
export function customTool(tool: CustomTool): Tool {
  const { name, description, parameters } = tool;
  return {
    spec: { type: "function", function: { name, description, parameters } },
    approval: tool.approval,
    check: lazily(() => compileSchema(parameters)),
    run: (args) => cannedResult(tool, args),
  };
}

function cannedResult(tool: CustomTool, args: ToolArgs): ToolResult {
  const found = tool.results.find((result) => keysDiffer(result.when ?? {}, args).length === 0);
  if (found !== undefined) return resultOf(found);
  if (tool.results.length === 0) return ok("ok");
  return failed(`the case has no result of ${tool.name} for these arguments`);
}

/** Texts are given as they are, other values as JSON; a result with neither `return` nor `error` is `ok`. */
function resultOf(result: CannedResult): ToolResult {
  if (result.error !== undefined) return failed(result.error);
  if (result.return === undefined) return ok("ok");
  return ok(typeof result.return === "string" ? result.return : JSON.stringify(result.return));
}
