import { afterEach, expect, test } from "bun:test"
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { noteFigures } from "../figures.ts"
import { randomFrom } from "../random.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

const SWAPS = Number(process.env["AMAN_TEST_SWAPS"] ?? 12)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 1)
const LONGEST_MS = 25
/** One process of the command line after so many swaps. */
const COMMAND_EACH = 4

const NAMES = [
  ...["index.db", "index.db-wal", "index.db-shm", "index.db-journal", "lock.db", "lock.db-journal", "wanted"],
  ...[
    ".gitignore",
    "keyword-1.seg",
    "keyword-2.seg",
    "keyword-2.seg.tmp",
    "vectors-1-1.vec",
    "vectors-1-2.vec.tmp",
  ],
]

let random = randomFrom(SEED)
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const aMoment = () => Bun.sleep(random() * LONGEST_MS)

let space: Workspace | null = null
afterEach(() => {
  space?.[Symbol.dispose]()
  space = null
})

/** Two folders of somebody else's: one stands for the index's folder, one for the project or its parent. */
function victimsIn(dir: string): { readonly index: string; readonly parent: string } {
  const index = join(dir, "victim")
  const parent = join(dir, "other")
  const inner = [join(parent, ".aman"), join(parent, "project", ".aman")]
  for (const folder of [index, ...inner]) {
    mkdirSync(folder, { recursive: true })
    for (const name of NAMES) writeFileSync(join(folder, name), `precious ${name}`)
  }
  return { index, parent }
}

/** What a folder and all below it hold, but for the number of names a file has. */
function picture(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const path = join(folder, name)
    const { ino, mtimeNs, mode } = lstatSync(path, { bigint: true })
    const isFile = lstatSync(path).isFile()
    return `${name} ${ino} ${isFile ? `${mtimeNs} ${readFileSync(path, "utf8")}` : ""} ${mode}`
  })
}

/** Puts something in the place of a path for a moment, and takes it away again. */
async function swapFolder(path: string, victim: string): Promise<void> {
  const aside = `${path}-aside`
  try {
    renameSync(path, aside)
  } catch {
    // Not there just now, as the index's folder before its first run.
    return
  }
  symlinkSync(victim, path)
  await aMoment()
  await aMoment()
  rmSync(path)
  // Another process may have made a folder there meanwhile: both are ours.
  rmSync(path, { recursive: true, force: true })
  renameSync(aside, path)
}

async function swapFile(folder: string, victim: string): Promise<void> {
  const name = pick(NAMES)
  const passing = join(folder, "passing")
  try {
    const kind = pick(["link", "name", "pipe"] as const)
    if (kind === "link") symlinkSync(join(victim, name), passing)
    else if (kind === "name") linkSync(join(victim, name), passing)
    else Bun.spawnSync(["mkfifo", passing])
    renameSync(passing, join(folder, name))
  } catch {
    // The folder is not there just now.
  }
  await aMoment()
}

/** Until a file that was written after all swaps is found. */
async function worksAgain(server: Connection, project: string): Promise<void> {
  writeFileSync(join(project, "last.py"), "def zebrafinch():\n    return 1\n")
  for (;;) {
    const { structuredContent } = await server.call("search", { query: "zebrafinch", mode: "keyword" })
    if (structuredContent?.results?.[0]?.path === "last.py") return
    await Bun.sleep(20)
  }
}

test.skipIf(process.platform !== "linux")(
  "whatever folder is swapped at any moment, nothing is written elsewhere, no process hangs, and all works again",
  async () => {
    random = randomFrom(SEED)
    space = new Workspace()
    const outer = join(space.dir, "outer")
    const project = join(outer, "project")
    for (const [path, text] of Object.entries(SHOP)) {
      mkdirSync(join(project, path, ".."), { recursive: true })
      writeFileSync(join(project, path), text)
    }
    const victims = victimsIn(space.dir)
    const before = [picture(victims.index), picture(victims.parent)]
    await using server = await connect(space, { cwd: project })
    const commands: Promise<unknown>[] = []
    for (let swap = 0; swap < SWAPS; swap++) {
      if (swap % COMMAND_EACH === 0) {
        const command = pick([["index"], ["search", "refund"], ["status"], ["index", "--force"]])
        commands.push(space.run([...command, "--root", project]))
        if (commands.length > 2) await commands.shift()
      }
      writeFileSync(join(project, "edited.py"), `def word_${swap}():\n    return 1\n`)
      const kind = pick(["folder", "file", "file", "file", "project", "parent"] as const)
      if (kind === "folder") await swapFolder(join(project, ".aman"), victims.index)
      else if (kind === "file") await swapFile(join(project, ".aman"), victims.index)
      else {
        // A command that starts behind the link was told to work there.
        await Promise.all(commands.splice(0))
        await swapFolder(kind === "project" ? project : outer, victims.parent)
      }
      expect({ swap, kind, now: [picture(victims.index), picture(victims.parent)] }).toEqual({
        swap,
        kind,
        now: before,
      })
    }
    await Promise.all(commands)
    await worksAgain(server, project)
    expect([picture(victims.index), picture(victims.parent)]).toEqual(before)
    noteFigures("swaps", { swaps: SWAPS, "files changed": 0 })
  },
  // A process that waits for a pipe would never come to an end.
  60_000 + SWAPS * 1_000,
)
