import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { git } from "../git-edits.ts"
import { Workspace } from "./harness.ts"
import { runsPrograms } from "./hostile-project.ts"
import { indexedBefore } from "./killed-index.ts"

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
