/** The key of a trial as one text, for maps and sets. `arm` is null where a row speaks of both, as in pairs. */
export function trialKey(key: {
  readonly case: string;
  readonly arm: string | null;
  readonly trial: number;
}): string {
  return JSON.stringify([key.case, key.arm, key.trial]);
}
