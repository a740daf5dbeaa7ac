import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Gate } from "../core/nouns/summary.ts";
import { byText } from "../core/text/order.ts";

const Named = z.object({ variant: z.string() }).nullable();
const Head = z.object({
  runId: z.string(),
  createdAt: z.string(),
  kind: z.enum(["run", "import"]),
  trials: z.number(),
  arms: z.object({ baseline: Named, candidate: Named }),
  cases: z.array(z.unknown()),
});
const Tail = z.object({ gate: Gate });

/** A run as a list shows it. `verdict` is null while it has no summary (it goes on, or was interrupted). */
export interface ListedRun {
  readonly id: string;
  readonly createdAt: string;
  readonly kind: "run" | "import";
  readonly baseline: string | null;
  readonly candidate: string | null;
  readonly cases: number;
  readonly trials: number;
  readonly verdict: string | null;
}

/** The runs in a reports folder, oldest first. Folders that are no run are passed over. */
export async function listRuns(reports: string): Promise<ListedRun[]> {
  const names = await readdir(reports).catch(() => []);
  const runs = await Promise.all(names.sort().map((name) => readRun(join(reports, name))));
  return runs.filter((run) => run !== null).sort((a, b) => byText(a.createdAt, b.createdAt));
}

async function readRun(dir: string): Promise<ListedRun | null> {
  const head = Head.safeParse(await json(join(dir, "run.json")));
  if (!head.success) return null;
  const tail = Tail.safeParse(await json(join(dir, "summary.json")));
  const { runId, createdAt, kind, arms, cases, trials } = head.data;
  return {
    id: runId,
    createdAt,
    kind,
    baseline: arms.baseline?.variant ?? null,
    candidate: arms.candidate?.variant ?? null,
    cases: cases.length,
    trials,
    verdict: tail.success ? tail.data.gate.verdict : null,
  };
}

async function json(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}
