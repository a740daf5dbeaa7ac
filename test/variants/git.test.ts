import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitsBetween, findRepositoryRoot, openGitTree, resolveCommit } from "../../src/io/git.ts";
import { readTreeText } from "../../src/io/tree.ts";
import { openFolderTree } from "../../src/io/tree-folder.ts";
import { commit, git, repository, tempDir, writeFiles } from "../support/project.ts";

const head = (dir: string, rev = "HEAD") => git(dir, "rev-parse", rev).trim();
const message = (run: Promise<unknown>) =>
  run.then(
    () => "resolved",
    (error: Error) => error.message,
  );

describe("revisions", () => {
  test("branches, tags, shas and relatives are commits; an annotated tag is its commit", async () => {
    const dir = repository({ a: "1" }, { other: { a: "2" } });
    git(dir, "tag", "-a", "v1", "-m", "one", "other");
    const other = head(dir, "other");
    for (const rev of ["other", "v1", other, other.slice(0, 9), "refs/heads/other"])
      expect(await resolveCommit(dir, rev)).toBe(other);
    expect(await resolveCommit(dir, "other~1")).toBe(head(dir, "main"));
  });

  test("what is missing is explained", async () => {
    const dir = repository({ a: "1" }, { "my-branch": { a: "2" } });
    expect(await message(resolveCommit(dir, "my-brnach"))).toContain("did you mean my-branch?");
    expect(await message(resolveCommit(dir, "HEAD:a"))).toContain("names a blob, not a commit");
    expect(await message(resolveCommit(dir, "--all"))).toContain("--all");
    expect(await message(resolveCommit(dir, "main..my-branch"))).toContain("main..my-branch");
    expect(await message(resolveCommit(tempDir(), "main"))).toContain("not a git repository");
    const empty = tempDir();
    git(empty, "init", "-q");
    expect(await message(resolveCommit(empty, "main"))).toContain("no commit yet");
  });

  test("a shallow clone says so, and what the remote has is named", async () => {
    const origin = repository({ a: "1" }, { topic: { a: "2" } });
    commit(origin, { a: "3" }, "Third");
    const clone = tempDir();
    git(clone, "clone", "-q", "--depth=1", `file://${origin}`, ".");
    expect(await message(resolveCommit(clone, "HEAD~1"))).toContain("shallow");
    const full = tempDir();
    git(full, "clone", "-q", origin, ".");
    expect(await message(resolveCommit(full, "topic"))).toContain("origin/topic exists");
  });

  test("a repository that surrounds the call by variables is not the one that is read", async () => {
    const dir = repository({ a: "1" });
    const other = repository({ a: "2" });
    const env = {
      ...process.env,
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_OBJECT_DIRECTORY: "/nowhere",
    };
    expect(await findRepositoryRoot(dir, env)).toBe(dir);
    expect(await resolveCommit(dir, "main", env)).toBe(head(dir));
  });

  test("the root is found from below, and is null outside", async () => {
    const dir = repository({ "pkg/sub/a": "1" });
    expect(await findRepositoryRoot(join(dir, "pkg/sub"))).toBe(dir);
    expect(await findRepositoryRoot(tempDir())).toBeNull();
  });

  test("the commits of a range carry their why", async () => {
    const dir = repository({ a: "1" });
    git(dir, "checkout", "-q", "-b", "topic");
    commit(dir, { a: "2" }, "Second\n\nBecause of\nthat.");
    commit(dir, { a: "3" }, "Third");
    expect(await commitsBetween(dir, "main", "topic")).toEqual([
      { commit: head(dir), subject: "Third", body: "" },
      { commit: head(dir, "HEAD~1"), subject: "Second", body: "Because of\nthat." },
    ]);
    expect(await commitsBetween(dir, "main", "nowhere")).toEqual([]);
  });
});

describe("trees", () => {
  const files = { "p/a.md": "A\r\n", "p/deep/b é.md": "B", "q/c.md": "C", "p/big.md": "x".repeat(2000) };

  test("a commit and a folder with the same files read alike", async () => {
    const dir = repository(files);
    symlinkSync("a.md", join(dir, "p/link.md"));
    commit(dir, {}, "A link");
    const commitTree = await openGitTree(dir, head(dir));
    const folderTree = openFolderTree(dir, "worktree");
    const [one, two] = [await commitTree.list(["p", "nowhere"]), await folderTree.list(["p", "nowhere"])];
    expect([...one.values()]).toEqual([...two.values()]);
    expect([...one.keys()]).toEqual(["p/a.md", "p/big.md", "p/deep/b é.md", "p/link.md"]);
    expect(one.get("p/link.md")).toEqual({ path: "p/link.md", kind: "link", target: "a.md" });
    for (const tree of [commitTree, folderTree]) {
      const read = await tree.read(["p/a.md", "p/big.md", "p/link.md", "nowhere"], 1000);
      expect([...read.keys()]).toEqual(["p/a.md", "p/big.md"]);
      expect(read.get("p/big.md")).toMatchObject({ kind: "unreadable", code: "too-large" });
      expect(await readTreeText(tree, "p/a.md")).toBe("A\n");
      expect(await readTreeText(tree, "p/link.md")).toBe("A\n");
      expect(await readTreeText(tree, "p/none.md")).toBeNull();
    }
  });

  test("a root below the repository's top folder has paths of its own", async () => {
    const dir = repository({ "sub/p/a.md": "A", "p/a.md": "not this" });
    const tree = await openGitTree(join(dir, "sub"), head(dir));
    expect([...(await tree.list(["p"])).keys()]).toEqual(["p/a.md"]);
    expect(await readTreeText(tree, "p/a.md")).toBe("A");
  });

  test("the working tree plays no part in a commit, and reading changes nothing in it", async () => {
    const dir = repository({ "p/a.md": "committed" });
    writeFiles(dir, { "p/a.md": "dirty", "p/new.md": "new" });
    const before = git(dir, "status", "--porcelain");
    const tree = await openGitTree(dir, await resolveCommit(dir, "main"));
    expect([...(await tree.list(["p"])).keys()]).toEqual(["p/a.md"]);
    expect(await readTreeText(tree, "p/a.md")).toBe("committed");
    expect(git(dir, "status", "--porcelain")).toBe(before);
  });

  test("an object that the clone lacks is named as missing", async () => {
    const origin = repository({ "p/a.md": "A" });
    git(origin, "config", "uploadpack.allowFilter", "true");
    const clone = tempDir();
    git(clone, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${origin}`, ".");
    git(clone, "remote", "set-url", "origin", "file:///nowhere");
    const tree = await openGitTree(clone, head(clone));
    expect(await message(readTreeText(tree, "p/a.md"))).toMatch(/not in this clone|can't be listed/);
  });
});
