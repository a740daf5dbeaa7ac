// Bundles src/ into dist/: one file per command, loaded when it is asked for, so that start-up stays cheap.
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const fresh = `${root}dist.${process.pid}`;
await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/cli/bin.ts", index: "src/index.ts" },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // just-bash brings WebAssembly files that must stay beside it; it is loaded by the first `execute_command` only.
  external: ["just-bash"],
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  define: { __EVALKIT_VERSION__: JSON.stringify(version) },
  sourcemap: false,
  legalComments: "none",
  // Half the bytes to read and compile at each start; names stay, so that stack traces can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
});
// Swapped in whole, so that a run in progress or a second build never meets half of it.
const old = `${fresh}.old`;
if (existsSync(`${root}dist`)) renameSync(`${root}dist`, old);
renameSync(fresh, `${root}dist`);
rmSync(old, { recursive: true, force: true });
