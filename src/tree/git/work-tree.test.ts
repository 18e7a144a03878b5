import { afterAll, expect, test } from "bun:test"
import {
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { parseGitConfig } from "./config-file.ts"
import { readTrackedFiles } from "./tracked-files.ts"
import { findWorkTree, innerPath, isGitFolderName, isStillThere, workTreeAt } from "./work-tree.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-work-tree-")))
afterAll(() => rmSync(folder, { recursive: true }))

function repository(name: string, ...options: string[]): string {
  const top = join(folder, name)
  mkdirSync(top, { recursive: true })
  git(top, "init", "-q", ...options)
  return top
}

test("finds the top from any folder below", () => {
  const top = repository("plain")
  mkdirSync(join(top, "a/b"), { recursive: true })
  expect(findWorkTree(join(top, "a/b"))).toEqual({
    top,
    gitDir: join(top, ".git"),
    commonDir: join(top, ".git"),
    kind: "main",
  })
  expect(workTreeAt(join(top, "a"))).toBe(null)
})

test("a linked work tree uses its repository's common folder", () => {
  const top = repository("main")
  git(top, "commit", "-q", "--allow-empty", "-m", "first")
  git(top, "worktree", "add", "-q", join(folder, "linked"))
  expect(findWorkTree(join(folder, "linked"))).toEqual({
    top: join(folder, "linked"),
    gitDir: join(top, ".git/worktrees/linked"),
    commonDir: join(top, ".git"),
    kind: "linked",
  })
})

test("recognises a main work tree whose git folder is elsewhere", () => {
  const top = repository("separate", "--separate-git-dir", join(folder, "elsewhere.git"))
  expect(findWorkTree(top)).toMatchObject({ top, gitDir: join(folder, "elsewhere.git"), kind: "main" })
})

test("ignores a bare or broken .git", () => {
  const outer = repository("outer")
  git(outer, "init", "-q", "--bare", "bare/.git")
  mkdirSync(join(outer, "empty/.git"), { recursive: true })
  mkdirSync(join(outer, "dangling"))
  writeFileSync(join(outer, "dangling/.git"), "gitdir: ../nowhere\n")
  mkdirSync(join(outer, "garbage"))
  writeFileSync(join(outer, "garbage/.git"), "\0\xff")
  for (const name of ["bare", "empty", "dangling", "garbage"]) {
    expect(findWorkTree(join(outer, name))?.top).toBe(outer)
  }
})

test.each(["2", "3", "4"])("reads an index of version %p without running git", (version) => {
  const top = repository(`index-${version}`)
  const paths = ["a.ts", "a/b.ts", "a/é.ts", "a b/c", "ab.ts", "z/deep/er/file-with-a-longer-name.ts"]
  for (const path of paths) {
    mkdirSync(join(top, path, ".."), { recursive: true })
    writeFileSync(join(top, path), path)
  }
  git(top, "add", ".")
  // An intent to add is an extended flag, which is what makes version 3.
  writeFileSync(join(top, "later.ts"), "")
  git(top, "add", "-N", "later.ts")
  symlinkSync("a.ts", join(top, "z", "link.ts"))
  git(top, "add", "z/link.ts")
  if (version !== "3") git(top, "update-index", "--index-version", version)
  const tracked = readTrackedFiles(findWorkTree(top)!)!
  expect(tracked.size).toBe(paths.length + 2)
  const every = [...paths, "later.ts", "z/link.ts", "z"]
  expect(every.filter((path) => tracked.isLink(path))).toEqual(["z/link.ts"])
  for (const path of [...paths, "later.ts"]) expect(tracked.has(path)).toBe(true)
  expect(["a", "a/b", "b.ts", "zz", ""].filter((path) => tracked.has(path))).toEqual([])
  expect(["a", "a b", "z", "z/deep", "z/deep/er"].every((path) => tracked.hasInside(path))).toBe(true)
  expect(["ab", "z/d", "a.ts", "zz"].filter((path) => tracked.hasInside(path))).toEqual([])
})

test("returns null for an index of an unknown form", () => {
  const top = repository("strange")
  const workTree = findWorkTree(top)!
  expect(readTrackedFiles(workTree)).toBe(null)
  for (const bytes of [
    "",
    "DIRC",
    `DIRC\0\0\0\u0002\u007f\u007f\u007f\u007f${"x".repeat(80)}`,
    "x".repeat(500),
    // Two entries are announced; the path of the first one takes the place of the second.
    `DIRC\0\0\0\u0002\0\0\0\u0002${"\0".repeat(62)}${"x".repeat(70)}\0`,
  ]) {
    writeFileSync(join(top, ".git/index"), bytes)
    expect(readTrackedFiles(workTree)).toBe(null)
  }
})

