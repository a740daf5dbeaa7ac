import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of evalkit's own package, from a bundle in dist/ as from a source file. */
export function packageRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(dir, "package.json");
    if (existsSync(manifest) && /"name":\s*"evalkit"/.test(readFileSync(manifest, "utf8"))) return dir;
    const above = dirname(dir);
    if (above === dir) throw new Error("evalkit's own package folder was not found");
    dir = above;
  }
}
