import { field, isObject, list, parseJson, textField } from "../text/json.ts";
import { wellFormed } from "../text/well-formed.ts";

/** What a message says, taken apart. `notes` names what had to be evened out. */
export interface Spoken {
  readonly content: string;
  readonly reasoning: string;
  /** Set where all of the reasoning stood in this field. */
  readonly reasoningField?: "reasoning_content";
  readonly notes: readonly string[];
}

const LEADING = /^\s*<(think|thinking|thought)>([\s\S]*?)(?:<\/\1>\s*|$)/;
const ORPHAN = /^([\s\S]*?)(?<!`)<\/(think|thinking|thought)>\s*/;

/**
 * Content and reasoning of a message. Content may be a string, null, absent or an array of parts; reasoning may stand in
 * `reasoning_content`, `reasoning`, in parts of type `thinking`, or in a `<think>` block that leads the content (its
 * opening tag may be missing, where the chat template wrote it, and its closing tag, where the reply was cut).
 */
export function readContent(message: unknown): Spoken {
  const parts = readParts(field(message, "content"));
  const refusal = textField(message, "refusal");
  const said = parts.content === "" && refusal !== "" ? refusal : parts.content;
  const split = takeThinking(said);
  const named = textField(message, "reasoning_content");
  const reasoning = [named || textField(message, "reasoning"), parts.reasoning, split.reasoning].filter(
    (text) => text !== "",
  );
  const content = wellFormed(split.content);
  return {
    content,
    reasoning: wellFormed(reasoning.join("\n")),
    ...(named !== "" && reasoning.length === 1 ? { reasoningField: "reasoning_content" as const } : {}),
    notes: [
      ...parts.notes,
      ...(content === split.content ? [] : ["half-characters"]),
      ...(refusal === "" ? [] : ["refusal"]),
      ...(split.content === said ? [] : ["reasoning-in-content"]),
    ],
  };
}

/** The text of a string, a part or an array of parts; null and absent are the empty text. */
export function joinParts(value: unknown): string {
  return readParts(value).content;
}

function readParts(value: unknown): Spoken {
  if (typeof value === "string") return { content: value, reasoning: "", notes: [] };
  if (value === null || value === undefined) return { content: "", reasoning: "", notes: [] };
  if (typeof value === "number" || typeof value === "boolean") {
    return { content: String(value), reasoning: "", notes: ["content-not-text"] };
  }
  // One part without its list.
  if (isObject(value) && partText(value) !== "") return readParts([value]);
  if (!Array.isArray(value)) return { content: "", reasoning: "", notes: ["content-unreadable"] };
  const thinking = value.filter((part) => field(part, "type") === "thinking");
  const spoken = value.filter((part) => field(part, "type") !== "thinking");
  return {
    content: spoken.map(partText).join(""),
    reasoning: thinking.map((part) => thinkingText(field(part, "thinking"))).join(""),
    notes: ["content-in-parts"],
  };
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  return textField(part, "text") || textField(part, "refusal");
}

function thinkingText(value: unknown): string {
  return typeof value === "string" ? value : list(value).map(partText).join("");
}

function takeThinking(said: string): { content: string; reasoning: string } {
  let content = said;
  const reasoning: string[] = [];
  for (let block = LEADING.exec(content); block !== null; block = LEADING.exec(content)) {
    reasoning.push((block[2] ?? "").trim());
    content = content.slice(block[0].length);
  }
  if (reasoning.length > 0) return { content, reasoning: reasoning.filter(Boolean).join("\n") };
  const orphan = said.includes("<think") ? null : ORPHAN.exec(said);
  // A JSON answer that quotes the tag was not thinking.
  if (orphan === null || parseJson(said) !== undefined) return { content: said, reasoning: "" };
  return { content: said.slice(orphan[0].length), reasoning: (orphan[1] ?? "").trim() };
}
