import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageRoot } from "./package-root.ts";
import { errorCode } from "./files.ts";
import { makeFolder } from "./make-folder.ts";

/** One file of the starter: where it comes from in templates/, where it goes, and when it is not wanted. */
interface StarterFile {
  readonly template: string;
  readonly target: string;
  /** Paths of which one that exists says that the project has this already. */
  readonly unless: readonly string[];
}

/** A whole small set of layers, for a project that has none; one file among the project's own would not fit them. */
const LAYERS = [
  "base.md",
  "personalities/calm.md",
  "modes/agent.md",
  "approvals/auto.md",
  "approvals/suggest.md",
  "approvals/never.md",
  "context/context-management.md",
];

const FILES: readonly StarterFile[] = [
  { template: "evalkit.yaml", target: "evalkit.yaml", unless: ["evalkit.yml"] },
  ...LAYERS.map((name) => ({ template: `prompts/${name}`, target: `prompts/${name}`, unless: ["prompts"] })),
  { template: "skills/release-note/SKILL.md", target: "skills/release-note/SKILL.md", unless: [] },
  { template: "cases/first.yaml", target: "cases/first.yaml", unless: [] },
  {
    template: "workflow.yml",
    target: ".github/workflows/evalkit.yml",
    unless: [".github/workflows/evalkit.yaml"],
  },
  { template: "gitignore", target: ".gitignore", unless: [] },
];

/** What became of the starter's files, by target path. */
export interface Written {
  readonly written: readonly string[];
  /** Were there already; never touched. */
  readonly kept: readonly string[];
}

/** Puts the starter into a folder. Files that exist are kept as they are, whatever they hold. */
export async function writeStarter(root: string): Promise<Written> {
  const templates = join(packageRoot(), "templates");
  const written: string[] = [];
  const kept = new Set<string>();
  // Looked at before anything is written, so that the starter's own first file does not keep out its second.
  const files = FILES.map((file) => ({
    ...file,
    there: file.unless.find((path) => existsSync(join(root, path))),
  }));
  for (const { template, target, there } of files) {
    if (there !== undefined) kept.add(there);
    else if (await writeNew(join(root, target), await readFile(join(templates, template), "utf8")))
      written.push(target);
    else kept.add(target);
  }
  return { written, kept: [...kept] };
}

/** False when something stands there already; `wx` also refuses to write through a link. */
async function writeNew(path: string, text: string): Promise<boolean> {
  makeFolder(dirname(path));
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
