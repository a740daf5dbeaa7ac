import * as z from "zod";
import { jsonIn } from "./json-text.ts";

/** A reviewer's word on one step. */
export interface Review {
  readonly approved: boolean;
  readonly summary: string;
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const ReviewInput = z.object({
  approved: z.boolean(),
  summary: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  issues: texts,
  suggestions: texts,
});

/** Reads a review. What is not one counts as a rejection that says so: an unread review must not wave work through. */
export function readReview(text: string): Review {
  const found = ReviewInput.safeParse(jsonIn(text, "approved"));
  if (found.success) return found.data;
  const issue = "The review was not the JSON object that was asked for.";
  return { approved: false, summary: issue, issues: [issue], suggestions: [] };
}
