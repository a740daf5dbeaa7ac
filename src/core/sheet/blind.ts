import type { RunRecord } from "../nouns/run.ts";

/** Replaces in a text what would tell a rater which version made it. */
export type Blind = (text: string) => string;

/** What stands in place of a masked name. */
const MASKS = { model: "[model]", version: "[version]" } as const;
type Mask = keyof typeof MASKS;

/**
 * Masks, wherever a transcript names them: names of the models of both arms (as asked for and as servers report them,
 * `models`), commits (whole and shortened to 7 digits or more), digests, and variant labels. A label that is a plain
 * word (`main`, `worktree`) stays: it cannot be told from the word, and no agent is ever told its label.
 * The same list serves both arms, so that the masks themselves tell nothing.
 */
export function blindFor(run: RunRecord, models: ReadonlySet<string>): Blind {
  const names = new Map<string, Mask>();
  const add = (name: string | null, mask: Mask): void => {
    if (name !== null && name.trim().length > 1) names.set(name.trim(), mask);
  };
  for (const name of [run.model.name, ...models]) addModel(name, add);
  for (const arm of [run.arms.baseline, run.arms.candidate]) {
    if (arm === null) continue;
    addModel(arm.model, add);
    for (const part of [arm.variant, ...arm.variant.split("+")]) if (isTelling(part)) add(part, "version");
    add(arm.digest, "version");
  }
  const commits = [run.arms.baseline?.commit ?? null, run.arms.candidate?.commit ?? null];
  return replacer(
    names,
    commits.filter((commit) => commit !== null),
  );
}

function addModel(name: string | null, add: (name: string | null, mask: Mask) => void): void {
  add(name, "model");
  const last = name?.split("/").at(-1) ?? "";
  if (last.length >= 4 && /[\d-]/.test(last)) add(last, "model");
}

function isTelling(label: string): boolean {
  return label.length >= 4 && !/^\p{L}+$/u.test(label);
}

function replacer(names: ReadonlyMap<string, Mask>, commits: readonly string[]): Blind {
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const masks = new Map([...names].map(([name, mask]) => [name.toLowerCase(), MASKS[mask]]));
  const pattern =
    longestFirst.length === 0
      ? null
      : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${longestFirst.map(quoted).join("|")})(?![\\p{L}\\p{N}_])`, "giu");
  return (text) => {
    const unnamed =
      pattern === null
        ? text
        : text.replace(pattern, (found) => masks.get(found.toLowerCase()) ?? MASKS.version);
    if (commits.length === 0) return unnamed;
    return unnamed.replace(/(?<![\p{L}\p{N}_])[0-9a-f]{7,64}(?![\p{L}\p{N}_])/giu, (found) =>
      commits.some((commit) => commit.startsWith(found.toLowerCase())) ? MASKS.version : found,
    );
  };
}

function quoted(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
