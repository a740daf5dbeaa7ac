import { formatProblem } from "../nouns/problem.ts";
import type { ArmRecord } from "../nouns/run.ts";
import type { Variant } from "../nouns/variant.ts";

/** What run.json keeps of a variant: digests in the record, texts apart so that both arms share them. */
export interface RecordedArm {
  readonly record: ArmRecord;
  /** Text by digest: layers and skill bodies. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * A variant as run.json keeps it. `tools` holds the digest of the tool list each case was given, by case id;
 * `digest` is `sha256:…` of a text.
 */
export function recordArm(
  variant: Variant,
  tools: Readonly<Record<string, string>>,
  digest: (text: string) => string,
): RecordedArm {
  const texts: Record<string, string> = {};
  const layers = variant.layers.map((layer) => {
    texts[layer.digest] = layer.text;
    const { path, tier, file, bytes } = layer;
    return { path, tier, file, replaces: [...layer.replaces], bytes, digest: layer.digest };
  });
  const skills = variant.skills.map((skill) => {
    const bodyDigest = digest(skill.body);
    texts[bodyDigest] = skill.body;
    const { name, description, tier, file, enabled } = skill;
    return {
      name,
      description,
      tier,
      file,
      replaces: [...skill.replaces],
      enabled,
      digest: skill.digest,
      bodyDigest,
    };
  });
  const record: ArmRecord = {
    variant: variant.label,
    commit: variant.source.kind === "dir" ? null : variant.source.commit,
    dirty: variant.source.kind === "worktree" && variant.source.dirty,
    digest: variant.digest,
    profile: variant.profile,
    delivery: variant.delivery,
    model: variant.model,
    layers,
    skills,
    skillCounts: variant.skillCounts,
    tools,
    notes: variant.notes.map(formatProblem),
  };
  return { record, texts };
}
