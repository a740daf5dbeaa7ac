import type { CompletionCheck } from "../core/nouns/case.ts";
import type { CommandResult } from "../core/score/completion.ts";
import { type Judge, type Judgement, judgeView } from "./judge.ts";
import type { Session } from "./session.ts";

/** What was fetched for completion checks; commands and verdicts by the index of their check. */
export interface Checked {
  /** Files as the agent left them, before any command of a check. */
  readonly files: ReadonlyMap<string, string>;
  readonly commands: ReadonlyMap<number, CommandResult>;
  readonly verdicts: ReadonlyMap<number, Judgement>;
}

/** For trials that ended before their checks. */
export const NOTHING_CHECKED: Checked = { files: new Map(), commands: new Map(), verdicts: new Map() };

/** Runs the commands of a case's completion checks in its world and puts its rubrics to the judge, if there is one. */
export async function fetchChecks(session: Session, judge: Judge | null, answer: string): Promise<Checked> {
  const checks = session.setting.item.expect.completion ?? [];
  if (checks.length === 0) return NOTHING_CHECKED;
  session.stopTimer();
  const files = new Map(session.world.files.texts);
  const commands = new Map<number, CommandResult>();
  const verdicts = new Map<number, Judgement>();
  for (const [at, check] of checks.entries()) {
    if ("command" in check) commands.set(at, await session.world.run(check.command.run, session.signal));
    if ("judge" in check && judge !== null) verdicts.set(at, await judgeOne(session, judge, check, answer));
  }
  return { files, commands, verdicts };
}

function judgeOne(
  session: Session,
  judge: Judge,
  check: Extract<CompletionCheck, { judge: unknown }>,
  answer: string,
): Promise<Judgement> {
  const task = session.setting.item.turns.map((turn) => turn.user);
  const view = judgeView(task, session.events, answer);
  return judge.judge(check.judge.rubric, view, (messages) =>
    session.context(session.occurrence(messages, 0)),
  );
}
