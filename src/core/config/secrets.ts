import { type Problem, warning } from "../nouns/problem.ts";
import { type SettingPath, settingName } from "./keys.ts";
import type { Env, Pick } from "./pick.ts";
import { byText } from "../text/order.ts";
import { namesVariable, substitute } from "./substitute.ts";

/** Settings whose values are never written anywhere. */
const SECRETS = ["api-key", "judge.api-key", "headers"];
const SECRET_HEADER = /authorization|cookie|key|token|secret|password/i;

/** Whether a setting is masked wherever it is written. */
export function isSecret(path: SettingPath): boolean {
  return SECRETS.includes(settingName(path));
}

/**
 * The headers that a config file spells out and that hold no secret by their name: what they say may change a reply.
 * Those filled from the environment are the machine's own, and left out. Names in lower case, sorted.
 */
export function openHeaders(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== "object" || headers === null) return {};
  const open = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value !== "string" || namesVariable(value) || SECRET_HEADER.test(name)
      ? []
      : [[name.toLowerCase(), value]],
  );
  return Object.fromEntries(open.sort(([a], [b]) => byText(a, b)));
}

/** `***` for a secret, names alone for headers, null for none. */
export function maskedValue(value: unknown): unknown {
  if (typeof value === "string") return "***";
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(Object.keys(value).map((name) => [name, "***"]));
}

/**
 * Fills `${NAME}` in headers and keys of the file; everywhere else it stays as it is, with a warning. Values whose
 * variable is missing are left out. A secret written into the file itself is warned about.
 */
export function fillSecrets(
  picks: readonly Pick[],
  input: { readonly env: Env; readonly secrets: boolean },
  problems: Problem[],
): Pick[] {
  return picks.flatMap((pick) => {
    if (pick.from !== "file") return [pick];
    if (!isSecret(pick.path)) {
      if (typeof pick.value === "string" && namesVariable(pick.value)) problems.push(notFilled(pick));
      return [pick];
    }
    const value = fillValue(pick, input, problems);
    return value === null ? [] : [{ ...pick, value }];
  });
}

function fillValue(
  pick: Pick,
  input: { readonly env: Env; readonly secrets: boolean },
  problems: Problem[],
): unknown {
  if (typeof pick.value === "string") return fillOne(pick.value, "", pick, input, problems);
  if (typeof pick.value !== "object" || pick.value === null) return pick.value;
  const filled = Object.entries(pick.value).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== "string") return [[name, value]];
    const text = fillOne(value, name, pick, input, problems);
    return text === null ? [] : [[name, text]];
  });
  return Object.fromEntries(filled);
}

function fillOne(
  text: string,
  header: string,
  pick: Pick,
  input: { readonly env: Env; readonly secrets: boolean },
  problems: Problem[],
): string | null {
  const key = header === "" ? settingName(pick.path) : `headers.${header}`;
  const where = { ...pick.where, key };
  if (!namesVariable(text) && (header === "" || SECRET_HEADER.test(header))) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the user is to type
    const hint = "write ${NAME} and put the value into the environment";
    problems.push(warning("secret-in-file", where, "a secret stands in the config itself", hint));
  }
  return substitute(text, input.env, where, input.secrets, problems);
}

function notFilled(pick: Pick): Problem {
  return warning(
    "not-filled",
    pick.where,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the user typed
    "${NAME} is filled in headers and keys only; here it stays as it is written",
    `set ${settingName(pick.path)} by its flag or EVALKIT_* variable instead`,
  );
}
