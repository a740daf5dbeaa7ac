import type { Command } from "commander";
import { findRepositoryRoot } from "../../io/git.ts";
import { writeStarter } from "../../io/starter.ts";
import type { CliIo } from "../command.ts";

const HELP = `
Writes evalkit.yaml, small prompt layers, a skill, two cases and a CI workflow. What exists is never overwritten.

Example:
  evalkit init
`;

/** `evalkit init`: puts a starter into the repository that the folder lies in. */
export function define(command: Command, io: CliIo): void {
  command.addHelpText("after", HELP).action(() => init(io));
}

async function init(io: CliIo): Promise<void> {
  const repository = await findRepositoryRoot(io.cwd, io.env);
  const root = repository ?? io.cwd;
  const { written, kept } = await writeStarter(root);
  for (const path of written) io.out(`wrote ${path}`);
  for (const path of kept) io.out(`kept  ${path} (exists)`);
  io.err("");
  if (kept.includes(".gitignore") && written.length > 0)
    io.err("Add reports/ to .gitignore: runs are not for git.");
  if (repository === null) {
    io.err(
      "This folder is no git repository, and evalkit compares versions from git: run git init and commit.",
    );
  }
  io.err("Next:");
  io.err("  evalkit validate");
  io.err("  git add -A && git commit -m 'Add evalkit'");
  io.err("  change a prompt or a skill, set OPENAI_API_KEY (or OPENAI_BASE_URL) and name a model:");
  io.err("  evalkit run --baseline HEAD --candidate worktree --model NAME");
}
