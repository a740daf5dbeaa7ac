import { Conversation, type Said } from "../conversation.ts";
import type { Session } from "../session.ts";
import { makePlan, taskText, taskValues } from "./planning.ts";

/**
 * Mode `plan`: for each user turn the planner makes a plan, and its tasks run in dependency order, each as a user
 * message of one conversation, so that a skill loaded in one task arrives with the next. The answer is the last task's.
 */
export async function runPlan(session: Session): Promise<Said> {
  const { item, allTools, skillTools } = session.setting;
  const planner = new Conversation(session, "planner", skillTools);
  const worker = new Conversation(session, "plan", allTools);
  let answer = "";
  for (const { user } of item.turns) {
    const plan = await makePlan(session, planner, user, "tasks");
    if (!plan.ok) return plan.said;
    for (const task of plan.tasks) {
      const said = await worker.say(`Task ${taskText(task)}`, taskValues(user, task));
      if (said.outcome !== null) return said;
      answer = said.answer;
    }
  }
  return { answer, outcome: null };
}
