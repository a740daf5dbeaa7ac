import type { Case } from "../nouns/case.ts";
import { type Problem, problem, warning } from "../nouns/problem.ts";
import { type Path, placeIn } from "../text/path.ts";
import type { YamlDocument } from "../text/yaml.ts";

/** A case under inspection, and where to say what is wrong with it. */
export interface Inspection {
  readonly case: Case;
  error(code: string, path: Path, message: string, hint?: string): void;
  warn(code: string, path: Path, message: string, hint?: string): void;
}

/** An inspection that collects problems with the place of their key. */
export function inspect(
  subject: Case,
  file: string,
  document: Pick<YamlDocument, "locate">,
  problems: Problem[],
): Inspection {
  const where = (path: Path) => placeIn(file, document, path);
  return {
    case: subject,
    error: (code, path, message, hint) => void problems.push(problem(code, where(path), message, hint)),
    warn: (code, path, message, hint) => void problems.push(warning(code, where(path), message, hint)),
  };
}
