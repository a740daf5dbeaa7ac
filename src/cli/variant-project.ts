import { Settings } from "../core/config/settings.ts";
import { findRepositoryRoot } from "../io/git.ts";
import type { CliIo } from "./command.ts";

/** Root and settings of the project that a command works in. */
export async function projectOf(
  io: CliIo,
  flags: Readonly<Record<string, unknown>>,
): Promise<{ readonly root: string; readonly settings: Settings }> {
  const root = (await findRepositoryRoot(io.cwd, io.env)) ?? io.cwd;
  return { root, settings: Settings.parse(flags) };
}
