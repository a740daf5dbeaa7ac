import { type Problem, problem } from "../nouns/problem.ts";
import type { ScoreRow } from "../human/score-row.ts";
import { DIMENSIONS } from "./columns.ts";
import type { PlacedScore } from "./import.ts";
import { isPair, type SheetKey } from "./key.ts";
import { byText } from "../text/order.ts";

/** Scores after an import, and the rows that can't be taken. */
export interface Merged {
  readonly rows: readonly ScoreRow[];
  readonly problems: readonly Problem[];
  /** Rows of this import that brought something new or other. */
  readonly changed: number;
}

const FIELDS = [...DIMENSIONS, "preferred"] as const;

function rowId(row: ScoreRow): string {
  return JSON.stringify([row.rater, row.item]);
}

/**
 * Joins new scores to those at hand. An empty cell never takes a score away, so two halves of a sheet add up and the
 * same file twice changes nothing. A score that contradicts another of the same file or rater is refused; one that
 * contradicts an earlier import takes its place only with `replace`. Notes that differ are kept both.
 */
export function mergeScores(
  before: readonly ScoreRow[],
  incoming: readonly PlacedScore[],
  options: { readonly replace: boolean },
): Merged {
  const fresh = new Map<string, PlacedScore>();
  const refused = new Set<string>();
  const problems: Problem[] = [];
  for (const placed of incoming) {
    const id = rowId(placed.row);
    const other = fresh.get(id);
    if (other !== undefined && contradict(other.row, placed.row)) {
      refused.add(id);
      problems.push(twiceProblem(placed, other));
    } else fresh.set(id, other === undefined ? placed : { ...placed, row: joined(other.row, placed.row) });
  }
  const rows = new Map(before.map((row) => [rowId(row), row]));
  let changed = 0;
  for (const [id, placed] of fresh) {
    if (refused.has(id)) continue;
    const old = rows.get(id);
    if (old !== undefined && contradict(old, placed.row) && !options.replace) {
      problems.push(changedProblem(placed, old));
      continue;
    }
    const next = old === undefined ? placed.row : joined(old, placed.row);
    if (old === undefined || JSON.stringify(old) !== JSON.stringify(next)) changed += 1;
    rows.set(id, next);
  }
  return { rows: sorted([...rows.values()]), problems, changed };
}

/** Items of a rater's sheet that the rater's files don't show are not scored yet: they are rows without scores. */
export function withUnscored(rows: readonly ScoreRow[], key: SheetKey): readonly ScoreRow[] {
  const there = new Set(rows.map(rowId));
  const raters = new Set(rows.map((row) => row.rater));
  const missing = [...raters].flatMap((rater) =>
    (key.order?.[rater] ?? []).flatMap((item, at): ScoreRow[] => {
      const what = key.items[item];
      if (what === undefined) return [];
      const place = { item, case: what.case, trial: what.trial, rater, position: at + 1 };
      const arms = { arm: isPair(what) ? null : what.arm, left: isPair(what) ? what.left : null };
      const none = { accuracy: null, completeness: null, safety: null, preferred: null, note: "" };
      const row = { ...place, ...arms, ...none, repeatOf: what.repeatOf ?? null };
      return there.has(rowId(row)) ? [] : [row];
    }),
  );
  return sorted([...rows, ...missing]);
}

function contradict(a: ScoreRow, b: ScoreRow): boolean {
  return FIELDS.some((field) => a[field] !== null && b[field] !== null && a[field] !== b[field]);
}

/** The second row over the first; nulls don't count. */
function joined(a: ScoreRow, b: ScoreRow): ScoreRow {
  return {
    ...a,
    accuracy: b.accuracy ?? a.accuracy,
    completeness: b.completeness ?? a.completeness,
    safety: b.safety ?? a.safety,
    preferred: b.preferred ?? a.preferred,
    note: joinedNote(a.note, b.note),
  };
}

function joinedNote(a: string, b: string): string {
  if (a.includes(b)) return a;
  return b.includes(a) ? b : `${a}\n${b}`;
}

function twiceProblem(placed: PlacedScore, other: PlacedScore): Problem {
  const { row, file, line } = placed;
  const place = other.file === file ? `line ${other.line}` : `${other.file}:${other.line}`;
  const message = `item ${row.item} was scored twice by ${row.rater} with different scores: ${words(row)} here, ${words(other.row)} in ${place}`;
  return problem(
    "scored-twice",
    { file, line },
    message,
    "keep the row that is meant and empty the other's scores",
  );
}

function changedProblem({ row, file, line }: PlacedScore, old: ScoreRow): Problem {
  const message = `item ${row.item} was imported from ${row.rater} before with ${words(old)}, and is ${words(row)} now`;
  return problem("score-changed", { file, line }, message, "give --replace if this is a correction");
}

function words(row: ScoreRow): string {
  return FIELDS.filter((field) => row[field] !== null)
    .map((field) => `${field} ${row[field]}`)
    .join(", ");
}

/** By rater, then place on the sheet, then item: the file is the same whatever came first. */
function sorted(rows: ScoreRow[]): ScoreRow[] {
  const place = (row: ScoreRow): number => row.position ?? Number.MAX_SAFE_INTEGER;
  return rows.sort((a, b) => byText(a.rater, b.rater) || place(a) - place(b) || byText(a.item, b.item));
}
