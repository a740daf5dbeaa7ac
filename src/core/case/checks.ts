import { checkCompletion } from "./checks/completion.ts";
import { checkConsistency } from "./checks/consistency.ts";
import { checkIdentity } from "./checks/identity.ts";
import { checkExpectedCalls, checkOfferedTools } from "./checks/tools.ts";
import { checkWorld } from "./checks/world.ts";
import type { Inspection } from "./report.ts";

/** Everything that the schema of a case can't say. */
export function checkCase(look: Inspection): void {
  checkIdentity(look);
  checkOfferedTools(look);
  checkExpectedCalls(look);
  checkWorld(look);
  checkCompletion(look);
  checkConsistency(look);
}
