import { jsonText } from "../text/json.ts";

/** What a request was, small enough to be kept in each recording. */
export interface RequestHead {
  readonly trial: number;
  readonly salt: string;
  readonly occurrence: number;
  readonly model: string;
  /** Body fields other than model, messages and tools. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Digest of the tool list; empty without tools. */
  readonly tools: string;
  /** `role:digest` of each message. */
  readonly messages: readonly string[];
}

/**
 * Says why a request has no recording: none of the case at all, none of this trial (the recorded ones are named), or what
 * differs from the nearest recording of the case.
 */
export function explainMiss(wanted: RequestHead, recorded: readonly RequestHead[]): string {
  if (recorded.length === 0) return "the case has no recordings";
  const same = recorded.filter((head) => differences(head, wanted).length === 0);
  if (same.length > 0) return explainSame(wanted, same);
  const costs = recorded.map((head) => cost(head, wanted));
  const nearest = recorded[costs.indexOf(Math.min(...costs))] ?? wanted;
  return `it differs from the nearest recording (trial ${nearest.trial}) in ${differences(nearest, wanted).join("; ")}`;
}

/** The very request is there, but for another trial, another occurrence, or the other arm of an A/A run. */
function explainSame(wanted: RequestHead, same: readonly RequestHead[]): string {
  const arm = same.filter((head) => head.salt === wanted.salt);
  if (arm.length === 0) return "this request is recorded for the other arm of an A/A run only";
  const trial = arm.filter((head) => head.trial === wanted.trial);
  if (trial.length === 0) {
    const trials = ranges(arm.map((head) => head.trial));
    return `trial ${wanted.trial} is not recorded for this request (recorded: ${trials})`;
  }
  const times = new Set(trial.map((head) => head.occurrence)).size;
  return `trial ${wanted.trial} now sends the same request for the ${wanted.occurrence + 1}. time (recorded: ${times})`;
}

function differences(from: RequestHead, to: RequestHead): readonly string[] {
  return [
    ...(from.model === to.model ? [] : [`model: ${from.model} → ${to.model}`]),
    ...settingDifferences(from, to),
    ...(from.tools === to.tools ? [] : ["the tools offered"]),
    ...messageDifferences(from.messages, to.messages),
  ];
}

function settingDifferences(from: RequestHead, to: RequestHead): readonly string[] {
  const names = [...new Set([...Object.keys(from.settings), ...Object.keys(to.settings)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [setting(from, name), setting(to, name)];
    // Sent only where there are tools, which is told by itself.
    if (name === "tool_choice" && (from.tools === "") !== (to.tools === "")) return [];
    return before === after ? [] : [`${name}: ${before} → ${after}`];
  });
}

/** As text. The seed moves with the trial, so it is told as that of trial 1. */
function setting(head: RequestHead, name: string): string {
  const value = head.settings[name];
  if (name === "seed" && typeof value === "number") return String(value - head.trial + 1);
  return value === undefined ? "not set" : (jsonText(value) ?? "unreadable");
}

function messageDifferences(from: readonly string[], to: readonly string[]): readonly string[] {
  const length = Math.max(from.length, to.length);
  const differing = Array.from({ length }, (_, at) => at).filter((at) => from[at] !== to[at]);
  const system = differing.includes(0) && (to[0] ?? from[0] ?? "").startsWith("system:");
  const first = differing.find((at) => !(system && at === 0));
  const named = [...(system ? ["the system prompt"] : [])];
  if (first !== undefined) named.push(oneMessage(from, to, first));
  return named;
}

function oneMessage(from: readonly string[], to: readonly string[], at: number): string {
  const role = (text: string | undefined) => text?.split(":")[0] ?? "none";
  if (at >= to.length || at >= from.length) return `${to.length} messages instead of ${from.length}`;
  const roles = role(from[at]) === role(to[at]) ? role(to[at]) : `${role(from[at])} → ${role(to[at])}`;
  return `message ${at + 1} (${roles})`;
}

/** How far a recording is from a request; messages weigh least, since one change moves all that follow. */
function cost(head: RequestHead, wanted: RequestHead): number {
  const length = Math.max(head.messages.length, wanted.messages.length);
  let messages = 0;
  for (let at = 0; at < length; at += 1) if (head.messages[at] !== wanted.messages[at]) messages += 1;
  return (
    (head.model === wanted.model ? 0 : 3) +
    3 * settingDifferences(head, wanted).length +
    (head.tools === wanted.tools ? 0 : 3) +
    messages +
    (head.trial === wanted.trial ? 0 : 0.5) +
    (head.salt === wanted.salt ? 0 : 0.25)
  );
}

/** `1-3, 5` */
function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const number of sorted) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
