import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { InputError } from "../core/nouns/problem.ts";
import { closeAll } from "../io/at-end.ts";
import { errorCode } from "../io/files.ts";
import { isFullDisk, writeRefusal } from "../io/write-errors.ts";
import type { CliIo, CommandEntry } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { inertText, isReadByRunner } from "./output.ts";
import { tellProblems } from "./tell.ts";
import { VERSION } from "./version.ts";
import { visible } from "../core/text/visible.ts";

/** The part of `process` that the program uses. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  cwd(): string;
}

/**
 * Runs one command line and returns its exit code. Bad input prints its problems and is 2; anything uncaught is 4,
 * never 1, since 1 says that a regression was found.
 */
export async function main(argv: readonly string[], host: ProcessLike): Promise<number> {
  const lostOutput = watchOutput(host);
  const { folders, rest } = takeFolders(argv);
  const state = { exit: EXIT.ok as number };
  const io = cliIo(host, folders, (code) => {
    state.exit = code;
  });
  const code = await carryOut(rest, io, () => state.exit);
  await closeAll();
  const lost = await lostOutput();
  if (lost === null || code === EXIT.interrupted) return code;
  io.err(`evalkit: stdout can't be written: ${lost.message}. What is in files stands.`);
  return EXIT.harness;
}

async function carryOut(argv: readonly string[], io: CliIo, exit: () => number): Promise<number> {
  try {
    const program = await buildProgram(argv, io);
    if (argv.length === 0) {
      io.err(program.helpInformation());
      return EXIT.usage;
    }
    await program.parseAsync([...argv], { from: "user" });
    return exit();
  } catch (error) {
    return explain(error, io);
  }
}

async function buildProgram(argv: readonly string[], io: CliIo): Promise<Command> {
  const program = new Command("evalkit")
    .description(
      'The regression harness for agent prompts and skills: a verdict that can be believed, or an honest "undecided".',
    )
    .version(VERSION, "-V, --version", "print the version")
    .option("-C <dir>", "work in this folder, as git does")
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError(true)
    .showHelpAfterError("(evalkit COMMAND --help lists what a command takes)")
    .addHelpText("after", "\nExample:\n  evalkit run --baseline main --candidate my-branch\n");
  configure(program, io);
  const asked = wanted(argv);
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).description(entry.summary);
    configure(command, io);
    if (asked.has(entry.name)) await load(entry, command, io);
  }
  return program;
}

async function load(entry: CommandEntry, command: Command, io: CliIo): Promise<void> {
  const module = await entry.load();
  module.define(command, io);
  for (const sub of command.commands) configure(sub, io);
}

/** The words of the command line that may name a command: `help run` needs run's own help too. */
function wanted(argv: readonly string[]): ReadonlySet<string> {
  return new Set(argv.filter((word) => !word.startsWith("-")).slice(0, 2));
}

function configure(command: Command, io: CliIo): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .configureHelp({ helpWidth: io.width })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    });
}

function explain(error: unknown, io: CliIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof InputError) {
    tellProblems(error.problems, io);
    return EXIT.usage;
  }
  if (isFullDisk(error)) {
    io.err(
      `evalkit: the disk is full: ${error.message}. What was written before stands; make room and use --resume.`,
    );
    return EXIT.harness;
  }
  const refused = writeRefusal(error);
  if (refused !== null && error instanceof Error) {
    io.err(`evalkit: ${refused}: ${error.message}`);
    return EXIT.harness;
  }
  io.err(`evalkit: an error of evalkit itself, not of the model or your files (exit ${EXIT.harness}):`);
  io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.harness;
}

/** Takes `-C DIR` out of the command line wherever it stands; several add up, as git's do. */
function takeFolders(argv: readonly string[]): { folders: readonly string[]; rest: readonly string[] } {
  const folders: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const next = argv[at + 1];
    if (word === "--") {
      rest.push(...argv.slice(at));
      break;
    }
    if (word === "-C" && next !== undefined) {
      folders.push(next);
      at += 1;
    } else rest.push(word);
  }
  return { folders, rest };
}

function cliIo(host: ProcessLike, folders: readonly string[], exit: (code: number) => void): CliIo {
  const inert = isReadByRunner(host.env) ? inertText : (text: string): string => text;
  return {
    cwd: resolve(host.cwd(), ...folders),
    env: host.env,
    out: (text) => void host.stdout.write(`${inert(text)}\n`),
    err: (text) => void host.stderr.write(`${inert(visible(text))}\n`),
    annotate: (command) => void host.stderr.write(`${command}\n`),
    exit,
    colour: { stdout: wantsColour(host.env, host.stdout), stderr: wantsColour(host.env, host.stderr) },
    width: Math.max(40, host.stdout.columns ?? columnsOf(host.env)),
  };
}

function columnsOf(env: ProcessLike["env"]): number {
  const columns = Number(env.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : 80;
}

function wantsColour(env: ProcessLike["env"], stream: NodeJS.WriteStream): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return stream.isTTY === true && env.TERM !== "dumb";
}

/**
 * Watches the streams. `evalkit … | head` closes the pipe early: that is the reader's choice, not a fault; nor is it one
 * when nobody can read stderr. The returned function waits for stdout and says what kept it from being written.
 */
function watchOutput(host: ProcessLike): () => Promise<Error | null> {
  const { stdout, stderr } = host;
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
  return async () => {
    if (stdout.writable) await new Promise<void>((done) => void stdout.write("", () => done()));
    const lost = stdout.errored;
    return lost === null || errorCode(lost) === "EPIPE" ? null : lost;
  };
}
