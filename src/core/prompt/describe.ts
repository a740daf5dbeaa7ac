import type { Problem } from "../nouns/problem.ts";
import type { Layer, Skill, Variant } from "../nouns/variant.ts";
import type { AssembledPrompt, PromptInput } from "./assemble.ts";
import { ENCODING } from "./tokens.ts";

/** One layer of an assembled prompt as `evalkit assemble` shows it. */
export interface LayerReport {
  readonly path: string;
  readonly tier: Layer["tier"];
  readonly file: string;
  readonly replaces: readonly string[];
  readonly bytes: number;
  /** Estimate, see `tokenizer`. */
  readonly tokens: number;
  readonly digest: string;
}

/** What `evalkit assemble --json` prints. */
export interface PromptReport {
  readonly schema: "evalkit.prompt/1";
  readonly variant: string;
  readonly source: Variant["source"];
  readonly digest: string;
  readonly profile: Variant["profile"];
  readonly delivery: Variant["delivery"];
  readonly mode: PromptInput["role"];
  readonly approval: PromptInput["approval"];
  readonly tokenizer: { readonly name: string; readonly estimate: true };
  readonly bytes: number;
  readonly tokens: number;
  /** The layers this prompt is made of, in its order. */
  readonly layers: readonly LayerReport[];
  /** Every section in order, generated ones (path null) included. */
  readonly sections: readonly {
    readonly kind: string;
    readonly path: string | null;
    readonly bytes: number;
  }[];
  readonly skills: readonly Pick<Skill, "name" | "tier" | "file" | "replaces" | "enabled" | "digest">[];
  readonly notes: readonly Problem[];
  readonly prompt: string;
}

/** Puts a prompt together with where every part of it comes from. */
export function describePrompt(
  variant: Variant,
  input: PromptInput,
  prompt: AssembledPrompt,
  count: (text: string) => number,
): PromptReport {
  const layers = prompt.sections.flatMap((section) =>
    variant.layers.filter((layer) => layer.path === section.path).map((layer) => layerReport(layer, count)),
  );
  return {
    schema: "evalkit.prompt/1",
    variant: variant.label,
    source: variant.source,
    digest: variant.digest,
    profile: variant.profile,
    delivery: variant.delivery,
    mode: input.role,
    approval: input.approval,
    tokenizer: { name: ENCODING, estimate: true },
    bytes: new TextEncoder().encode(prompt.text).length,
    tokens: count(prompt.text),
    layers,
    sections: prompt.sections,
    skills: input.skills.map(({ name, tier, file, replaces, enabled, digest }) => ({
      name,
      tier,
      file,
      replaces,
      enabled,
      digest,
    })),
    notes: [...variant.notes, ...prompt.notes],
    prompt: prompt.text,
  };
}

function layerReport(layer: Layer, count: (text: string) => number): LayerReport {
  const { path, tier, file, replaces, bytes, digest } = layer;
  return { path, tier, file, replaces, bytes, tokens: count(layer.text), digest };
}

/** Lines under the prompt: per layer its path, tier, bytes, tokens and digest, where it lies and what it replaces. */
export function layerTable(report: PromptReport): string {
  const rows = report.layers.map((layer) => [
    layer.path,
    layer.tier,
    `${layer.bytes} B`,
    `~${layer.tokens}`,
    layer.digest.replace("sha256:", "").slice(0, 12),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0), 0));
  const lines = report.layers.flatMap((layer, at) => {
    const cells = (rows[at] ?? []).map((cell, column) => pad(cell, column, widths[column] ?? 0));
    const replaced = layer.replaces.map((file) => `    replaces ${file}`);
    return [`  ${cells.join("  ").trimEnd()}`, `    from ${layer.file}`, ...replaced];
  });
  return [...lines, total(report)].join("\n");
}

/** Numbers stand right, words left. */
function pad(cell: string, column: number, width: number): string {
  return column === 2 || column === 3 ? cell.padStart(width) : cell.padEnd(width);
}

function total(report: PromptReport): string {
  const generated = report.sections
    .filter((section) => section.path === null)
    .map((section) => `${section.kind} ${section.bytes} B`);
  const beside = generated.length === 0 ? "" : `, with ${generated.join(", ")}`;
  return `  in all ${report.bytes} B, about ${report.tokens} tokens (estimate by ${report.tokenizer.name})${beside}\n  variant ${report.digest}`;
}
