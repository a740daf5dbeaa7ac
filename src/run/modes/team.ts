import type { Task } from "../../core/modes/plan.ts";
import { type Review, readReview } from "../../core/modes/review.ts";
import { Conversation, type Said } from "../conversation.ts";
import type { Session } from "../session.ts";
import { makePlan, taskText, taskValues } from "./planning.ts";
import { cut } from "../../core/text/cut.ts";

/** A rejected step is tried again so many times, then its last result stands. */
const MAX_RETRIES = 2;
/** More of an earlier step's result is not handed on. */
const MAX_RESULT = 4_000;

/** The roles of a team; each keeps its conversation, and with it its skill buffer, over all steps. */
interface Team {
  readonly session: Session;
  readonly worker: Conversation;
  readonly reviewer: Conversation;
}

/**
 * Mode `team`: the planner divides the request into steps, the worker does them in dependency order, and the reviewer
 * judges each; a rejected step goes back with the issues, at most twice. The answer is the last step's hand-over.
 */
export async function runTeam(session: Session): Promise<Said> {
  const { item, allTools, skillTools } = session.setting;
  const planner = new Conversation(session, "team-planner", skillTools);
  const worker = new Conversation(session, "team-worker", allTools);
  const reviewer = new Conversation(session, "team-reviewer", skillTools);
  const team = { session, worker, reviewer };
  let answer = "";
  for (const { user } of item.turns) {
    const plan = await makePlan(session, planner, user, "steps");
    if (!plan.ok) return plan.said;
    const results = new Map<string, string>();
    for (const step of plan.tasks) {
      const said = await runStep(team, user, step, results);
      if (said.outcome !== null) return said;
      results.set(step.id, said.answer);
      answer = said.answer;
    }
  }
  return { answer, outcome: null };
}

async function runStep(
  team: Team,
  goal: string,
  step: Task,
  results: ReadonlyMap<string, string>,
): Promise<Said> {
  const values = taskValues(goal, step);
  let text = stepText(step, results);
  for (let attempt = 0; ; attempt += 1) {
    const done = await team.worker.say(text, values);
    if (done.outcome !== null) return done;
    const judged = await team.reviewer.say(reviewText(step, done.answer), values);
    if (judged.outcome !== null) return judged;
    const review = readReview(judged.answer);
    const { approved, summary } = review;
    const { number: conversation } = team.reviewer;
    team.session.events.push({ type: "review", conversation, step: step.id, approved, summary });
    if (approved || attempt === MAX_RETRIES) return done;
    text = againText(step, review);
  }
}

function stepText(step: Task, results: ReadonlyMap<string, string>): string {
  const earlier = step.dependencies.map(
    (id) => `Result of step ${id}:\n${cut(results.get(id) ?? "", MAX_RESULT)}`,
  );
  return [`Step ${taskText(step)}`, ...earlier].join("\n\n");
}

function reviewText(step: Task, result: string): string {
  return `Step ${taskText(step)}\n\nHand-over of the worker:\n${result === "" ? "(empty)" : result}`;
}

function againText(step: Task, review: Review): string {
  const issues =
    review.issues.length > 0 ? review.issues : [review.summary || "The reviewer gave no reason."];
  const list = (heading: string, lines: readonly string[]): string =>
    lines.length === 0 ? "" : `\n\n${heading}:\n${lines.map((line) => `- ${line}`).join("\n")}`;
  return `Step ${step.id} was not approved.${list("Issues", issues)}${list("Suggestions", review.suggestions)}`;
}
