import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { git } from "../git-edits.ts"
import { binary, Workspace } from "./harness.ts"
import { runsPrograms } from "./hostile-project.ts"

setDefaultTimeout(60_000)

const FILES = 600
const LATE = "docs/zz/late.md"
const BODY = "    total = total + handle(total, items)  # keeps the running total of all items\n".repeat(40)

function bigProject(files = FILES): Workspace {
  const space = new Workspace({ [LATE]: "# Late\n\nNothing yet.\n" })
  for (let i = 0; i < files; i++)
    space.write(`src/m${i}.py`, `def work_${i}(items):\n    total = ${i}\n${BODY}`)
  return space
}

function committed(space: Workspace): void {
  git(space.project, "init", "-q", "-b", "main")
  git(space.project, "add", "-A")
  expect(git(space.project, "commit", "-qm", "all")).toBe(0)
}

/**
 * Starts a first index run and kills it as soon as the file at `path` is indexed. Returns the number of files
 * indexed by then.
 */
async function indexedBefore(space: Workspace, root: string, path: string): Promise<number> {
  const args = [binary, "index", "--quiet", "--root", root]
  const child = Bun.spawn(args, { env: { ...space.env, AMAN_INDEX_WORKERS: "1" }, stdout: "ignore" })
  try {
    while (child.exitCode === null) {
      const found = filesWith(join(root, ".aman", "index.db"), path)
      if (found !== null) return found
      await Bun.sleep(2)
    }
    throw new Error(`the run ended with ${child.exitCode} first`)
  } finally {
    child.kill("SIGKILL")
    await child.exited
  }
}

function filesWith(index: string, path: string): number | null {
  try {
    using db = new Database(index, { readonly: true })
    return (
      db
        .query<{ n: number }, [string]>(
          "SELECT (SELECT files FROM totals) AS n FROM files WHERE path = ? AND (SELECT files FROM totals) > 0",
        )
        .get(path)?.n ?? null
    )
  } catch {
    return null // The index does not exist yet or is being created.
  }
}

test("files of the latest commits are indexed first in a fresh clone", async () => {
  using space = bigProject()
  committed(space)
  appendFileSync(join(space.project, LATE), "Late is now.\n")
  git(space.project, "commit", "-qam", "late")
  const clone = join(space.dir, "clone")
  git(space.dir, "clone", "-q", space.project, clone)
  expect(await indexedBefore(space, clone, LATE)).toBeLessThan(FILES / 2)
})

test("files edited since the last commit are indexed first, whatever their time", async () => {
  using space = bigProject()
  committed(space)
  appendFileSync(join(space.project, LATE), "Late is now.\n")
  utimesSync(join(space.project, LATE), 1e9, 1e9)
  expect(await indexedBefore(space, space.project, LATE)).toBeLessThan(FILES / 2)
})

test("recently written files are indexed first without git", async () => {
  using space = bigProject()
  for (let i = 0; i < FILES; i++) utimesSync(join(space.project, `src/m${i}.py`), 1e9, 1e9)
  expect(await indexedBefore(space, space.project, LATE)).toBeLessThan(FILES / 2)
})

test.skipIf(process.platform === "win32")(
  "git is run, but no program that its configuration names",
  async () => {
    using space = bigProject(300)
    committed(space)
    appendFileSync(join(space.project, LATE), "Late is now.\n")
    git(space.project, "commit", "-qam", "late")
    runsPrograms(space)
    const run = join(space.project, "run.sh")
    appendFileSync(
      join(space.project, ".git/config"),
      `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${run}\n[diff]\n\texternal = ${run}\n[pager]\n\tlog = ${run}\n`,
    )
    const mark = join(space.dir, "MARK")
    git(space.project, "diff", "HEAD^", "HEAD")
    expect(existsSync(mark)).toBe(true)
    rmSync(mark)
    expect((await space.json(["index"])).files).toBeGreaterThan(300)
    expect(existsSync(mark)).toBe(false)
  },
)
