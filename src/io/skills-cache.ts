import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, exists } from "./files.ts";
import { packageRoot } from "./package-root.ts";

/** Name of the version file inside the cache. */
export const VERSION_FILE = ".version";

/** The cache after a look at it. */
export interface SkillsCache {
  readonly dir: string;
  /** Whether this call unpacked it; false: the version was the same, and what lies there was kept. */
  readonly unpacked: boolean;
}

/**
 * Unpacks the package's own skills into `cacheDir`: the same version is kept as it is, another one cleared and unpacked
 * again. Two processes may do so at once: each unpacks beside the cache and moves it in whole. The folder above the
 * cache's parent (the home) must exist.
 */
export async function unpackSkills(from: string, cacheDir: string, version: string): Promise<SkillsCache> {
  if ((await versionOf(cacheDir)) === version) return { dir: cacheDir, unpacked: false };
  const parent = dirname(cacheDir);
  await mkdir(parent).catch((error: unknown) => ignore(error, "EEXIST"));
  const fresh = await mkdtemp(join(parent, ".skills-cache-"));
  try {
    await cp(from, fresh, {
      recursive: true,
      filter: (path) => !/[/\\]node_modules$|[/\\]\.git$/.test(path),
    });
    await writeFile(join(fresh, VERSION_FILE), `${version}\n`);
    await moveIn(fresh, cacheDir);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return { dir: cacheDir, unpacked: true };
}

/** The skills folder that was shipped with this package, or null. */
export async function shippedSkills(): Promise<string | null> {
  const dir = join(packageRoot(), "skills");
  return (await exists(dir)) ? dir : null;
}

/** A rename can't replace a folder that has files, so the old one is moved away first; whoever loses the race tries again. */
async function moveIn(fresh: string, cacheDir: string): Promise<void> {
  const old = `${fresh}.old`;
  for (let tries = 0; tries < 20; tries += 1) {
    await rename(cacheDir, old).catch((error: unknown) => ignore(error, "ENOENT"));
    await rm(old, { recursive: true, force: true });
    try {
      await rename(fresh, cacheDir);
      return;
    } catch (error) {
      ignore(error, "ENOTEMPTY", "EEXIST");
    }
  }
}

async function versionOf(cacheDir: string): Promise<string | null> {
  return readFile(join(cacheDir, VERSION_FILE), "utf8").then(
    (text) => text.trim(),
    () => null,
  );
}

function ignore(error: unknown, ...codes: readonly string[]): void {
  if (!codes.includes(errorCode(error) ?? "")) throw error;
}
