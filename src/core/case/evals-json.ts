import { problem } from "../nouns/problem.ts";
import type { ParsedCases } from "./parse.ts";

/** Stub */
export function parseEvalsJson(file: string, _text: string, _skill: string): ParsedCases {
  return { cases: [], problems: [problem("bad-evals", { file }, "not read yet")] };
}
