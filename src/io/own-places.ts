import { readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { ConfigFile } from "../core/config/file.ts";
import type { Provenance } from "../core/config/resolve.ts";
import { type Problem, problem, type Where } from "../core/nouns/problem.ts";
import { list } from "../core/text/json.ts";

/**
 * Settings that lead out of the project though no flag or variable says so. The config and all links in the working tree
 * belong to whatever branch is checked out: it may not choose what is read, nor where is written.
 */
export function placesOutside(
  root: string,
  provenance: readonly Provenance[],
  file: ConfigFile | null,
): Problem[] {
  return provenance.flatMap(({ key, value, from }) => {
    if (from === "flag" || from === "env") return [];
    const where: Where = from === "file" && file !== null ? file.where([key]) : { key };
    const texts = (typeof value === "string" ? [value] : list(value)).filter(
      (item) => typeof item === "string",
    );
    return texts.flatMap((text) => outside(root, key, text, where));
  });
}

function outside(root: string, key: string, text: string, where: Where): Problem[] {
  if (key === "cases" && leadsOut(text)) return [refused(where, key, text, "leads")];
  if (key === "baseline" || key === "candidate") {
    const folders = [...text.matchAll(/(?:^|=)dir:([^+]*)/g)].map(([, folder]) => folder ?? "");
    return folders.filter(leadsOut).map((folder) => refused(where, key, folder, "leads"));
  }
  if (key !== "reports" && key !== "recordings") return [];
  if (leadsOut(text)) return [refused(where, key, text, "leads")];
  return isBelow(realPlace(resolve(root, text)), root)
    ? []
    : [refused(where, key, text, "is a link that leads")];
}

function refused(where: Where, key: string, text: string, how: string): Problem {
  const flag = `--${key} or EVALKIT_${key.toUpperCase()}`;
  return problem(
    "path-outside",
    where,
    `${JSON.stringify(text)} ${how} out of the project: a branch could choose where files are read and written`,
    `if that is wanted, give it by ${flag}`,
  );
}

/** Whether a path says so itself. */
function leadsOut(path: string): boolean {
  return /^([/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes("..");
}

/** Whether a real path is the folder or lies below it. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Where a path really leads; the part of it that is not there yet is taken as it is written. */
function realPlace(path: string, hops = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    const target = linkTarget(path);
    if (target !== null && hops < 20) return realPlace(resolve(above, target), hops + 1);
    return above === path ? path : resolve(realPlace(above, hops), relative(above, path));
  }
}

/** Where a link points, though nothing be there. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
