import type { Delivery, Profile } from "../nouns/variant.ts";
import { BUFFER_CAPACITY } from "./buffer.ts";

/** What became of a `load_skill(name)` call. `available` lists the enabled skills. */
export type LoadOutcome =
  | {
      readonly kind: "loaded";
      readonly name: string;
      readonly body: string;
      /** The skill that left the buffer to make room; null with the other deliveries. */
      readonly evicted: string | null;
    }
  | { readonly kind: "unknown"; readonly name: string; readonly available: readonly string[] }
  | { readonly kind: "disabled"; readonly name: string; readonly available: readonly string[] };

/** The tool result of `load_skill` as the model reads it. Unknown and disabled names are results, never exceptions. */
export function loadResult(profile: Profile, delivery: Delivery, outcome: LoadOutcome): string {
  if (outcome.kind === "loaded") return loadedText(delivery, outcome);
  const { name } = outcome;
  if (profile === "two-layer") {
    const available = [...outcome.available].sort().join(", ");
    return `Error: Unknown skill '${name}'. Available skills: ${available === "" ? "(none)" : available}`;
  }
  return outcome.kind === "unknown"
    ? `Skill '${name}' not found. /skill list shows the available skills.`
    : `Skill '${name}' is disabled. /skill on ${name} enables it.`;
}

function loadedText(delivery: Delivery, outcome: Extract<LoadOutcome, { kind: "loaded" }>): string {
  const { name, evicted } = outcome;
  switch (delivery) {
    case "tool-result":
      return wrapSkill(name, outcome.body);
    case "system-prompt":
      return `Skill '${name}' is in the system prompt already.`;
    case "next-user-message": {
      const confirmed = `Skill '${name}' is loaded. Its text comes with the next user message, under "## Loaded skill: ${name}".`;
      return evicted === null
        ? confirmed
        : `${confirmed} Skill '${evicted}' was dropped: at most ${BUFFER_CAPACITY} are held.`;
    }
  }
}

/** `<skill name="NAME">`, the body, `</skill>`, each on lines of its own. */
export function wrapSkill(name: string, body: string): string {
  const escaped = name.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<skill name="${escaped}">\n${body.trim()}\n</skill>`;
}
