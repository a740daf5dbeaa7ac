import * as z from "zod";
import { Case } from "../nouns/case.ts";
import { type Problem, problem, type Where, warning } from "../nouns/problem.ts";
import { issueProblems } from "../text/issues.ts";
import { type Path, placeIn } from "../text/path.ts";
import { parseYaml, type YamlDocument } from "../text/yaml.ts";
import type { ParsedCases } from "./parse.ts";

const Assertion = z.union([z.string().min(1), z.looseObject({ text: z.string().min(1) })]);
/** One eval of a skill. Keys beyond these belong to other tools and are passed over. */
const Eval = z.looseObject({
  id: z.union([z.string().min(1), z.int()]),
  prompt: z.string().min(1),
  expected_output: z.string().optional(),
  files: z.array(z.string().min(1)).optional(),
  assertions: z.array(Assertion).optional(),
  expectations: z.array(Assertion).optional(),
});
const EvalsFile = z.looseObject({ skill_name: z.string().optional(), evals: z.array(Eval) });
type Eval = z.infer<typeof Eval>;

/** Cases of an eval file; `files` names, by case, the files that its world needs, from the skill's folder. */
export interface ParsedEvals extends ParsedCases {
  readonly files: ReadonlyMap<Case, readonly string[]>;
}

/**
 * Reads `evals/evals.json` beside a skill (the agentskills.io form) as cases: assertions become judge checks,
 * `expected_output` the intent (and the one check where there are no assertions). `skill` is the skill folder's name.
 */
export function parseEvalsJson(file: string, text: string, skill: string): ParsedEvals {
  const yaml = parseYaml(file, text);
  const problems: Problem[] = yaml.problems.map((one) => ({
    ...one,
    message: one.message.replace("this is no valid YAML", "this is no valid JSON"),
  }));
  const [document] = yaml.documents;
  const files = new Map<Case, readonly string[]>();
  if (document === undefined) {
    if (problems.length === 0) problems.push(problem("empty-file", { file }, "the file is empty"));
    return { cases: [], problems, files };
  }
  const where = (path: Path): Where => placeIn(file, document, path);
  const result = EvalsFile.safeParse(document.value);
  if (!result.success) {
    problems.push(...issueProblems(result.error.issues, { schema: EvalsFile, value: document.value, where }));
    return { cases: [], problems, files };
  }
  const named = result.data.skill_name ?? skill;
  if (named !== skill) {
    const message = `skill_name is ${JSON.stringify(named)}, but the file lies beside the skill ${JSON.stringify(skill)}`;
    problems.push(warning("other-skill", where(["skill_name"]), message));
  }
  const cases = result.data.evals.map((one, at) => {
    const made = toCase(one, skill, { file, line: lineOf(document, at) });
    files.set(made, one.files ?? []);
    if (made.expect.completion === undefined) {
      const hint = "add assertions or expected_output";
      problems.push(
        warning("no-expectation", where(["evals", at]), "the eval expects nothing, so it has no score", hint),
      );
    }
    return made;
  });
  return { cases, problems, files };
}

function toCase(one: Eval, skill: string, source: Case["source"]): Case {
  const assertions = [...(one.assertions ?? []), ...(one.expectations ?? [])].map((assertion) =>
    typeof assertion === "string" ? assertion : assertion.text,
  );
  const expected = one.expected_output ?? "";
  const rubrics =
    assertions.length === 0 && expected !== "" ? [`The result is as expected: ${expected}`] : assertions;
  return Case.parse({
    id: `evals/${skill}/${one.id}`,
    title: shortTitle(one.prompt),
    tags: ["evals", skill],
    turns: [{ user: one.prompt }],
    expect: rubrics.length === 0 ? {} : { completion: rubrics.map((rubric) => ({ judge: { rubric } })) },
    intent: expected,
    source,
  });
}

function shortTitle(prompt: string): string {
  const line = [...(prompt.trim().split("\n")[0] ?? "")];
  return line.length > 80 ? `${line.slice(0, 79).join("")}…` : line.join("");
}

function lineOf(document: YamlDocument, at: number): number {
  return document.locate(["evals", at]).line;
}
