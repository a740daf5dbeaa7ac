import type { RequestSettings } from "../../core/reply/request.ts";
import { ask, type Check, check, failedCheck, limited, type Patient, type Visit } from "./checks.ts";
import { maxTokensCheck, seedCheck, streamChecks } from "./sampling.ts";
import { nullContentCheck, secondTurnCheck, toolChecks } from "./tools.ts";
import { cut } from "../../core/text/cut.ts";

/** What an examination found. `usable`: the project's settings work on this server. */
export interface Findings {
  readonly model: string | null;
  readonly usable: boolean;
  readonly checks: readonly Check[];
}

/** What an examination needs. */
export interface ExamineInput {
  readonly patient: Patient;
  /** Null: the first model that the server lists. */
  readonly model: string | null;
  readonly settings: RequestSettings;
  readonly signal: AbortSignal;
  /** Told each finding as it comes. */
  readonly tell: (check: Check) => void;
}

/**
 * Asks a server what it can do, one call at a time (some take no more), some twelve short calls in all. It stops where
 * nothing more can be learnt: no connection, no model, no plain answer.
 */
export async function examine(input: ExamineInput): Promise<Findings> {
  const checks: Check[] = [];
  const note = (found: Check): Check => {
    checks.push(found);
    input.tell(found);
    return found;
  };
  const listed = await listedModels(input, note);
  const model = input.model ?? listed[0] ?? null;
  if (model !== null && !checks.some(isFault)) await visitModel({ ...input, model }, note);
  return { model, usable: !checks.some(isFault), checks };
}

function isFault(found: Check): boolean {
  return found.level === "fault";
}

async function listedModels(input: ExamineInput, note: (found: Check) => Check): Promise<readonly string[]> {
  const list = await input.patient.models();
  if (!list.ok) {
    const level =
      ["network", "tls", "auth", "timeout"].includes(list.failure.kind) || input.model === null
        ? "fault"
        : "warning";
    note(failedCheck("models", level, list.failure, input.model === null ? "name a model: --model" : ""));
    return [];
  }
  const shown = `${list.ids.slice(0, 8).join(", ")}${list.ids.length > 8 ? `, … (${list.ids.length})` : ""}`;
  if (list.ids.length === 0 && input.model === null)
    note(check("fault", "models", "the server lists none", "name a model: --model"));
  else if (input.model !== null && !list.ids.includes(input.model)) {
    note(check("warning", "models", `${input.model} is not listed; listed: ${shown}`, "look at --model"));
  } else note(check("ok", "models", shown));
  return list.ids;
}

async function visitModel(visit: Visit, note: (found: Check) => Check): Promise<void> {
  if (isFault(note(await plainCheck(visit, note)))) return;
  const limits = note(await maxTokensCheck(visit));
  const refused = limits.level === "warning" && limits.found.includes("[refused-request]");
  const settings: RequestSettings = refused
    ? { ...visit.settings, stream: false }
    : limited(visit.settings, 200);
  const { checks, turn, called } = await toolChecks(visit, settings);
  for (const found of checks) note(found);
  note(await secondTurnCheck(visit, settings, turn));
  note(await nullContentCheck(visit, settings, turn));
  for (const found of await streamChecks(visit, settings, called)) note(found);
  note(await seedCheck(visit));
}

/** A plain answer under the project's own settings: it shows at once which of them a server refuses. */
async function plainCheck(visit: Visit, note: (found: Check) => Check): Promise<Check> {
  const messages = [{ role: "user", content: "Answer with one word: ready." } as const];
  const result = await ask(visit, { ...visit.settings, stream: false }, { messages });
  if (!result.ok) return failedCheck("answer", "fault", result.failure);
  const { reply, ms } = result;
  note(
    reply.usage === null
      ? check("warning", "usage", "missing: tokens and cost will be unknown")
      : check("ok", "usage", `${reply.usage.prompt} prompt and ${reply.usage.completion} completion tokens`),
  );
  const said = reply.content.trim() === "" ? "an empty text" : JSON.stringify(cut(reply.content.trim(), 60));
  return check(
    reply.content.trim() === "" && reply.reasoning === "" ? "warning" : "ok",
    "answer",
    `${said} in ${ms} ms`,
  );
}
