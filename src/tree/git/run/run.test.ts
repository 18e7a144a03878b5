import { afterAll, beforeEach, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../../test/git-repository.ts"
import { committedText, headCommit, historyOf, recentlyCommitted, renamedTo, rootCommit } from "../changes.ts"
import { findWorkTree } from "../work-tree.ts"
import { isCommitId, runGit } from "./run.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const LIMITS = { timeoutMs: 60_000, maxBytes: 1_000_000 }

test("returns git's output, or the reason why there is none", async () => {
  const top = box.repository("plain", { "a.txt": "a\n" })
  expect(await runGit(["rev-parse", "--show-toplevel"], { cwd: top, ...LIMITS })).toEqual({
    ok: true,
    stdout: `${top}\n`,
  })
  expect(await runGit(["rev-list", "nothing"], { cwd: top, ...LIMITS })).toMatchObject({ reason: "failed" })
  expect(await runGit(["cat-file", "--batch-all-objects", "--batch"], { cwd: top, ...LIMITS, maxBytes: 100 }))
    .toMatchObject({ reason: "too large" }) // biome-ignore format: one thought a line
})

test("accepts only complete hashes as commit ids", () => {
  expect(isCommitId("a".repeat(40))).toBe(true)
  expect(["HEAD", "--all", "a".repeat(39), `${"a".repeat(40)}\n`, `${"a".repeat(40)}^`].filter(isCommitId)).toEqual([]) // biome-ignore format: one thought a line
})

test("reports that git is not installed", async () => {
  const path = process.env["PATH"]
  process.env["PATH"] = `relative:${box.folder("empty")}`
  try {
    expect(await runGit(["version"], { cwd: box.box, ...LIMITS })).toMatchObject({ reason: "missing" })
  } finally {
    process.env["PATH"] = path
  }
})

test("does not run a git that comes with the project", async () => {
  const top = box.repository("with-git", { "bin/git": "#!/bin/sh\necho mine\n" })
  chmodSync(join(top, "bin/git"), 0o755)
  const path = process.env["PATH"]
  process.env["PATH"] = `${join(top, "bin")}`
  try {
    expect(await runGit(["version"], { cwd: top, ...LIMITS })).toMatchObject({ reason: "missing" })
  } finally {
    process.env["PATH"] = path
  }
})

// Every program that a project's own files could make git execute writes a file here.
const marks = box.folder("marks")
beforeEach(() => {
  for (const name of readdirSync(marks)) rmSync(join(marks, name))
})

function hostile(name: string): { top: string; first: string } {
  const top = box.repository(name, {
    "a.txt": "line\n".repeat(20),
    ".gitattributes": "*.txt diff=evil filter=evil\n",
  })
  const first = git(top, "rev-parse", "HEAD")
  git(top, "mv", "a.txt", "b.txt")
  write(top, "b.txt", `${"line\n".repeat(20)}more\n`)
  commit(top, "renamed")
  const run = (mark: string) => `"touch '${join(marks, mark)}'; false"`
  write(top, "hooks/post-index-change", `#!/bin/sh\ntouch '${join(marks, "hook")}'\n`)
  chmodSync(join(top, "hooks/post-index-change"), 0o755)
  appendFileSync(
    join(top, ".git/config"),
    [
      `[core]\n fsmonitor = ${run("fsmonitor")}\n hooksPath = ${join(top, "hooks")}\n pager = ${run("pager")}`,
      ` sshCommand = ${run("ssh")}\n gitProxy = ${run("proxy")}\n askPass = ${run("askpass")}\n editor = ${run("editor")}`,
      ` alternateRefsCommand = ${run("alternates")}`,
      `[diff]\n external = ${run("external")}\n[diff "evil"]\n command = ${run("command")}\n textconv = ${run("textconv")}`,
      `[filter "evil"]\n clean = ${run("clean")}\n smudge = ${run("smudge")}\n process = ${run("process")}`,
      `[log]\n showSignature = true\n[gpg]\n program = ${run("gpg")}\n[pager]\n diff-tree = ${run("pagers")}`,
      `[alias]\n rev-list = !touch '${join(marks, "alias")}'\n[credential]\n helper = ${run("credential")}`,
      // Objects that the repository lacks are fetched from this remote, by a program.
      `[extensions]\n partialClone = evil\n[remote "evil"]\n promisor = true\n url = ${top}\n uploadpack = ${run("uploadpack")}`,
      "",
    ].join("\n"),
  )
  // Git reads a file again, through its filter, only if the file's time differs from the time that git has
  // recorded.
  utimesSync(join(top, "b.txt"), 1e9, 1e9)
  return { top, first }
}

const asked = async (top: string, first: string) => {
  await renamedTo(top, "a.txt", first, (path) => existsSync(join(top, path)))
  await renamedTo(top, "a.txt", null, () => false)
  await recentlyCommitted(top)
  const head = headCommit(findWorkTree(top)!)!
  const range = { head, since: null, limit: 5 }
  await historyOf(top, { path: "b.txt", startLine: 1, endLine: 3 }, range)
  await historyOf(top, { path: "b.txt" }, range)
  await committedText(top, head, "b.txt")
  await rootCommit(findWorkTree(top)!)
  await runGit(["blame", "--incremental", "--no-textconv", head, "--", "b.txt"], { cwd: top, ...LIMITS })
}

test.skipIf(process.platform === "win32")(
  "executes no program that the project's settings name",
  async () => {
    const { top, first } = hostile("hostile")
    // The control: git without our options executes them. Whether the commands fail does not matter.
    for (const args of [["status"], ["diff", "HEAD^"]]) spawnSync("git", args, { cwd: top })
    expect(readdirSync(marks).length).toBeGreaterThan(1)
    for (const name of readdirSync(marks)) rmSync(join(marks, name))
    await asked(top, first)
    expect(readdirSync(marks)).toEqual([])
  },
)

test.skipIf(process.platform === "win32")("does not fetch missing objects", async () => {
  const { top, first } = hostile("lazy")
  const blob = git(top, "rev-parse", "HEAD:b.txt")
  rmSync(join(top, ".git/objects", blob.slice(0, 2), blob.slice(2)))
  expect(() => git(top, "cat-file", "blob", blob)).toThrow()
  expect(readdirSync(marks)).toContain("uploadpack")
  for (const name of readdirSync(marks)) rmSync(join(marks, name))
  await asked(top, first)
  expect(readdirSync(marks)).toEqual([])
})

test("ignores git's variables that would redirect it", async () => {
  const top = box.repository("here", { "a.txt": "a\n" })
  process.env["GIT_DIR"] = box.folder("elsewhere")
  try {
    expect(await runGit(["rev-parse", "HEAD"], { cwd: top, ...LIMITS })).toMatchObject({ ok: true })
  } finally {
    delete process.env["GIT_DIR"]
  }
})
