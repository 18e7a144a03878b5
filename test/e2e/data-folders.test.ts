import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"

let space: Workspace

beforeEach(() => {
  space = new Workspace({ "package.json": "{}", "lib.ts": "export function harbour() {}\n" })
})
afterEach(() => space[Symbol.dispose]())

/** Indexes with that data folder: how many files were read, and what was said. */
async function index(folder: string): Promise<[changed: number, said: string]> {
  const env = { AMAN_DATA_DIR: join(space.dir, folder) }
  const { stdout, stderr } = await space.run(["index", "--json"], { env })
  return [JSON.parse(stdout).changed, stderr]
}

const indexesIn = (folder: string) => {
  const indexes = join(space.dir, folder, "indexes")
  return existsSync(indexes) ? readdirSync(indexes) : []
}
const SAID = expect.stringContaining("made with another data folder")

test("two data folders in turns: each makes its index once, and the second one says where", async () => {
  expect(await index("a")).toEqual([2, ""])
  expect(await index("b")).toEqual([2, SAID])
  for (const folder of ["a", "b", "a"]) expect(await index(folder)).toEqual([0, ""])
  expect([indexesIn("a").length, indexesIn("b").length]).toEqual([0, 1])
  const env = { AMAN_DATA_DIR: join(space.dir, "b") }
  expect((await space.json(["search", "harbour"], { env })).results[0].path).toBe("lib.ts")
})

test("an index that nobody wrote for long is made anew in its place, and who comes back to it keeps its own", async () => {
  await index("a")
  const long = new Date(Date.now() - 8 * 86_400_000)
  for (const name of readdirSync(join(space.project, ".aman")))
    utimesSync(join(space.project, ".aman", name), long, long)
  expect(await index("b")).toEqual([2, SAID])
  expect(indexesIn("b")).toEqual([])
  expect(await index("a")).toEqual([2, SAID])
  for (const folder of ["b", "a", "b"]) expect(await index(folder)).toEqual([0, ""])
})

test("once an index was removed, whoever comes first makes one in its place", async () => {
  await index("a")
  const removed = await space.run(["clean"], { env: { AMAN_DATA_DIR: join(space.dir, "a") } })
  expect(removed.code).toBe(0)
  expect(await index("b")).toEqual([2, ""])
  expect(await index("a")).toEqual([2, SAID])
  expect(await index("b")).toEqual([0, ""])
})
