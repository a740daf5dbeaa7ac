import type { Case } from "../nouns/case.ts";
import { type Problem, problem } from "../nouns/problem.ts";
import { compileGlob } from "../text/glob.ts";
import { didYouMean } from "../text/nearest.ts";

/** Which cases are meant. */
export interface Selection {
  /** Files, folders or globs from the project's root; null: the project's case folders and its skills' eval files. */
  readonly paths: readonly string[] | null;
  /** Globs on ids, `*` matches `/` too; one that begins with `!` takes cases out. Empty: all. */
  readonly filters: readonly string[];
  /** Cases with any of these tags. Empty: all. */
  readonly tags: readonly string[];
}

/** Whether a case's id and tags are selected. */
export function isSelected(one: Pick<Case, "id" | "tags">, { filters, tags }: Selection): boolean {
  const wanted = filters.filter((filter) => !filter.startsWith("!"));
  const unwanted = filters.filter((filter) => filter.startsWith("!")).map((filter) => filter.slice(1));
  if (unwanted.some((glob) => matchesId(glob, one.id))) return false;
  if (wanted.length > 0 && !wanted.some((glob) => matchesId(glob, one.id))) return false;
  return tags.length === 0 || tags.some((tag) => one.tags.some((own) => own.normalize() === tag.normalize()));
}

/** File systems and keyboards write `é` in one or in two characters: both are the same here. */
function matchesId(written: string, name: string): boolean {
  const [glob, id] = [written.normalize(), name.normalize()];
  return glob === id || compileGlob(glob, "names")(id);
}

/**
 * Filters that no case answers to, though others are selected: a misspelt id would run fewer cases than were asked for
 * and be green without them. What takes cases out may meet none; tags are a wish for any of them.
 */
export function unmetFilters(cases: readonly Case[], { filters }: Selection): Problem[] {
  const ids = cases.map(({ id }) => id);
  return filters
    .filter((filter) => !filter.startsWith("!") && !ids.some((id) => matchesId(filter, id)))
    .map((filter) =>
      problem(
        "no-such-case",
        { key: "--filter" },
        `no case matches ${JSON.stringify(filter)}.${didYouMean(filter, ids)}`,
        "write it as evalkit list shows it, or leave it out",
      ),
    );
}

/** Why nothing is selected: what was looked for, and what exists. */
export function nothingSelected(cases: readonly Case[], { filters, tags }: Selection): Problem {
  const asked = [
    ...filters.map((filter) => `--filter ${JSON.stringify(filter)}`),
    ...tags.map((tag) => `--tag ${JSON.stringify(tag)}`),
  ].join(", ");
  const ids = cases.map(({ id }) => id).sort();
  const allTags = [...new Set(cases.flatMap((one) => one.tags))].sort();
  const guess = [
    ...filters.map((filter) => didYouMean(filter, ids)),
    ...tags.map((tag) => didYouMean(tag, allTags)),
  ].find((text) => text !== "");
  return problem(
    "no-cases",
    {},
    `none of the ${cases.length} cases matches ${asked}.${guess ?? ""}`,
    `ids: ${shortList(ids)}; tags: ${shortList(allTags)}`,
  );
}

function shortList(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names.slice(0, 8).join(", ");
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
