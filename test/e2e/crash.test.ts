import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { openStore } from "../../src/store/open.ts"
import { noteFigures } from "../figures.ts"
import { rankingsOf, truthOf } from "../index-equality.ts"
import { moduleOf } from "../modules.ts"
import { randomFrom } from "../random.ts"
import { binary, Workspace } from "./harness.ts"

const KILLS = Number(process.env["AMAN_TEST_KILLS"] ?? 20)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)
const FILES = 400
const EDITS = 60
const QUESTIONS = ["bacedi", "how does fogu the haje of kilo", "class muna", "m7"]

test(
  "killed at any moments, it opens, answers and goes on where it was, to what a new index is",
  async () => {
    using space = new Workspace()
    const random = randomFrom(SEED)
    for (let index = 0; index < FILES; index++) space.write(...moduleOf(index, 0))
    const started = performance.now()
    const first = await freshTruth(space)
    const life = { random, longestMs: performance.now() - started }
    const tally = { kills: 0, completed: 0, kept: 0, again: 0 }

    while (tally.kills < KILLS / 2) {
      await killOnce(space, life, tally)
      if (!(await isReady(space))) continue
      expect(truthOf(dirOf(space))).toEqual(first)
      rmSync(dirOf(space), { recursive: true })
    }
    await finish(space, tally)
    expect(truthOf(dirOf(space))).toEqual(first)

    for (let round = 1; tally.kills < KILLS; round++) {
      for (let edits = 0; edits < EDITS; edits++)
        space.write(...moduleOf(Math.floor(random() * FILES), round))
      await killOnce(space, life, tally)
    }
    await finish(space, tally)
    expect(truthOf(dirOf(space))).toEqual(await freshTruth(space))
    const env = { AMAN_INDEX_DIR: join(space.dir, "fresh") }
    expect(await rankingsOf(space, {}, QUESTIONS)).toEqual(await rankingsOf(space, env, QUESTIONS))
    expect(tally.again).toBe(0)
    noteFigures("crash", tally)
  },
  6_000 * KILLS + 60_000,
)

type Tally = {
  kills: number
  completed: number
  /** Files that were committed when it was killed, and those of them that were cut a second time. */
  kept: number
  again: number
}
type Life = { readonly random: () => number; readonly longestMs: number }

async function killOnce(space: Workspace, life: Life, tally: Tally): Promise<void> {
  const before = committed(space)
  const child = Bun.spawn([binary, "index", "--quiet"], { cwd: space.project, env: space.env })
  await Promise.race([child.exited, Bun.sleep(life.random() * life.longestMs)])
  if (child.exitCode === null) tally.kills++
  else tally.completed++
  child.kill("SIGKILL")
  await child.exited
  const status = await space.run(["status", "--json"])
  expect([status.code, status.stderr]).toEqual([0, ""])
  const after = committed(space)
  count(before, after, tally)
}

/** A version that is of the same bytes and has another id was cut again. */
function count(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, tally: Tally): void {
  tally.kept += before.size
  for (const [version, id] of before) {
    const now = after.get(version)
    if (now !== undefined && now !== id) tally.again++
  }
}

async function finish(space: Workspace, tally: Tally): Promise<void> {
  const before = committed(space)
  const report = await space.json(["index"])
  expect(report.files).toBe(FILES)
  expect(report.notices).toEqual([])
  count(before, committed(space), tally)
}

/** Ids of the versions in the index, by path and content. */
function committed(space: Workspace): Map<string, number> {
  try {
    using store = openStore(join(dirOf(space), "index.db"), { readonly: true })
    return new Map(store.files.known().map(([path, id, , , hash]) => [`${path} ${hash}`, id]))
  } catch {
    // Killed before there was anything.
    return new Map()
  }
}

async function isReady(space: Workspace): Promise<boolean> {
  return (await space.json(["status"])).state === "ready"
}

async function freshTruth(space: Workspace) {
  const dir = join(space.dir, "fresh")
  await space.json(["index", "--force"], { env: { AMAN_INDEX_DIR: dir } })
  return truthOf(dir)
}

function dirOf(space: Workspace): string {
  return join(space.project, ".aman")
}
