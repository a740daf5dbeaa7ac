import { appendFile } from "node:fs/promises";
import type { RunRecord } from "../core/nouns/run.ts";
import type { Summary } from "../core/nouns/summary.ts";
import { annotations, stepSummary } from "../core/report/github.ts";
import type { Mask } from "./run-store.ts";
import { messageOf } from "../core/text/thrown.ts";
import type { Env } from "../core/config/pick.ts";

/**
 * Tells a GitHub job of a verdict: its page gets the short report where `GITHUB_STEP_SUMMARY` names its file. `mask`
 * takes secrets out. Returns lines for stderr: annotations under `GITHUB_ACTIONS`, and a warning when the page could not
 * be written, which is no reason to lose a run.
 */
export async function tellGitHub(
  record: RunRecord,
  summary: Summary,
  env: Env,
  mask: Mask = (text) => text,
): Promise<readonly string[]> {
  const lines = env.GITHUB_ACTIONS === "true" ? annotations(summary).map(mask) : [];
  const page = env.GITHUB_STEP_SUMMARY ?? "";
  if (page === "") return lines;
  try {
    await appendFile(page, mask(`${stepSummary(record, summary)}\n`));
    return lines;
  } catch (error) {
    const why = messageOf(error);
    return [...lines, `warning: GITHUB_STEP_SUMMARY could not be written: ${why}`];
  }
}
