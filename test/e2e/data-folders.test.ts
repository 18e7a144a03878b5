import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

let space: Workspace

beforeEach(() => {
  space = new Workspace({ "package.json": "{}", "lib.ts": "export function harbour() {}\n" })
})
afterEach(() => space[Symbol.dispose]())

/** Indexes with this data folder. Returns the number of files read, and the standard error. */
async function index(folder: string): Promise<[changed: number, stderr: string]> {
  const env = { AMAN_DATA_DIR: join(space.dir, folder) }
  const { stdout, stderr } = await space.run(["index", "--json"], { env })
  return [JSON.parse(stdout).changed, stderr]
}

const indexesIn = (folder: string) => {
  const indexes = join(space.dir, folder, "indexes")
  return existsSync(indexes) ? readdirSync(indexes) : []
}
const SAID = expect.stringContaining("or belongs to another data folder")

test("two data folders used in turn build one index each, and the second says where", async () => {
  expect(await index("a")).toEqual([2, ""])
  expect(await index("b")).toEqual([2, SAID])
  for (const folder of ["a", "b", "a"]) expect(await index(folder)).toEqual([0, ""])
  expect([indexesIn("a").length, indexesIn("b").length]).toEqual([0, 1])
  const env = { AMAN_DATA_DIR: join(space.dir, "b") }
  expect((await space.json(["search", "harbour"], { env })).results[0].path).toBe("lib.ts")
})

test("no command waits for a server with another data folder", async () => {
  const env = { AMAN_DATA_DIR: join(space.dir, "a") }
  await index("a")
  await using server = await connect(space, { env })
  while ((await server.call("status")).structuredContent.leader !== "this process") await Bun.sleep(50)
  expect(await index("b")).toEqual([2, SAID])
  const dir = join(space.project, ".aman")
  const named = await space.run(["search", "harbour"], {
    env: { AMAN_DATA_DIR: join(space.dir, "c"), AMAN_INDEX_DIR: dir },
  })
  expect([named.code, named.stderr]).toEqual([
    3,
    expect.stringContaining("with another data folder is using"),
  ])
})

test("rebuilds the index in the project without a data folder", async () => {
  await index("a")
  writeFileSync(join(space.dir, "file"), "")
  const env = { AMAN_DATA_DIR: join(space.dir, "file/data"), TMPDIR: space.dir }
  const { code, stderr, stdout } = await space.run(["index", "--json"], { env })
  expect([code, stderr, JSON.parse(stdout).changed]).toEqual([0, SAID, 2])
})

test("uses a folder named for the index, whoever owns the index inside", async () => {
  await index("a")
  const env = { AMAN_DATA_DIR: join(space.dir, "b"), AMAN_INDEX_DIR: join(space.project, ".aman") }
  expect((await space.run(["index", "--json"], { env })).code).toBe(0)
  expect(indexesIn("b")).toEqual([])
})

test("neither lists nor removes a foreign index in place of ours", async () => {
  const own = { AMAN_DATA_DIR: join(space.dir, "a") }
  await index("a")
  const env = { AMAN_DATA_DIR: join(space.dir, "b"), AMAN_INDEX_DIR: join(space.project, ".aman") }
  await space.run(["index"], { env })
  const mixed = { ...own, AMAN_INDEX_DIR: env.AMAN_INDEX_DIR }
  expect((await space.run(["clean"], { env: mixed })).code).toBe(3)
  expect((await space.run(["projects", "remove", "."], { env: mixed })).code).toBe(1)
  expect((await space.json(["projects", "list"], { env: own })).projects).toEqual([])
  expect(existsSync(join(space.project, ".aman/index.db"))).toBe(true)
})

test("removes an index outside the project repeatedly, whatever the project contains", async () => {
  await index("a")
  await index("b")
  const env = { AMAN_DATA_DIR: join(space.dir, "b") }
  for (let times = 0; times < 2; times++) expect((await space.run(["clean"], { env })).code).toBe(0)
})

test("after an index was removed, the next process creates one in its place", async () => {
  await index("a")
  const removed = await space.run(["clean"], { env: { AMAN_DATA_DIR: join(space.dir, "a") } })
  expect(removed.code).toBe(0)
  expect(await index("b")).toEqual([2, ""])
  expect(await index("a")).toEqual([2, SAID])
  expect(await index("b")).toEqual([0, ""])
})
