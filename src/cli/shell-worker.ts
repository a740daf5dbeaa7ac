import { parentPort } from "node:worker_threads";
import { messageOf } from "../core/text/thrown.ts";
import type { ExecMessage, FromShellWorker, ToShellWorker } from "../io/shell-pool.ts";
import type { ShellSession } from "../run/ports.ts";
import { openShell } from "../run/world/shell-session.ts";

/** The thread in which simulated shells run: whatever a command does to it, the run goes on and can be stopped. */
const sessions = new Map<number, ShellSession>();
const running = new Map<number, AbortController>();

parentPort?.on("message", (message: ToShellWorker) => {
  if (message.type === "abort") running.get(message.session)?.abort();
  else if (message.type === "close") close(message.session);
  else void exec(message);
});

function close(id: number): void {
  sessions.get(id)?.close();
  sessions.delete(id);
}

async function exec({ session: id, pages, command }: ExecMessage): Promise<void> {
  const session = sessions.get(id) ?? openShell(pages ?? {});
  const stop = new AbortController();
  sessions.set(id, session);
  running.set(id, stop);
  try {
    answer({ ok: true, outcome: await session.exec(command, stop.signal) });
  } catch (error) {
    close(id);
    answer({ ok: false, message: messageOf(error) });
  } finally {
    running.delete(id);
  }
}

function answer(message: FromShellWorker): void {
  parentPort?.postMessage(message);
}
