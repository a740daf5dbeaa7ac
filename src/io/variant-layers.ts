import { InputError, type Problem, problem, warning } from "../core/nouns/problem.ts";
import type { Layer } from "../core/nouns/variant.ts";
import { BASE } from "../core/prompt/layer-paths.ts";
import { isBelow, resolvePath } from "../core/variant/tree.ts";
import { sha256 } from "./digest.ts";
import { textOf } from "./tree.ts";
import type { OpenedBase, TierSource } from "./variant-tiers.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { byText } from "../core/text/order.ts";

/** Layers by the rule "whole file, highest tier wins", sorted by path, and warnings. */
export interface ReadLayers {
  readonly layers: readonly Layer[];
  readonly notes: readonly Problem[];
}

/**
 * Reads the wanted layers through the tiers. Throws InputError listing every fault: a file that is no readable text,
 * a link out of its tier, an empty override, a missing base.md. A refused file is never skipped to a lower tier.
 */
export async function readLayers(opened: OpenedBase, wanted: readonly string[]): Promise<ReadLayers> {
  const errors: Problem[] = [];
  const byPath = new Map<string, Layer>();
  for (const tier of opened.tiers) {
    for (const layer of await readTier(tier, wanted, errors)) {
      const lower = byPath.get(layer.path);
      byPath.set(
        layer.path,
        lower === undefined ? layer : { ...layer, replaces: [...lower.replaces, lower.file] },
      );
    }
  }
  if (errors.length === 0 && wanted.includes(BASE) && !byPath.has(BASE)) errors.push(missingBase(opened));
  if (errors.length > 0) throw new InputError(errors);
  const layers = [...byPath.values()].sort((a, b) => byText(a.path, b.path));
  return { layers, notes: opened.tiers.flatMap((tier) => unknownLayers(tier, wanted)) };
}

async function readTier(tier: TierSource, wanted: readonly string[], errors: Problem[]): Promise<Layer[]> {
  const sources = new Map<string, string>();
  for (const path of wanted) {
    const file = `${tier.prompts}/${path}`;
    const resolved = resolvePath(tier.entries, file, tier.promptRoot);
    if (resolved.kind === "file") sources.set(path, resolved.path);
    else if (resolved.kind === "refused")
      errors.push(problem(resolved.code, { file: tier.name(file) }, `the layer ${path} ${resolved.reason}`));
  }
  const contents = await tier.tree.read([...new Set(sources.values())]);
  const layers: Layer[] = [];
  for (const [path, source] of sources) {
    const file = `${tier.prompts}/${path}`;
    const text = textOf(contents.get(source));
    const refuse = (code: string, reason: string, hint?: string) =>
      errors.push(problem(code, { file: tier.name(file) }, `the layer ${path} ${reason}`, hint));
    if (!text.ok) refuse(text.code, text.reason, text.hint);
    else if (text.text.trim() === "" && (tier.tier !== "builtin" || path === BASE)) {
      refuse(
        "empty-layer",
        "is empty",
        tier.tier === "builtin"
          ? undefined
          : "write the override's text, or delete the file to use the lower tier",
      );
    } else layers.push(layerOf(tier, path, file, text.text));
  }
  return layers;
}

function layerOf(tier: TierSource, path: string, file: string, text: string): Layer {
  const bytes = Buffer.byteLength(text);
  return { path, tier: tier.tier, file: tier.show(file), replaces: [], text, bytes, digest: sha256(text) };
}

function missingBase(opened: OpenedBase): Problem {
  const looked = opened.tiers.map((tier) => tier.show(`${tier.prompts}/${BASE}`)).reverse();
  return problem(
    "missing-layer",
    { file: opened.tiers[0]?.name(`${opened.tiers[0].prompts}/${BASE}`) ?? BASE },
    `the layer base.md is missing in ${opened.label}; looked for ${looked.join(", ")}`,
    "evalkit init puts a starter into a repository; prompts: and tierDir: in evalkit.yaml name other folders",
  );
}

/** Markdown files that no prompt is made of: a mistyped folder would otherwise go unnoticed. */
function unknownLayers(tier: TierSource, wanted: readonly string[]): Problem[] {
  return [...tier.entries.keys()].flatMap((file) => {
    const path = file.slice(tier.prompts.length + 1);
    const other = !isBelow(file, tier.prompts) || !path.endsWith(".md") || wanted.includes(path);
    if (other || path.startsWith("personalities/") || /^readme\.md$/i.test(path)) return [];
    return [
      warning(
        "unused-file",
        { file: tier.name(file) },
        `${path} is no layer and is never read.${didYouMean(path, wanted)}`,
      ),
    ];
  });
}
