import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { scanProject } from "./scan-folder.ts"
import type { ScanOptions } from "./scan-snapshot.ts"

// The rules that are not git's: our own ignore file, those of the configuration, folders without git.
const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-rules-")))
const CONFIG = join(box, "gitconfig")
let count = 0

beforeAll(() => {
  process.env["GIT_CONFIG_GLOBAL"] = CONFIG
})
afterAll(() => {
  delete process.env["GIT_CONFIG_GLOBAL"]
  rmSync(box, { recursive: true })
})

function project(files: Readonly<Record<string, string>>, withGit = true): string {
  const root = join(box, `p${count++}`)
  for (const [path, text] of Object.entries(files)) write(join(root, path), text)
  if (withGit) Bun.spawnSync(["git", "init", "-q"], { cwd: root })
  return root
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function scan(root: string, options: Partial<ScanOptions> = {}) {
  const { files, skipped } = scanProject(root, {
    maxFileBytes: 1000,
    indexDir: join(root, ".aman"),
    ...options,
  })
  return { files: files.map((file) => file.path).filter((path) => !/ignore$/.test(path)), skipped }
}

test(".amanignore excludes tracked files and includes files that git ignores", () => {
  const root = project({
    ".gitignore": "*.log\nbuild/\nout/\n",
    ".amanignore": "legacy/\n*.sql\n!keep.log\n!build/\n",
    "a.ts": "",
    "legacy/b.ts": "",
    "schema.sql": "",
    "keep.log": "",
    "drop.log": "",
    "build/made.ts": "",
    "build/drop.log": "",
    "out/made.ts": "",
    "sub/.amanignore": "!*.sql\n/deep/x.ts\n",
    "sub/kept.sql": "",
    "sub/deep/x.ts": "",
    "sub/deep/deep/x.ts": "",
  })
  Bun.spawnSync(["git", "add", "legacy", "schema.sql"], { cwd: root })
  expect(scan(root)).toEqual({
    files: ["a.ts", "build/made.ts", "keep.log", "sub/deep/deep/x.ts", "sub/kept.sql"],
    skipped: { excluded: 3, ignored: 3 },
  })
})

test(".amanignore includes files that aman skips itself, but never a secret", () => {
  const files = {
    "package.json": "{}",
    "node_modules/a/i.js": "",
    "node_modules/a/.env": "",
    "dist/i.js": "",
    "yarn.lock": "",
    "x.min.js": "",
    "logo.svg": "",
    ".env": "",
    ".ssh/config": "",
  }
  expect(scan(project(files)).files).toEqual(["logo.svg", "package.json"])
  expect(scan(project({ ...files, ".amanignore": "!*\n" }))).toEqual({
    files: ["dist/i.js", "logo.svg", "node_modules/a/i.js", "package.json", "x.min.js", "yarn.lock"],
    skipped: { secret: 3 },
  })
})

test("applies .amanignore in repositories below it, and rules above the root", () => {
  const root = project({
    ".amanignore": "*.gen.ts\n/sub/b.ts\n",
    "sub/a.gen.ts": "",
    "sub/a.ts": "",
    "sub/b.ts": "",
  })
  expect(scan(join(root, "sub")).files).toEqual(["a.ts"])
  const clones = project({ ".amanignore": "*.gen.ts\n", "one/a.ts": "", "one/a.gen.ts": "" }, false)
  Bun.spawnSync(["git", "init", "-q"], { cwd: join(clones, "one") })
  expect(scan(clones).files).toEqual(["one/a.ts"])
})

test("applies the same rules without git, including the user's own", () => {
  writeFileSync(CONFIG, `[core]\n\texcludesFile = ${join(box, "everywhere")}\n`)
  writeFileSync(join(box, "everywhere"), "*.tmp\n")
  const files = { ".gitignore": "*.log\n", "a.ts": "", "a.log": "", "a.tmp": "", "sub/b.log": "" }
  expect(scan(project(files, false))).toEqual({ files: ["a.ts"], skipped: { ignored: 3 } })
  writeFileSync(CONFIG, "")
})

test("reads the user's conditional configuration, with ~ as the home folder", () => {
  const root = project({ "a.work": "", "b.ts": "" })
  writeFileSync(CONFIG, `[includeIf "gitdir:${root}/"]\n\tpath = work.config\n`)
  writeFileSync(join(box, "work.config"), `[core]\n\texcludesFile = ${join(box, "work.ignore")}\n`)
  writeFileSync(join(box, "work.ignore"), "*.work\n")
  expect(scan(root).files).toEqual(["b.ts"])
  expect(scan(project({ "a.work": "" })).files).toEqual(["a.work"])
  writeFileSync(CONFIG, "")
})

test("accepts only files inside the project from its configuration", () => {
  const root = project({ "own.rules": "*.own\n", "a.own": "", "a.out": "", "b.ts": "" })
  writeFileSync(join(box, "outside.rules"), "*.out\n")
  const set = (path: string) => Bun.spawnSync(["git", "config", "core.excludesFile", path], { cwd: root })
  set("own.rules")
  expect(scan(root).files).toEqual(["a.out", "b.ts", "own.rules"])
  set("../outside.rules")
  expect(scan(root).files).toEqual(["a.out", "a.own", "b.ts", "own.rules"])
  symlinkSync(join(box, "outside.rules"), join(root, "inside.rules"))
  set("inside.rules")
  expect(scan(root).files).toEqual(["a.out", "a.own", "b.ts", "own.rules"])
})

test("ignores a .gitignore that is a link, like git", () => {
  const root = project({ "a.log": "" })
  writeFileSync(join(box, "linked.rules"), "*.log\n")
  symlinkSync(join(box, "linked.rules"), join(root, ".gitignore"))
  expect(scan(root)).toEqual({ files: ["a.log"], skipped: { link: 1 } })
})

test("applies the include and exclude lists of the settings", () => {
  const root = project({
    "src/a.ts": "",
    "src/a.gen.ts": "",
    "lib/b.ts": "",
    "docs/c.md": "",
    ".amanignore": "!a.gen.ts\n",
  })
  expect(scan(root, { include: ["src/", "*.md"] }).files).toEqual(["docs/c.md", "src/a.gen.ts", "src/a.ts"])
  expect(scan(root, { exclude: ["*.gen.ts", "/lib"] })).toEqual({
    files: ["docs/c.md", "src/a.gen.ts", "src/a.ts"],
    skipped: { excluded: 1 },
  })
})

test("skips links that git wrote as text files, as it skips links", () => {
  const source = project({
    "kept.ts": "",
    "docs/guide.md": "text\n",
    "docs/rules": "*.ts\n",
    "link.txt": "a file",
  })
  symlinkSync("docs/guide.md", join(source, "guide.md"))
  symlinkSync("docs", join(source, "folder"))
  symlinkSync("docs/rules", join(source, ".gitignore"))
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=t", "-c", "user.email=t", "-c", "protocol.file.allow=always"]
    expect(Bun.spawnSync(["git", ...who, ...args], { cwd: source }).exitCode).toBe(0)
  }
  git("add", "-f", ".")
  git("commit", "-q", "-m", "links")
  const cloneOf = (symlinks: boolean) => {
    const clone = join(box, `links-${symlinks}`)
    git("clone", "-q", "-c", `core.symlinks=${symlinks}`, source, clone)
    return clone
  }
  const asText = scan(cloneOf(false))
  expect(asText).toEqual(scan(cloneOf(true)))
  expect(asText).toEqual({
    files: ["docs/guide.md", "docs/rules", "kept.ts", "link.txt"],
    skipped: { link: 3 },
  })
})
