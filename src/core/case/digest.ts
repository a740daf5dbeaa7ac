import type { Case } from "../nouns/case.ts";

/** JSON with sorted keys: equal data gives equal text. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}

/** Digest of all that a case says, wherever it is written; files of its world included. */
export function caseDigest(one: Case, digest: (text: string) => string): string {
  const { source: _, ...content } = one;
  return digest(canonicalJson(content));
}
