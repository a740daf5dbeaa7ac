import type { RunRecord } from "../../core/nouns/run.ts";
import type { Summary } from "../../core/nouns/summary.ts";
import { terminalReport } from "../../core/report/terminal.ts";
import { tellGitHub } from "../../io/github.ts";
import type { CliIo } from "../command.ts";

/** Prints a verdict, as JSON or as the table a run ends with, tells a GitHub job of it, and sets the exit code. */
export async function showVerdict(
  record: RunRecord,
  summary: Summary,
  json: boolean,
  io: CliIo,
): Promise<void> {
  io.out(
    json ? JSON.stringify(summary, null, 2) : terminalReport(record, summary, io.width, io.colour.stdout),
  );
  for (const told of await tellGitHub(record, summary, io.env)) io.annotate(told);
  io.exit(summary.gate.exitCode);
}
