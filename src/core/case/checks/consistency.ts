import type { Case, ToolExpectation } from "../../nouns/case.ts";
import type { Inspection } from "../report.ts";
import { asksForSomething } from "./completion.ts";

/** What the parts of a case say together. */
export function checkConsistency(look: Inspection): void {
  look.case.turns.forEach(({ user }, at) => {
    if (user.trim() === "") look.error("blank-turn", ["turns", at, "user"], "the user says nothing");
  });
  checkSkills(look);
  checkCallsAgainstForbidden(look);
  const { tools, completion, skills } = look.case.expect;
  if (tools === undefined && completion === undefined && skills === undefined) {
    const hint = "add expect.tools, expect.completion or expect.skills";
    look.warn("no-expectation", ["expect"], "the case expects nothing, so it has no score", hint);
  } else if (tools !== undefined && saysNothing(tools)) {
    look.error(
      "empty-check",
      ["expect", "tools"],
      "the tool expectation is empty: it has no calls, forbid or before",
    );
  } else if (canNeverFail(look.case)) {
    const hint =
      "add something that the agent must do: a call, a text of the answer, a file, a skill to load";
    look.warn(
      "only-negative",
      ["expect"],
      "an agent that does nothing passes this case: it has negative checks only",
      hint,
    );
  }
}

function checkSkills(look: Inspection): void {
  const { skills, expect } = look.case;
  const load = expect.skills?.load ?? [];
  const avoid = expect.skills?.avoid ?? [];
  load.forEach((name, at) => {
    const path = ["expect", "skills", "load", at];
    if (avoid.includes(name))
      look.error("contradiction", path, `${JSON.stringify(name)} stands in load and in avoid`);
    const enabled = skills === "all" || (skills !== "none" && skills.includes(name));
    if (!enabled) {
      const message = `${JSON.stringify(name)} is expected to be loaded but not enabled by skills: ${JSON.stringify(skills)}`;
      look.error("contradiction", path, message);
    }
  });
  if (expect.skills !== undefined && load.length + avoid.length === 0) {
    look.error(
      "empty-check",
      ["expect", "skills"],
      "the skill expectation is empty: it has no load or avoid",
    );
  }
}

function checkCallsAgainstForbidden(look: Inspection): void {
  const { calls = [], forbid = [] } = look.case.expect.tools ?? {};
  const never = new Set(
    forbid.flatMap((rule) =>
      typeof rule === "string" ? [rule] : rule.args === undefined ? [rule.name] : [],
    ),
  );
  calls.forEach(({ name }, at) => {
    if (never.has(name)) {
      look.error(
        "contradiction",
        ["expect", "tools", "calls", at],
        `${JSON.stringify(name)} is expected and forbidden`,
      );
    }
  });
}

/** `calls: []` says "no calls" under strict, unordered and subset, and nothing under the others. */
function saysNothing({ calls, forbid, before, match }: ToolExpectation): boolean {
  const wantsNone =
    calls !== undefined &&
    (calls.length > 0 || match === "strict" || match === "unordered" || match === "subset");
  return !wantsNone && forbid.length === 0 && before.length === 0;
}

function canNeverFail({ expect, world }: Case): boolean {
  const calls = expect.tools?.calls ?? [];
  const mode = expect.tools?.match ?? "superset";
  if (calls.length > 0 && mode !== "subset") return false;
  if ((expect.skills?.load ?? []).length > 0) return false;
  return !(expect.completion ?? []).some((check) => asksForSomething(check, world.files));
}
