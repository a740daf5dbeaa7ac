import { sameName } from "../../core/text/same-name.ts";
import { type Problem, InputError, problem } from "../../core/nouns/problem.ts";
import type { Case } from "../../core/nouns/case.ts";
import { ARMS, type Arm } from "../../core/nouns/score.ts";
import type { Role } from "../../core/nouns/variant.ts";
import { PLACEHOLDERS } from "../../core/prompt/placeholders.ts";
import { skillsFor } from "../../core/skill/select.ts";
import type { Digest } from "../../run/ports.ts";
import { ROLES_OF_MODE } from "../../run/preflight.ts";
import { type Prompt, promptFor } from "../../run/prompts.ts";
import { toolSpecsFor } from "../../run/tools/offered.ts";
import type { Variants } from "./arms.ts";

/** What is known of a run before its first model call. */
export interface Preflight {
  /** Digest of the tool list that each case is given, by arm and case id. */
  readonly tools: Readonly<Record<Arm, Record<string, string>>>;
  /** Assembled system prompts by digest. */
  readonly texts: Readonly<Record<string, string>>;
  readonly warnings: readonly Problem[];
}

/**
 * Assembles every prompt and tool list that the run will need, so that whatever is wrong with them is told before
 * anything is paid. Throws InputError with all faults, each told once.
 */
export function preflight(cases: readonly Case[], arms: Variants, digest: Digest): Preflight {
  const found = new Map<string, Problem>();
  const texts: Record<string, string> = {};
  // A case may be called __proto__: maps, and objects only at the end.
  const tools = { baseline: new Map<string, string>(), candidate: new Map<string, string>() };
  const toolsDigest = toolDigests(arms, digest);
  const note = (item: Problem): void => void found.set(JSON.stringify(item), item);
  for (const arm of ARMS) {
    for (const item of cases) {
      for (const prompt of promptsOf(arms, arm, item, digest, note)) texts[prompt.digest] = prompt.text;
      tools[arm].set(item.id, toolsDigest(item, arm));
    }
  }
  for (const item of unknownSkills(cases, arms)) note(item);
  const problems = [...found.values()];
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new InputError(errors);
  return {
    tools: { baseline: Object.fromEntries(tools.baseline), candidate: Object.fromEntries(tools.candidate) },
    texts,
    warnings: problems,
  };
}

/** Digests of tool lists; most cases name the same tools. */
function toolDigests(arms: Variants, digest: Digest): (item: Case, arm: Arm) => string {
  const known = new Map<string, string>();
  return (item, arm) => {
    const key = JSON.stringify([arm, item.tools ?? null]);
    const made = known.get(key) ?? digest(JSON.stringify(toolSpecsFor(item, arms[arm])));
    known.set(key, made);
    return made;
  };
}

function promptsOf(
  arms: Variants,
  arm: Arm,
  item: Case,
  digest: Digest,
  note: (item: Problem) => void,
): Prompt[] {
  const { approval, context, handoff } = item;
  const skills = skillsFor(arms[arm], item.skills);
  return ROLES_OF_MODE[item.mode].flatMap((role) => {
    try {
      const input = { role, approval, context, handoff, skills, values: samples(role) };
      const prompt = promptFor(arms[arm], input, digest);
      prompt.notes.forEach(note);
      return [prompt];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      error.problems.forEach(note);
      return [];
    }
  });
}

/** Stand-ins for what a mode file's placeholders are filled with once the trial runs. */
function samples(role: Role): Readonly<Record<string, string>> {
  return Object.fromEntries(PLACEHOLDERS[role].map((name) => [name, `<${name}>`]));
}

/**
 * A skill that a case enables or expects by name and no arm has can never be loaded: a misspelt name, or a file that was
 * refused. One that only one arm has is what is measured.
 */
function unknownSkills(cases: readonly Case[], arms: Variants): Problem[] {
  const known = new Set(ARMS.flatMap((arm) => arms[arm].skills.map(({ name }) => name)));
  const hint = `the arms have: ${[...known].sort().join(", ") || "no skills"}`;
  return cases.flatMap(({ id, source, skills, expect }) => {
    const unknown = (key: string, verb: string, names: readonly string[]): Problem[] =>
      names
        .filter((name) => !known.has(sameName(name)))
        .map((name) => {
          const message = `case ${id} ${verb} the skill ${JSON.stringify(name)}, which neither arm has`;
          return problem("unknown-skill", { file: source.file, line: source.line, key }, message, hint);
        });
    return [
      ...unknown("expect.skills.load", "expects", expect.skills?.load ?? []),
      ...unknown("skills", "enables", Array.isArray(skills) ? skills : []),
    ];
  });
}
