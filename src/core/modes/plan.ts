import * as z from "zod";
import { jsonObjects } from "../text/json-objects.ts";
import { jsonIn } from "./json-text.ts";
import { cut } from "../text/cut.ts";
import { showJson } from "../text/json.ts";

/** One task of a plan, or one step of a team's. */
export interface Task {
  readonly id: string;
  readonly description: string;
  readonly type: string;
  readonly dependencies: readonly string[];
}

/** Tasks in the order in which they are carried out, or why the plan can't be used. */
export type ReadPlan =
  | { readonly ok: true; readonly summary: string; readonly tasks: readonly Task[] }
  | { readonly ok: false; readonly error: string };

const MAX_TASKS = 50;
const id = z.union([z.string(), z.number()]).transform(String).pipe(z.string().trim().min(1));
const TaskInput = z.object({
  id,
  description: z.string().trim().min(1),
  type: z
    .string()
    .nullish()
    .transform((type) => type ?? "ANALYSIS"),
  dependencies: z
    .array(id)
    .nullish()
    .transform((ids) => ids ?? []),
});

/**
 * Reads a planner's reply: a JSON object with `summary` and a list under `key` (`tasks`, or `steps` for a team). The
 * list comes back in dependency order; among those that could be next, the order of the plan is kept.
 */
export function readPlan(text: string, key: "tasks" | "steps"): ReadPlan {
  const value = jsonIn(text, key);
  if (value === undefined)
    return refused(
      `the reply ${jsonObjects(text).length > 1 ? "can be read in two ways" : "is not JSON"}: ${cut(text.trim() || "(empty)", 200)}`,
    );
  const schema = z.object({ summary: z.string().nullish(), [key]: z.array(TaskInput).min(1).max(MAX_TASKS) });
  const found = schema.safeParse(value);
  if (!found.success) return refused(faultText(found.error.issues[0], value));
  const tasks = z.array(TaskInput).parse(found.data[key]);
  const order = inOrder(tasks);
  return typeof order === "string"
    ? refused(order)
    : { ok: true, summary: z.string().catch("").parse(found.data.summary), tasks: order };
}

function faultText(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  const place =
    issue === undefined || issue.path.length === 0 ? "the reply" : issue.path.map(String).join(".");
  return `${place}: ${issue?.message ?? "not as asked"}; came ${showJson(value, 200)}`;
}

/** Sorts by dependencies, or says what is wrong with them. */
function inOrder(tasks: readonly Task[]): readonly Task[] | string {
  const ids = new Set<string>();
  for (const task of tasks) {
    if (ids.has(task.id)) return `the id ${JSON.stringify(task.id)} is there twice`;
    ids.add(task.id);
  }
  for (const task of tasks) {
    const unknown = task.dependencies.find((name) => !ids.has(name));
    if (unknown !== undefined)
      return `${task.id} depends on ${JSON.stringify(unknown)}, which is not in the plan`;
  }
  const done = new Set<string>();
  const order: Task[] = [];
  while (order.length < tasks.length) {
    const next = tasks.find(
      (task) => !done.has(task.id) && task.dependencies.every((name) => done.has(name)),
    );
    if (next === undefined) {
      const rest = tasks.filter((task) => !done.has(task.id)).map((task) => task.id);
      return `the dependencies go in a circle: ${rest.join(", ")}`;
    }
    done.add(next.id);
    order.push(next);
  }
  return order;
}

function refused(error: string): ReadPlan {
  return { ok: false, error };
}
