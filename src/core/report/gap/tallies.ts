import type { Case } from "../../nouns/case.ts";
import { type Arm, ARMS } from "../../nouns/score.ts";
import type { ReportInput, TrialCell } from "../input.ts";
import { count } from "../../text/count.ts";

/** A case's trials of one arm by how they went. `unknown`: broken, or no check says; `openFailed` of those: a check failed all the same. */
export interface CaseTally {
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
  readonly openFailed: number;
}

/** Both arms of one case. */
export interface CaseTallies extends Readonly<Record<Arm, CaseTally>> {
  readonly id: string;
  readonly definition: Case | null;
}

const NONE: CaseTally = { passed: 0, failed: 0, unknown: 0, openFailed: 0 };

/** One entry a case of the run, by id. */
export function caseTallies({ record, trials, summary }: ReportInput): readonly CaseTallies[] {
  const definitions = new Map(record.cases.map((entry) => [entry.id, entry.case]));
  const counted = new Map<string, CaseTally>();
  for (const trial of trials) {
    const key = keyOf(trial.case, trial.arm);
    counted.set(key, add(counted.get(key) ?? NONE, trial));
  }
  const of = (id: string, arm: Arm): CaseTally => counted.get(keyOf(id, arm)) ?? NONE;
  return summary.cases.map(({ id }) => ({
    ...{ id, definition: definitions.get(id) ?? null },
    ...{ baseline: of(id, ARMS[0]), candidate: of(id, ARMS[1]) },
  }));
}

function keyOf(id: string, arm: Arm): string {
  return `${arm} ${id}`;
}

function add(tally: CaseTally, { passed, openFailed }: TrialCell): CaseTally {
  const more = (openFailed ?? 0) > 0 ? 1 : 0;
  if (passed === null) return { ...tally, unknown: tally.unknown + 1, openFailed: tally.openFailed + more };
  return passed ? { ...tally, passed: tally.passed + 1 } : { ...tally, failed: tally.failed + 1 };
}

/** `2 of 3 pass`, with the trials that say nothing apart. */
export function tallyWords({ passed, failed, unknown, openFailed }: CaseTally): string {
  const known = passed + failed;
  const among = openFailed === 0 ? "" : ` (a check failed in ${openFailed})`;
  const rest = unknown === 0 ? "" : `, ${count(unknown, "trial")} without a verdict${among}`;
  return known === 0 ? `no data${rest}` : `${passed} of ${known} pass${rest}`;
}
