// Bundles src/ into dist/: one file per command, loaded when it is asked for, so that start-up stays cheap.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/cli/bin.ts", index: "src/index.ts" },
  outdir: "dist",
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
  sourcemap: false,
  legalComments: "none",
  logLevel: "warning",
});
