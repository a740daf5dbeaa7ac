import { sameName } from "../text/same-name.ts";
import * as z from "zod";
import { fail } from "../nouns/problem.ts";
import { messageOf } from "../text/thrown.ts";

/** `<tierDir>/skills.json`: which skills are disabled for a project. Everything else is enabled. */
const SkillState = z.strictObject({ disabled: z.array(z.string()).default([]) });

/** Names that are disabled. Throws InputError naming the file when it is no such JSON. */
export function parseSkillState(file: string, text: string): readonly string[] {
  const hint = 'expected {"disabled": ["name"]}; evalkit skills on|off NAME writes it';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    return fail("skill-state", { file }, `the skill state is no JSON: ${reason}`, hint);
  }
  const parsed = SkillState.safeParse(value);
  if (parsed.success) return parsed.data.disabled.map(sameName);
  const issue = parsed.error.issues[0];
  return fail(
    "skill-state",
    { file },
    `the skill state can't be read: ${issue?.message ?? "wrong shape"}`,
    hint,
  );
}

/** The file's text with one skill switched on or off; names stand sorted, once each. */
export function changeSkillState(disabled: readonly string[], name: string, on: boolean): string {
  const names = new Set(disabled);
  if (on) names.delete(name);
  else names.add(name);
  return `${JSON.stringify({ disabled: [...names].sort() }, null, 2)}\n`;
}
