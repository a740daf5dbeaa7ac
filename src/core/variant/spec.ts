import { sameName } from "../text/same-name.ts";
import { fail } from "../nouns/problem.ts";
import { DELIVERIES, type Delivery, type Suffix, type VariantSpec } from "../nouns/variant.ts";
import { checkLayerPath } from "../prompt/layer-paths.ts";
import { didYouMean } from "../text/nearest.ts";

const SUFFIXES = ["skill", "only-skill", "delivery", "layer", "model"] as const;
/** A `+` opens a suffix only before one of these words and a colon, which no git ref may hold: `feature/c++` is a ref. */
const SUFFIX_START = /\+(?=(?:skill|only-skill|delivery|layer|model):)/;
const UNKNOWN_SUFFIX = /\+([A-Za-z][A-Za-z-]*):/;
const EXAMPLE = "write a branch, tag or sha, worktree, or dir:PATH, such as main+skill:web-access=off";

/**
 * Takes apart what the user typed after `--baseline` or `--candidate`: a git revision, `worktree` or `dir:PATH`, then
 * any number of suffixes. Throws InputError for an empty base, an unknown suffix, or suffixes that contradict each other.
 */
export function parseVariantSpec(text: string): VariantSpec {
  const [base = "", ...parts] = text.split(SUFFIX_START);
  const suffixes = parts.map((part) => parseSuffix(text, part));
  refuseContradictions(text, suffixes);
  return { text, base: parseBase(text, base.trim()), suffixes };
}

function parseBase(text: string, base: string): VariantSpec["base"] {
  const unknown = UNKNOWN_SUFFIX.exec(base)?.[1];
  if (unknown !== undefined) {
    bad(
      text,
      `+${unknown}: is no suffix of a variant.${didYouMean(unknown, SUFFIXES)}`,
      `suffixes are ${SUFFIXES.map((name) => `+${name}:`).join(", ")}`,
    );
  }
  if (base === "") bad(text, "a variant is missing its base", EXAMPLE);
  if (/[\u0000-\u001f\u007f]/.test(base)) bad(text, "a variant may not hold control characters", EXAMPLE);
  if (base === "worktree") return { kind: "worktree" };
  if (base.startsWith("dir:")) {
    const path = base.slice("dir:".length);
    return path === "" ? bad(text, "dir: names no folder", "write dir:PATH") : { kind: "dir", path };
  }
  if (base.startsWith("-")) bad(text, "a git revision can't begin with -", EXAMPLE);
  return { kind: "git", rev: base };
}

function parseSuffix(text: string, part: string): Suffix {
  const colon = part.indexOf(":");
  const kind = part.slice(0, colon);
  const value = part.slice(colon + 1).trim();
  if (value === "") bad(text, `+${kind}: has no value`, SUFFIX_FORMS);
  switch (kind) {
    case "skill":
      return skillSuffix(text, value);
    case "only-skill":
      return { kind, name: sameName(value) };
    case "delivery":
      return { kind, delivery: deliveryOf(text, value) };
    case "layer":
      return layerSuffix(text, value);
    default:
      return { kind: "model", model: value };
  }
}

const SUFFIX_FORMS =
  "suffixes are +skill:NAME=off, +skill:NAME=on, +only-skill:NAME, +delivery:MODE, +layer:PATH=VARIANT, +model:NAME";

function skillSuffix(text: string, value: string): Suffix {
  const equals = value.lastIndexOf("=");
  const state = value.slice(equals + 1);
  if (equals < 1 || (state !== "on" && state !== "off")) {
    bad(
      text,
      `+skill:${value} doesn't say on or off`,
      `write +skill:${value.slice(0, equals < 1 ? undefined : equals)}=off or =on`,
    );
  }
  return { kind: "skill", name: sameName(value.slice(0, equals)), on: state === "on" };
}

function deliveryOf(text: string, value: string): Delivery {
  const delivery = DELIVERIES.find((name) => name === value);
  return (
    delivery ??
    bad(
      text,
      `+delivery:${value} is no delivery.${didYouMean(value, DELIVERIES)}`,
      `deliveries are ${DELIVERIES.join(", ")}`,
    )
  );
}

function layerSuffix(text: string, value: string): Suffix {
  const equals = value.indexOf("=");
  const path = value.slice(0, Math.max(0, equals));
  const variant = value.slice(equals + 1);
  if (equals < 1 || variant === "")
    bad(text, `+layer:${value} names no other variant`, "write +layer:base.md=VARIANT");
  checkLayerPath(path, { key: text });
  // Checks the other variant's base by the same rules; being one part of this text it can have no suffixes.
  parseBase(text, variant);
  return { kind: "layer", path, variant };
}

function refuseContradictions(text: string, suffixes: readonly Suffix[]): void {
  const seen = new Map<string, string>();
  for (const suffix of suffixes) {
    const subject = subjectOf(suffix);
    const said = JSON.stringify(suffix);
    const before = seen.get(subject);
    if (before !== undefined && before !== said)
      bad(text, `${subject} is set twice, to different values`, "keep one of them");
    seen.set(subject, said);
  }
}

function subjectOf(suffix: Suffix): string {
  if (suffix.kind === "skill") return `+skill:${suffix.name}`;
  return suffix.kind === "layer" ? `+layer:${suffix.path}` : `+${suffix.kind}:`;
}

function bad(text: string, message: string, hint: string): never {
  return fail("bad-variant", {}, `variant ${JSON.stringify(text)}: ${message}`, hint);
}
