import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { lstatSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REQUEST, TempProject } from "../../../test/temp-project.ts"
import { searchIndex, searchProject } from "../../search/answer/search-project.ts"
import { readState } from "../index-state.ts"
import type { Project } from "../open/open-project.ts"
import type { IndexReader } from "../open/reader.ts"
import { ensureFresh, FreshnessCheck } from "./ensure-fresh.ts"
import { Indexer } from "./indexer.ts"

let island: TempProject
let project: Project

beforeEach(async () => {
  island = new TempProject({
    "map.txt": "The treasure is buried under the oak.\n",
    "sub/ship.txt": "A ship.\n",
  })
  await island.index()
  project = island.open()
})
afterEach(() => {
  project.close()
  island[Symbol.dispose]()
})

const version = () => project.reader()!.store.dataVersion()
const search = async (query: string) => {
  const { results } = await searchProject(project, { ...REQUEST, query, mode: "keyword" }, { refresh: true })
  return results.map(({ path, text }) => [path, text])
}

test("needs no lock and writes nothing when nothing changed", async () => {
  using _leader = Indexer.take(island.open())!
  const before = version()
  await ensureFresh(project)
  expect(version()).toBe(before)
})

test("reads a folder with a new time again once, if this process can lead", async () => {
  const touch = (time: number) => utimesSync(join(island.root, "sub"), time, time)
  touch(1_000_000_000)
  const before = version()
  {
    using _leader = Indexer.take(island.open())!
    await ensureFresh(project)
    expect(version()).toBe(before)
  }
  await ensureFresh(project)
  const kept = version()
  expect(kept).toBeGreaterThan(before)
  await ensureFresh(project)
  expect(version()).toBe(kept)
})

test("reads a folder with a future time each time and writes nothing", async () => {
  const time = 4_000_000_000
  utimesSync(join(island.root, "sub"), time, time)
  const before = version()
  await ensureFresh(project)
  expect(version()).toBe(before)
})

test("writes nothing for ignore rules with a future time", async () => {
  island.write(".gitignore", ".gitignore\n")
  utimesSync(join(island.root, ".gitignore"), 4_000_000_000, 4_000_000_000)
  island.touch(".")
  await island.index()
  const before = version()
  await ensureFresh(project)
  expect(version()).toBe(before)
})

test("always sees an edit between two searches, even an immediate one of the same size", async () => {
  for (const place of ["oak", "elm", "ash", "fir", "box"]) {
    const text = `The treasure is buried under the ${place}.`
    writeFileSync(join(island.root, "map.txt"), `${text}\n`)
    expect(await search(place)).toEqual([["map.txt", text]])
  }
})

test("sees new and deleted files", async () => {
  island.write("sub/new.txt", "Another treasure.\n")
  expect((await search("treasure")).map(([path]) => path)).toEqual(["sub/new.txt", "map.txt"])
  island.remove("map.txt")
  expect((await search("treasure")).map(([path]) => path)).toEqual(["sub/new.txt"])
})

test("sees a change whose time went back", async () => {
  const path = join(island.root, "map.txt")
  const { atime } = lstatSync(path)
  island.write("map.txt", "The treasure was moved to the bank...\n")
  utimesSync(path, atime, new Date(1_000_000_000_000))
  expect(await search("bank")).toHaveLength(1)
})

test("counts skipped files again", async () => {
  island.write("yarn.lock", "# one\n")
  await ensureFresh(project)
  expect(readState(project.reader()!.store).skipped).toMatchObject({ "lock file": 1 })
})

describe("in a large project, which is searched while another thread checks the files", () => {
  const LARGE = { quickFiles: 0 }
  const request = { ...REQUEST, query: "treasure", mode: "keyword" } as const
  const pathsIn = async (reader: IndexReader | null) =>
    (await searchIndex(project, reader!, request)).files.map(({ path }) => path).sort()

  test("the answer is valid if nothing has changed", async () => {
    using check = new FreshnessCheck(project, LARGE)
    expect(await pathsIn(check.startBeside())).toEqual(["map.txt"])
    expect(await check.finish()).toMatchObject({ failure: null, isUnchanged: true })
  })

  test("the answer is not valid if a file has changed", async () => {
    island.write("sub/ship.txt", "The ship carries the treasure.\n")
    using check = new FreshnessCheck(project, LARGE)
    await pathsIn(check.startBeside())
    const { reader, isUnchanged } = await check.finish()
    expect(isUnchanged).toBe(false)
    expect(await pathsIn(reader)).toEqual(["map.txt", "sub/ship.txt"])
  })

  test("the search is told to stop once a change was found", async () => {
    island.write("sub/ship.txt", "The ship carries the treasure.\n")
    using check = new FreshnessCheck(project, LARGE)
    check.startBeside()
    const forever = async () => {
      for (;;) {
        check.throwIfChanged()
        await Bun.sleep(1)
      }
    }
    await expect(forever()).rejects.toThrow("a file has changed")
    expect(await pathsIn((await check.finish()).reader)).toHaveLength(2)
  })

  test("a change during the search gives the new text", async () => {
    const searching = searchProject(project, request, { refresh: true, ...LARGE })
    island.write("map.txt", "The treasure was moved to the bank.\n")
    const { results } = await searching
    expect(results.map(({ text }) => text)).toEqual(["The treasure was moved to the bank."])
  })

  test("the answer is not valid if another process has written meanwhile", async () => {
    using check = new FreshnessCheck(project, LARGE)
    check.startBeside()
    island.write("sub/ship.txt", "The ship carries the treasure.\n")
    await island.index()
    expect((await check.finish()).isUnchanged).toBe(false)
  })
})
