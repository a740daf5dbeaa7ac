#!/usr/bin/env node
import { VERSION } from "./version.ts";

// Answered before anything else is loaded: `evalkit --version` costs no more than starting node.
const [first, ...rest] = process.argv.slice(2);
if ((first === "--version" || first === "-V") && rest.length === 0) {
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exitCode = code === "EPIPE" ? 0 : 4;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  const { main } = await import("./program.ts");
  process.exitCode = await main(process.argv.slice(2), process);
}
