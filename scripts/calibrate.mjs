// Bundles bench/calibrate and runs it: simulations of the verdict, seeded. Arguments are passed on (--quick, --write).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "evalkit-calibrate-"));
try {
  const outfile = join(folder, "calibrate.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/calibrate/main.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  process.chdir(root);
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
