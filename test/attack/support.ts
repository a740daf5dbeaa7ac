import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "../support/project.ts";

export const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
export const SECRET = "sesame-0123456789-open";
export const CASE = `id: wish
turns: [{ user: "Make it bright." }]
tools: [read_file]
expect: { completion: [{ answer: { contains: bright } }] }
`;

/** A small project that runs; attacks are put on top of it. */
export const PROJECT: Files = {
  "prompts/base.md": `You run a home.${LANGUAGE}`,
  "cases/wish.yaml": CASE,
  "evalkit.yaml": "model: stub-model\nretries: 0\ntrials: 1\n",
};
export const BETTER: Files = { "prompts/base.md": `You run a home, and well.${LANGUAGE}` };
export const RUN = ["run", "--baseline", "main", "--candidate", "better", "--run-id", "r"];

export const serverOf = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: SECRET });

export interface TrialEvent {
  readonly type: string;
  readonly name?: string;
  readonly result?: string;
  readonly error?: boolean;
  readonly callId?: string;
}

/** Lines of trials.jsonl. */
export function trialsOf(cwd: string, id = "r") {
  return readFileSync(join(cwd, "reports", id, "trials.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map(
      (
        line,
      ): {
        case: string;
        status: string;
        answer: string;
        events: TrialEvent[];
        outcome: { failure?: { message: string } };
        scores: Readonly<Record<string, { readonly status: string; readonly value?: number }>>;
      } => JSON.parse(line),
    );
}

/** Every file below a folder that is not git's own, by path, with its text. */
export function filesBelow(dir: string): Map<string, string> {
  if (!existsSync(dir)) return new Map();
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/(^|\/)\.git(\/|$)/.test(name),
  );
  return new Map(
    names
      .filter((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.isFile() === true)
      .sort()
      .map((name) => [name, readFileSync(join(dir, name), "utf8")]),
  );
}

/** What of a text would act on a terminal or turn its direction: escapes, C1 controls, bidi signs. */
export function activeSigns(text: string): string[] {
  const plain = text.replace(/\u001b\[[0-9;]*m/g, "");
  return [...plain.matchAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g)].map(
    ([sign]) => `U+${(sign.codePointAt(0) ?? 0).toString(16)}`,
  );
}

/** Lines that a CI runner would take for commands, but for evalkit's own annotations. */
export function commandLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r]/)
    .filter((line) => /^\s*::/.test(line) || /##\w*\[/.test(line))
    .filter((line) => !/^::(error|warning) title=evalkit%3A (failed|undecided)::/.test(line));
}
