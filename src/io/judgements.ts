import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type JudgementLine, JudgementLine as Line, JudgeRecord } from "../core/human/judge-record.ts";
import { fail } from "../core/nouns/problem.ts";
import { parseJson } from "../core/text/json.ts";
import { errorCode, writeAtomically } from "./files.ts";
import { maskJson } from "./mask.ts";

const LINES = "judgements.jsonl";
const RECORD = "judge.json";

/** A judging of a run's pairs. */
export interface Judging {
  readonly record: JudgeRecord;
  readonly lines: readonly JudgementLine[];
}

/** Writes a judging into a run folder; the caller holds the run's lock, so that the two files are of one judging. */
export async function writeJudging(
  dir: string,
  { record, lines }: Judging,
  mask: (text: string) => string,
): Promise<void> {
  const text = lines.map((line) => `${maskJson(mask, JSON.stringify(line))}\n`).join("");
  await writeAtomically(join(dir, LINES), text);
  await writeAtomically(join(dir, RECORD), maskJson(mask, `${JSON.stringify(record, null, 2)}\n`, 2));
}

/** The run's judging, null where no judge compared its pairs. Throws InputError on a file that is none. */
export async function readJudging(dir: string): Promise<Judging | null> {
  const file = join(dir, RECORD);
  const [text, lines] = await Promise.all([textOf(file), textOf(join(dir, LINES))]);
  if (text === null || lines === null) return null;
  const record = JudgeRecord.safeParse(parseJson(text));
  if (!record.success) return fail("broken-file", { file }, "this is no judging of a run", "evalkit judge");
  return { record: record.data, lines: linesOf(join(dir, LINES), lines) };
}

function linesOf(file: string, text: string): readonly JudgementLine[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const found = Line.safeParse(parseJson(line));
    return found.success
      ? [found.data]
      : fail("broken-line", { file, line: at + 1 }, "this line is not a judgement", "evalkit judge");
  });
}

function textOf(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch((error: unknown) =>
    errorCode(error) === "ENOENT" ? null : Promise.reject(error),
  );
}
