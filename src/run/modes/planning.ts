import { readPlan, type Task } from "../../core/modes/plan.ts";
import type { Conversation, Said, Values } from "../conversation.ts";
import type { Session } from "../session.ts";

/** A plan, or what the trial has come to without one. */
export type Planned =
  | { readonly ok: true; readonly tasks: readonly Task[] }
  | { readonly ok: false; readonly said: Said };

/**
 * Asks a planner for a plan, and once more with the fault named when the first can't be used. A second one that can't
 * is the model's failure: the trial goes on with an empty answer.
 */
export async function makePlan(
  session: Session,
  planner: Conversation,
  goal: string,
  key: "tasks" | "steps",
): Promise<Planned> {
  let text = goal;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const said = await planner.say(text, { goal });
    if (said.outcome !== null) return { ok: false, said };
    const plan = readPlan(said.answer, key);
    const tasks = plan.ok ? plan.tasks.map(taskText) : [];
    session.events.push({
      type: "plan",
      conversation: planner.number,
      tasks,
      error: plan.ok ? null : plan.error,
    });
    if (plan.ok) return { ok: true, tasks: plan.tasks };
    text = `Your reply can't be used as a plan: ${plan.error}\nReply again with the JSON object alone.`;
  }
  return { ok: false, said: { answer: "", outcome: null } };
}

/** A task on one line: `t1 (FILE_READ): what to do`. */
export function taskText(task: Task): string {
  return `${task.id} (${task.type}): ${task.description}`;
}

/** Values of the placeholders that mode files for tasks may use. */
export function taskValues(goal: string, task: Task): Values {
  return { goal, taskId: task.id, taskType: task.type, taskDescription: task.description };
}
