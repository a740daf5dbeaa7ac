import { inertLine } from "../core/report/escape.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Whether what is printed is read by a runner that takes some lines for commands (GitHub, Azure, TeamCity). */
export function isReadByRunner(env: Env): boolean {
  return [env.GITHUB_ACTIONS, env.TF_BUILD, env.TEAMCITY_VERSION].some(
    (value) => value !== undefined && value !== "" && value.toLowerCase() !== "false",
  );
}

/**
 * A printed text in which nothing speaks to a runner, whoever wrote it: `::name::` at the start of a line, `##[name]` and
 * `##vso[…]` anywhere. JSON stays JSON of the same values.
 */
export function inertText(text: string): string {
  const commands = /##(?=\w*\[)/g;
  if (/^\s*[{[]/.test(text)) return text.replace(commands, "#\\u0023");
  return text.replace(commands, "# ").split("\n").map(inertLine).join("\n");
}
