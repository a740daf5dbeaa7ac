import { structuredPatch } from "diff";
import type { ArmRecord, RunRecord } from "../nouns/run.ts";

/** What became of one layer or skill between the arms, as data for every report. All texts are untrusted. */
export interface TextChange {
  readonly kind: "layer" | "skill";
  /** Path of the layer, name of the skill. */
  readonly name: string;
  /** The file, of the candidate where it has one. */
  readonly file: string;
  readonly what: "added" | "removed" | "changed";
  /** What changed beside the text: tier, description, enabled or not, files beside SKILL.md. */
  readonly notes: readonly string[];
  /** Lines of a unified diff, headers of hunks included; empty where the text is the same. */
  readonly patch: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** Lines of the diff that were left out. */
  readonly leftOut: number;
}

/** More lines than these of one diff tell nobody more. */
const SHOWN_LINES = 120;
/** Edits beyond which the texts are called different as a whole: finding them would cost more than it tells. */
const MAX_EDITS = 2000;
const CONTEXT = 3;

/** Layers and skills that differ between the arms: layers first, each by name. Empty for a run of one arm. */
export function textChanges(record: RunRecord): TextChange[] {
  const { baseline, candidate } = record.arms;
  if (baseline === null || candidate === null) return [];
  return [...layerChanges(record, baseline, candidate), ...skillChanges(record, baseline, candidate)];
}

function layerChanges(record: RunRecord, before: ArmRecord, after: ArmRecord): TextChange[] {
  return pairs(before.layers, after.layers, (layer) => layer.path).flatMap(({ name, left, right }) => {
    if (left?.digest === right?.digest && left?.tier === right?.tier) return [];
    const notes = noted("tier", left?.tier, right?.tier);
    const diff = diffOf(textOf(record, left?.digest), textOf(record, right?.digest));
    return [
      {
        kind: "layer" as const,
        name,
        file: (right ?? left)?.file ?? name,
        what: what(left, right),
        notes,
        ...diff,
      },
    ];
  });
}

function skillChanges(record: RunRecord, before: ArmRecord, after: ArmRecord): TextChange[] {
  return pairs(before.skills, after.skills, (skill) => skill.name).flatMap(({ name, left, right }) => {
    const notes = [
      ...noted("tier", left?.tier, right?.tier),
      ...noted("description", left?.description, right?.description),
      ...noted("state", stateOf(left), stateOf(right)),
    ];
    if (left?.digest === right?.digest && notes.length === 0) return [];
    const sameText = left?.bodyDigest === right?.bodyDigest;
    const besides =
      sameText && notes.length === 0 ? ["header or files beside SKILL.md changed; the body is the same"] : [];
    const diff = diffOf(textOf(record, left?.bodyDigest), textOf(record, right?.bodyDigest));
    const file = (right ?? left)?.file ?? name;
    return [
      { kind: "skill" as const, name, file, what: what(left, right), notes: [...notes, ...besides], ...diff },
    ];
  });
}

function pairs<T>(before: readonly T[], after: readonly T[], nameOf: (item: T) => string) {
  const left = new Map(before.map((item) => [nameOf(item), item]));
  const right = new Map(after.map((item) => [nameOf(item), item]));
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.map((name) => ({ name, left: left.get(name), right: right.get(name) }));
}

function what(left: unknown, right: unknown): TextChange["what"] {
  return left === undefined ? "added" : right === undefined ? "removed" : "changed";
}

function noted(what: string, before: string | undefined, after: string | undefined): string[] {
  return before === undefined || after === undefined || before === after
    ? []
    : [`${what}: ${before} → ${after}`];
}

function stateOf(skill: ArmRecord["skills"][number] | undefined): string | undefined {
  return skill === undefined ? undefined : skill.enabled ? "enabled" : "disabled";
}

function textOf(record: RunRecord, digest: string | undefined): string {
  return digest !== undefined && Object.hasOwn(record.texts, digest) ? (record.texts[digest] ?? "") : "";
}

type Diff = Pick<TextChange, "patch" | "added" | "removed" | "leftOut">;

function diffOf(before: string, after: string): Diff {
  if (before === after) return { patch: [], added: 0, removed: 0, leftOut: 0 };
  const found = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT,
    maxEditLength: MAX_EDITS,
  });
  const lines =
    found?.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...own,
    ]) ?? wholly(before, after);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const leftOut = Math.max(0, lines.length - SHOWN_LINES);
  return { patch: lines.slice(0, SHOWN_LINES), added: count("+"), removed: count("-"), leftOut };
}

/** Texts that have next to nothing in common. */
function wholly(before: string, after: string): string[] {
  const lines = (sign: string, text: string) =>
    text === "" ? [] : text.split("\n").map((line) => `${sign}${line}`);
  return [...lines("-", before), ...lines("+", after)];
}
