import { sameName } from "../text/same-name.ts";
import type { Expectation } from "../nouns/case.ts";
import type { Evidence, Score } from "../nouns/score.ts";
import type { Event } from "../nouns/transcript.ts";
import { scored, unscored } from "./make.ts";
import { cut } from "../text/cut.ts";

/**
 * `skillActivation`: 1 when every skill of `load` was loaded by a `load_skill` that succeeded and none of `avoid` was,
 * else 0. The evidence holds precision and recall; skills that are in neither list count as wrongly loaded for the
 * precision only. `inPrompt`: all bodies stand in the system prompt, so there is nothing to load.
 */
export function scoreSkills(
  expectation: Expectation["skills"],
  events: readonly Event[],
  inPrompt: boolean,
): Score {
  if (expectation === undefined) return unscored("the case has no skill expectation");
  if (inPrompt) return unscored("all skills stand in the system prompt, so none is loaded");
  const loaded = loadedSkills(events);
  const load = expectation.load.map(sameName);
  const wanted = new Set(load);
  const evidence: Evidence[] = [
    ...load.map((name) => loadEvidence(name, loaded)),
    ...expectation.avoid.map(sameName).map((name) => avoidEvidence(name, loaded)),
  ];
  const passed = evidence.every((one) => one.passed);
  const right = [...loaded].filter((name) => wanted.has(name)).length;
  const detail = `precision ${ratio(right, loaded.size)}, recall ${ratio(right, wanted.size)}; loaded: ${list(loaded)}`;
  return scored(passed ? 1 : 0, [...evidence, { check: "skills precision and recall", passed, detail }]);
}

/** Names of skills that were loaded in any conversation of the trial, in the order of their first load. */
export function loadedSkills(events: readonly Event[]): ReadonlySet<string> {
  const loads = events.filter((event) => event.type === "skill" && /^(loaded|refreshed)$/.test(event.what));
  return new Set(loads.map((event) => (event.type === "skill" ? event.name : "")));
}

function loadEvidence(name: string, loaded: ReadonlySet<string>): Evidence {
  return {
    check: `skills.load ${name}`,
    passed: loaded.has(name),
    detail: loaded.has(name) ? "" : "not loaded",
  };
}

function avoidEvidence(name: string, loaded: ReadonlySet<string>): Evidence {
  return {
    check: `skills.avoid ${name}`,
    passed: !loaded.has(name),
    detail: loaded.has(name) ? "it was loaded" : "",
  };
}

/** Two decimals, or "undefined" where nothing stands below the line: never 0 or 1 by default. */
function ratio(part: number, whole: number): string {
  return whole === 0 ? "undefined" : (part / whole).toFixed(2);
}

function list(names: ReadonlySet<string>): string {
  return names.size === 0 ? "nothing" : cut([...names].join(", "), 200);
}
