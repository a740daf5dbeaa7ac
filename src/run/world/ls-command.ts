import { type Command, defineCommand, type ExecResult, type ResolvedCommandContext } from "just-bash";

/**
 * `ls` to which a name is a name. The shell has met the patterns by then; the bundled command would take what is left of
 * them, or brackets in a real name, for a pattern once more, in a backtracking engine that a model can make hang.
 */
export function lsCommand(): Command {
  return defineCommand("ls", async (args, context) => {
    const { origCommand } = context;
    if (origCommand === undefined) return failure("ls: not available here\n");
    const end = args.indexOf("--");
    const isOperand = (arg: string, at: number) =>
      arg === "-" || !arg.startsWith("-") || (end >= 0 && at > end);
    const options = args.filter((arg, at) => !isOperand(arg, at) && arg !== "--");
    const operands = args.filter(isOperand);
    if (!operands.some(looksLikePattern)) return origCommand(args);
    const plain = operands.filter((name) => !looksLikePattern(name));
    const listed = plain.length === 0 ? [] : [await origCommand([...options, "--", ...plain])];
    for (const name of operands.filter(looksLikePattern)) {
      const folder =
        !options.some((option) => /^-\w*d|^--directory$/.test(option)) && (await isFolder(name, context));
      listed.push(
        folder
          ? await inFolder(name, options, operands.length > 1, context)
          : await origCommand([...options, "-d", "--", name]),
      );
    }
    return joined(listed);
  });
}

function looksLikePattern(name: string): boolean {
  return /[*?[]/.test(name);
}

async function isFolder(name: string, { fs, cwd }: ResolvedCommandContext): Promise<boolean> {
  const stats = await fs.stat(fs.resolvePath(cwd, name)).catch(() => null);
  return stats?.isDirectory === true;
}

/** A folder whose name looks like a pattern is listed from inside. */
async function inFolder(
  name: string,
  options: readonly string[],
  headed: boolean,
  { fs, cwd, exec, signal }: ResolvedCommandContext,
): Promise<ExecResult> {
  if (exec === undefined) return failure(`ls: cannot open directory '${name}'\n`);
  const words = options.map((option) => `'${option.replaceAll("'", `'\\''`)}'`);
  const result = await exec(["ls", ...words].join(" "), {
    cwd: fs.resolvePath(cwd, name),
    ...(signal === undefined ? {} : { signal }),
  });
  return headed ? { ...result, stdout: `${name}:\n${result.stdout}` } : result;
}

function joined(results: readonly ExecResult[]): ExecResult {
  return {
    stdout: results.map(({ stdout }) => stdout).join(""),
    stderr: results.map(({ stderr }) => stderr).join(""),
    exitCode: Math.max(...results.map(({ exitCode }) => exitCode)),
  };
}

function failure(stderr: string): ExecResult {
  return { stdout: "", stderr, exitCode: 2 };
}
