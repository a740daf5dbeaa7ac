// Bundles src/ into dist/: one file per command, loaded when it is asked for, so that start-up stays cheap.
//   --package   also the type declarations and the licences of what is bundled: what a package needs
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const fresh = `${root}dist.${process.pid}`;
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/cli/bin.ts", index: "src/index.ts", "shell-worker": "src/cli/shell-worker.ts" },
  outdir: fresh,
  metafile: true,
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
if (process.argv.includes("--package")) {
  execFileSync(
    process.execPath,
    [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json", "--outDir", `${fresh}/types`],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  writeFileSync(`${fresh}/LICENSES.txt`, licences(Object.keys(metafile.inputs)));
}

/** The licence texts of the packages that a bundle holds. */
function licences(inputs) {
  const names = inputs.flatMap((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(names)]
    .sort()
    .map((name) => {
      const folder = `${root}node_modules/${name}`;
      const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
      const text = file === undefined ? "" : readFileSync(`${folder}/${file}`, "utf8");
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

// Swapped in whole, so that a run in progress or a second build never meets half of it.
const old = `${fresh}.old`;
if (existsSync(`${root}dist`)) renameSync(`${root}dist`, old);
renameSync(fresh, `${root}dist`);
rmSync(old, { recursive: true, force: true });