test("returns null for an index that is no file or is endless", () => {
  const top = repository("endless")
  const workTree = findWorkTree(top)!
  const path = join(top, ".git/index")
  symlinkSync("/dev/zero", path)
  expect(readTrackedFiles(workTree)).toBe(null)
  unlinkSync(path)
  writeFileSync(path, "DIRC\0\0\0\u0002\0\0\0\u0001")
  truncateSync(path, 2 ** 33)
  expect(readTrackedFiles(workTree)).toBe(null)
})

test("returns null for an index of version 4 that would expand beyond memory", () => {
  const top = repository("bomb")
  // Each entry keeps 100,000 bytes of the previous path and adds one.
  const head = Buffer.from("DIRC\0\0\0\u0004\0\0\u0040\0", "latin1")
  const first = Buffer.concat([
    Buffer.alloc(62),
    Buffer.from([0]),
    Buffer.alloc(100_000, "a"),
    Buffer.from([0]),
  ])
  const next = Buffer.concat([Buffer.alloc(62), Buffer.from([1]), Buffer.from("bc\0")])
  const entries = Array.from({ length: 0x4000 - 1 }, () => next)
  writeFileSync(join(top, ".git/index"), Buffer.concat([head, first, ...entries, Buffer.alloc(20)]))
  expect(readTrackedFiles(findWorkTree(top)!)).toBe(null)
})

test("reads a split index with its shared file", () => {
  const top = repository("split")
  for (const name of ["a", "b", "c"]) writeFileSync(join(top, name), name)
  git(top, "add", "a", "b")
  git(top, "update-index", "--split-index")
  writeFileSync(join(top, "a"), "changed")
  git(top, "add", "a", "c")
  const tracked = readTrackedFiles(findWorkTree(top)!)!
  expect(["a", "b", "c", "d"].map((name) => tracked.has(name))).toEqual([true, true, true, false])
})

test("reads a sparse index, whose absent folders are single entries", () => {
  const top = repository("sparse")
  for (const path of ["a.ts", "in/b.ts", "out/c.ts"]) {
    mkdirSync(join(top, path, ".."), { recursive: true })
    writeFileSync(join(top, path), "")
  }
  git(top, "add", ".")
  git(top, "commit", "-q", "-m", "all")
  git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
  const tracked = readTrackedFiles(findWorkTree(top)!)!
  expect(["a.ts", "in/b.ts", "out/c.ts"].map((path) => tracked.has(path))).toEqual([true, true, false])
})

test("parses sections, quotes, comments and continued lines of git's configuration", () => {
  const text = `
# comment
[core] bare = false ; a note
  excludesFile = "a # b" c \\
 d
[Remote "Or\\"igin"]
	URL=x\\ty
[alias]
  flag
`
  expect(parseGitConfig(text)).toEqual([
    ["core.bare", "false"],
    ["core.excludesfile", "a # b c  d"],
    ['remote.Or"igin.url', "x\ty"],
    ["alias.flag", "true"],
  ])
})

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
  const result = Bun.spawnSync(["git", ...identity, ...args], { cwd })
  if (!result.success) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`)
}

const box = new TempProject({ "own/lock.db": "x\n" })
afterAll(() => box[Symbol.dispose]())

test("refuses files in our own folders, also under another name", () => {
  linkSync(join(box.root, "own/lock.db"), join(box.root, "other.txt"))
  expect(innerPath(box.root, "own/lock.db", [join(box.root, "own")])).toBe("private")
  expect(innerPath(box.root, "other.txt", [join(box.root, "own")])).toBe("private")
  expect(innerPath(box.root, "other.txt", [])).toMatchObject({ path: "other.txt" })
  // The project itself is inside one of the given folders.
  expect(innerPath(box.root, "other.txt", [box.box])).toMatchObject({ path: "other.txt" })
})

test("detects a file that replaced the requested one", () => {
  box.write("c/d.txt", "inside\n")
  mkdirSync(join(box.box, "evil"))
  writeFileSync(join(box.box, "evil/d.txt"), "outside\n")
  const inside = fstatSync(openSync(join(box.root, "c/d.txt"), "r"))
  expect(isStillThere(box.root, "c/d.txt", inside)).toBe(true)
  renameSync(join(box.root, "c"), join(box.root, "moved"))
  symlinkSync(join(box.box, "evil"), join(box.root, "c"))
  const opened = fstatSync(openSync(join(box.root, "c/d.txt"), "r"))
  expect(isStillThere(box.root, "c/d.txt", opened)).toBe(false)
})

test.each([
  ".git",
  ".GIT",
  ".Git ",
  ".git...",
  ".git::$INDEX_ALLOCATION",
  "git~1",
  ".g\u200cit",
  ".git\ufeff",
])("%j may be git's folder", (name) => expect(isGitFolderName(name)).toBe(true))

test.each(["git", ".github", ".gitignore", ".gitattributes", ".git-blame", "x.git", "git~10", ".gi"])(
  "%j is not git's folder",
  (name) => expect(isGitFolderName(name)).toBe(false),
)
