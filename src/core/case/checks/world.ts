import type { Path } from "../../text/path.ts";
import type { Inspection } from "../report.ts";

/** Files and pages of a world: paths that stay inside it, addresses that a tool can be asked for. */
export function checkWorld(look: Inspection): void {
  const { files, pages } = look.case.world;
  const names = Object.keys(files);
  for (const name of names) {
    const wrong = badWorldPath(name);
    if (wrong !== null)
      look.error(
        "bad-path",
        ["world", "files", name],
        `${JSON.stringify(name)} ${wrong}`,
        "write it like src/app.ts",
      );
    const below = names.find((other) => other.startsWith(`${name}/`));
    if (below !== undefined) {
      look.error(
        "bad-path",
        ["world", "files", name],
        `${JSON.stringify(name)} is a file, but ${JSON.stringify(below)} lies in it`,
      );
    }
  }
  for (const address of Object.keys(pages)) checkAddress(look, address, ["world", "pages", address]);
}

/** Why a path can't be one of a world's files, or null; completes "PATH …". */
export function badWorldPath(path: string): string | null {
  if (path === "") return "is empty";
  if (/^(\/|[A-Za-z]:)/.test(path)) return "is absolute; paths of a world are relative to its root";
  if (path.includes("\\")) return "holds a backslash; write / between names";
  if (/[\u0000-\u001f\u007f]/.test(path)) return "holds a control character";
  const names = path.split("/");
  if (names.includes("..")) return "holds .. and may leave the world";
  return names.some((name) => name === "" || name === ".") ? "holds an empty name or ." : null;
}

function checkAddress(look: Inspection, address: string, path: Path): void {
  const parsed = URL.canParse(address) ? new URL(address) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const hint = "write it like https://docs.example.test/start";
    look.error("bad-url", path, `${JSON.stringify(address)} is no absolute http or https address`, hint);
  } else if (parsed.hash !== "") {
    look.warn("bad-url", path, "a page is asked for without the part after #", "leave that part out");
  }
}
