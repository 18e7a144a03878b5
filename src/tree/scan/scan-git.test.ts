import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { scanProject } from "./scan-folder.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-scan-git-")))
const excludes = join(folder, "user-excludes")
let trees = 0

beforeAll(() => {
  // Git reads this configuration instead of the one on this machine.
  process.env["GIT_CONFIG_GLOBAL"] = join(folder, "gitconfig")
  writeFileSync(
    process.env["GIT_CONFIG_GLOBAL"],
    `[core]\n\texcludesFile = "${excludes}"\n[user]\n\tname = t\n\temail = t\n`,
  )
})

afterAll(() => {
  delete process.env["GIT_CONFIG_GLOBAL"]
  rmSync(folder, { recursive: true })
})

const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 4)

const name = fc.oneof(
  fc.constantFrom("a", "b", "ab", "a.x", "b.y", "a.x.y", "x y", "x ", "#a", "!a", "é", "A", "a]", "-b"),
  fc.stringMatching(/^[by.x]{1,4}$/).filter((text) => !/^\.+$/.test(text)),
)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
const glob = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: name },
      { weight: 4, arbitrary: fc.constantFrom("*", "**", "?", "/", "/**/", "**/", "/*", "*.x", "a*", "*b") },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "[ab]",
          "[!a]",
          "[a-x]",
          "[]]",
          "[[:alpha:]]",
          "[a",
          "\\",
          "\\a",
          "\\*",
          "\\ ",
          " ",
          "[^.]",
          "[\\]]",
        ),
      },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""))
const rule = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "\\"),
    fc.constantFrom("", "", "/"),
    glob,
    fc.constantFrom("", "", "/", " ", "\r"),
  )
  .map((parts) => parts.join(""))
const rules = fc.array(rule, { maxLength: 5 }).map((lines) => lines.join("\n"))

const tree = fc.record({
  files: fc.uniqueArray(path, { minLength: 1, maxLength: 25 }),
  ignores: fc.array(fc.tuple(fc.oneof(fc.constant(""), path), rules), { maxLength: 4 }),
  info: rules,
  user: rules,
  tracked: fc.array(fc.nat(24), { maxLength: 3 }),
  indexVersion: fc.constantFrom("2", "4"),
  // With true, git treats a tracked file as tracked in every spelling, as a case-insensitive file system
  // needs.
  ignoreCase: fc.boolean(),
})

test("finds exactly the files that git lists", () => {
  fc.assert(
    fc.property(tree, ({ files, ignores, info, user, tracked, indexVersion, ignoreCase }) => {
      const root = join(folder, `tree-${trees++}`)
      const there = [...files.filter((file) => write(join(root, file), "x"))]
      for (const [at, text] of ignores) write(join(root, at, ".gitignore"), text)
      git(root, "init", "-q", ".")
      writeFileSync(join(root, ".git/info/exclude"), info)
      writeFileSync(excludes, user)
      git(root, "config", "core.ignorecase", String(ignoreCase))
      const added = (ignoreCase ? [] : tracked).map((i) => there[i]).filter((file) => file !== undefined)
      if (added.length > 0) {
        git(root, "add", "-f", "--", ...added.map((file) => `:(literal)${file}`))
        git(root, "update-index", "--index-version", indexVersion)
      }
      const listed = git(root, "ls-files", "-z", "--others", "--cached", "--exclude-standard")
        .split("\0")
        .filter(Boolean)
      expect(scan(root)).toEqual([...new Set(listed)].sort())
      rmSync(root, { recursive: true })
      rmSync(excludes)
    }),
    { numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 40), seed: SEED },
  )
}, 1_800_000)

test("applies rules of parent folders unless they ignore the root itself", () => {
  const top = join(folder, "above")
  for (const file of ["sub/kept.ts", "sub/out.log", "gone/own.ts", "gone/own.log", "top.ts"])
    write(join(top, file), "x")
  write(join(top, ".gitignore"), "*.log\ngone/\n")
  git(top, "init", "-q", ".")
  expect(scan(join(top, "sub"))).toEqual(["kept.ts"])
  expect(scan(join(top, "gone"))).toEqual(["own.log", "own.ts"])
})

test("skips linked work trees and other clones, and includes submodules", () => {
  const other = join(folder, "other")
  write(join(other, "lib.ts"), "x")
  write(join(other, "junk.o1"), "x")
  write(join(other, ".gitignore"), "*.o1\n")
  commitAll(other)
  const top = join(folder, "superproject")
  write(join(top, "main.ts"), "x")
  write(join(top, ".gitignore"), "*.ts2\n")
  commitAll(top)
  git(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "module")
  git(top, "worktree", "add", "-q", "copy")
  git(top, "clone", "-q", other, "clone")
  write(join(top, "module/own.ts2"), "the superproject's rules end here")
  write(join(top, "module/more.o1"), "x")
  expect(scan(top)).toEqual([
    ".gitignore",
    ".gitmodules",
    "main.ts",
    "module/.gitignore",
    "module/lib.ts",
    "module/own.ts2",
  ])
  expect(scanProject(top, options(top)).skipped["nested repository"]).toBe(2)
  const without = scanProject(top, { ...options(top), exclude: ["module/"] })
  expect(without.files.map((file) => file.path)).toEqual([".gitignore", ".gitmodules", "main.ts"])
  expect(scan(join(top, "copy"))).toEqual([".gitignore", "main.ts"])
})

test("includes all clones in a folder that is no repository, each with its own rules", () => {
  const top = join(folder, "clones")
  for (const clone of ["one", "two"]) {
    write(join(top, clone, "a.ts"), "x")
    write(join(top, clone, `${clone}.ts`), "x")
    write(join(top, clone, ".gitignore"), `${clone}.ts\n`)
    git(join(top, clone), "init", "-q", ".")
  }
  write(join(top, "one/two.ts"), "x")
  expect(scan(top)).toEqual(["one/.gitignore", "one/a.ts", "one/two.ts", "two/.gitignore", "two/a.ts"])
})

function options(root: string) {
  return { maxFileBytes: 1_048_576, indexDir: join(root, ".aman") }
}

function scan(root: string): string[] {
  return scanProject(root, options(root)).files.map((file) => file.path)
}

/** Returns false if a file is in the place of a folder, or a folder in the place of a file. */
function write(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

function commitAll(root: string): void {
  git(root, "init", "-q", ".")
  git(root, "add", ".")
  git(root, "commit", "-q", "-m", "all")
}

function git(cwd: string, ...args: string[]): string {
  const result = Bun.spawnSync(["git", ...args], { cwd, env: { ...process.env } })
  if (!result.success) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`)
  return result.stdout.toString()
}
