import { expect, test } from "bun:test"
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../../src/base/errors.ts"
import { openStore } from "../../src/store/index/open.ts"
import { noteFigures } from "../figures.ts"
import { rankingsOf, truthOf } from "../index-equality.ts"
import { moduleOf } from "../modules.ts"
import { randomFrom } from "../random.ts"
import { binary, Workspace } from "./harness.ts"

const KILLS = Number(process.env["AMAN_TEST_KILLS"] ?? 4)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)
const FILES = 120
const EDITS = 30
const QUESTIONS = ["bacedi", "how does fogu the haje of kilo", "class muna", "m7"]

test(
  "after a kill at any moment the index opens, answers and is completed to the same state as a new one",
  async () => {
    using space = new Workspace()
    const random = randomFrom(SEED)
    for (let index = 0; index < FILES; index++) space.write(...moduleOf(index, 0))
    const whole = { moments: 0 }
    const first = await freshTruth(space, whole)
    expect(whole.moments).toBeGreaterThan(5)
    const tally = { kills: 0, amid: 0, completed: 0, kept: 0, again: 0 }

    while (tally.kills < KILLS / 2) {
      await killOnce(space, Math.floor(random() * whole.moments), tally)
      if (!(await isReady(space))) continue
      expect(truthOf(dirOf(space))).toEqual(first)
      rmSync(dirOf(space), { recursive: true })
    }
    await finish(space, tally)
    expect(truthOf(dirOf(space))).toEqual(first)

    let { moments } = whole
    for (let round = 1; tally.kills < KILLS; round++) {
      for (let edits = 0; edits < EDITS; edits++)
        space.write(...moduleOf(Math.floor(random() * FILES), round))
      const ran = await killOnce(space, Math.floor(random() * moments), tally)
      if (ran.isCompleted) moments = ran.moments
    }
    await finish(space, tally)
    expect(truthOf(dirOf(space))).toEqual(await freshTruth(space))
    const env = { AMAN_INDEX_DIR: join(space.dir, "fresh") }
    expect(await rankingsOf(space, {}, QUESTIONS)).toEqual(await rankingsOf(space, env, QUESTIONS))
    expect(tally.again).toBe(0)
    expect(tally.kept).toBeGreaterThan(0)
    // With few kills, all may happen before the first file is committed or after the last.
    if (KILLS >= 10) expect(tally.amid).toBeGreaterThan(0)
    noteFigures("crash", tally)
  },
  6_000 * KILLS + 60_000,
)

type Tally = {
  kills: number
  /** Number of kills that left an incomplete index. */
  amid: number
  completed: number
  /** Number of files that were committed before a kill, and how many of these were indexed again. */
  kept: number
  again: number
}

/**
 * Starts an index run and kills it after the index's folder has changed `moment` times. Counting changes
 * instead of time makes the test independent of the machine's speed; between two changes there is no new
 * incomplete state.
 */
async function killOnce(space: Workspace, moment: number, tally: Tally): Promise<Ran> {
  const before = committed(space)
  const child = Bun.spawn([binary, "index", "--quiet"], { cwd: space.project, env: space.env })
  const moments = await momentsUntil(child, dirOf(space), moment)
  const isCompleted = child.exitCode !== null
  if (isCompleted) tally.completed++
  else tally.kills++
  child.kill("SIGKILL")
  await child.exited
  const status = await space.run(["status", "--json"])
  expect([status.code, status.stderr]).toEqual([0, ""])
  if (!isCompleted && JSON.parse(status.stdout).state === "indexing") tally.amid++
  const after = committed(space)
  count(before, after, tally)
  return { moments, isCompleted }
}

type Ran = { readonly moments: number; readonly isCompleted: boolean }

/** Waits until the process ends or the folder has changed `last` times; returns the number of changes. */
async function momentsUntil(child: Bun.Subprocess, folder: string, last: number): Promise<number> {
  let moments = 0
  let look = lookOf(folder)
  while (moments < last && child.exitCode === null) {
    await Promise.race([child.exited, Bun.sleep(1)])
    const now = lookOf(folder)
    if (now !== look) moments++
    look = now
  }
  return moments
}

/**
 * Names, sizes and times of the files in the folder, without SQLite's shared memory, which contains nothing
 * lasting.
 */
function lookOf(folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => !name.endsWith("-shm"))
    return names
      .map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })] as const)
      .map(([name, found]) => `${name} ${found?.size} ${found?.mtimeMs}`)
      .join("\n")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return ""
  }
}

/** Counts the committed files, and those that were indexed again: the same content has another id. */
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
  } catch (error) {
    // The run was killed before it had created the index.
    if (!(error instanceof AmanError && error.code === "INDEX_MISSING")) throw error
    return new Map()
  }
}

async function isReady(space: Workspace): Promise<boolean> {
  return (await space.json(["status"])).state === "ready"
}

/** The content of an index made from nothing; sets `whole.moments` to the number of changes of its folder. */
async function freshTruth(space: Workspace, whole = { moments: 0 }) {
  const dir = join(space.dir, "fresh")
  const env = { ...space.env, AMAN_INDEX_DIR: dir }
  const child = Bun.spawn([binary, "index", "--quiet", "--force"], { cwd: space.project, env })
  whole.moments = await momentsUntil(child, dir, Number.POSITIVE_INFINITY)
  expect(await child.exited).toBe(0)
  return truthOf(dir)
}

function dirOf(space: Workspace): string {
  return join(space.project, ".aman")
}
