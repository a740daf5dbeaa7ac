import { ARMS } from "../../nouns/score.ts";
import type { ReportInput } from "../input.ts";
import { h } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText } from "./transcript.ts";

/** Warnings and notes of the run as a whole, each once. Null where there are none. */
export function notesSection({ record }: ReportInput): Section | null {
  const arms = ARMS.flatMap((arm) => (record.arms[arm]?.notes ?? []).map((note) => `${arm}: ${note}`));
  const notes = [...new Set([...record.notes, ...arms])];
  if (notes.length === 0) return null;
  const items = notes.map((note) => h("li", { class: "said" }, cutText(note, 1000)));
  return { id: "notes", title: "Notes", body: h("div", { class: "card small" }, h("ul", {}, items)) };
}
