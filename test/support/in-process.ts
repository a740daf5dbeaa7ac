import { Writable } from "node:stream";
import { main } from "../../src/cli/program.ts";

/** Runs one command line in this process, on the sources; for tests that need no process of their own. */
export async function evalkit(
  cwd: string,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [sink(), sink()];
  const code = await main(args, { env: {}, stdout: stdout.stream, stderr: stderr.stream, cwd: () => cwd });
  return { code, out: stdout.text(), err: stderr.text() };
}

function sink(): { stream: NodeJS.WriteStream; text(): string } {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  // A terminal's own members are not used when the stream is no terminal.
  return { stream: stream as NodeJS.WriteStream, text: () => text };
}
