/** Ids of cases by what became of them between the baseline's own commit and the cases in use. */
export interface CaseChanges {
  removed: string[];
  changed: string[];
  added: string[];
}

/** Compares case digests by id. Order: by id, UTF-16 code units. */
export function caseChanges(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): CaseChanges {
  const changes: CaseChanges = { removed: [], changed: [], added: [] };
  for (const [id, digest] of before) {
    const today = now.get(id);
    if (today === undefined) changes.removed.push(id);
    else if (today !== digest) changes.changed.push(id);
  }
  for (const id of now.keys()) if (!before.has(id)) changes.added.push(id);
  for (const ids of [changes.removed, changes.changed, changes.added]) ids.sort();
  return changes;
}
