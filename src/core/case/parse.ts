import { type Case, CaseInput } from "../nouns/case.ts";
import { type Problem, problem, type Where } from "../nouns/problem.ts";
import { issueProblems } from "../text/issues.ts";
import { type Path, placeIn } from "../text/path.ts";
import { parseYaml, type YamlDocument } from "../text/yaml.ts";
import { checkCase } from "./checks.ts";
import { defaultId } from "./ids.ts";
import { inspect } from "./report.ts";

/** Cases of a file and everything that is wrong with it. Cases with errors are left out. */
export interface ParsedCases {
  readonly cases: Case[];
  readonly problems: Problem[];
}

/**
 * Reads the cases of one YAML file (one a document). `file` is its path from the project's root, `/` between names;
 * `roots` are the folders that ids are counted from. `world.filesFrom` is still to be read.
 */
export function parseCases(file: string, text: string, roots: readonly string[] = ["cases"]): ParsedCases {
  const yaml = parseYaml(file, text);
  const parsed: ParsedCases = { cases: [], problems: [...yaml.problems] };
  if (yaml.documents.length === 0 && yaml.problems.length === 0) {
    parsed.problems.push(
      problem("empty-file", { file }, "the file holds no case", "a case needs at least turns"),
    );
  }
  yaml.documents.forEach((document, at) => {
    readCase(file, document, defaultId(file, at + 1, roots), parsed);
  });
  return parsed;
}

function readCase(file: string, document: YamlDocument, id: string, into: ParsedCases): void {
  const result = CaseInput.safeParse(document.value);
  if (!result.success) {
    const where = (path: Path): Where => placeIn(file, document, path);
    into.problems.push(
      ...issueProblems(result.error.issues, { schema: CaseInput, value: document.value, where }),
    );
    return;
  }
  const input = result.data;
  const made: Case = {
    ...input,
    id: input.id ?? id,
    title: input.title ?? input.id ?? id,
    source: { file, line: document.line },
  };
  const found: Problem[] = [];
  checkCase(inspect(made, file, document, found));
  into.problems.push(...found);
  if (!found.some(({ severity }) => severity === "error")) into.cases.push(made);
}
