import { afterAll, expect, spyOn, test } from "bun:test"
import { existsSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { publishDerived, sweepDerived } from "../../store/derived/derived-files.ts"
import { openStore } from "../../store/index/open.ts"
import { termOf } from "../../text/terms/abbreviations.ts"
import { indexPath } from "../index-folder.ts"
import { FlatWriter } from "../vector/flat-file.ts"
import { CHUNK_KEY_STRIDE } from "../vector/port.ts"
import { toScanRows } from "../vector/rows.ts"
import { type IndexReader, projectTerms } from "./reader.ts"

const project = new TempProject({ "soup.md": "# Soup\n\nBoil water, add salt, wait.\n" })
await project.index()
const { dir } = project.open().config.index
const store = openStore(indexPath(dir))
afterAll(() => {
  store.close()
  project[Symbol.dispose]()
})

/** Number of rows, so large that the table is not mapped. Only the two rows at NEAR are not zeros. */
const ROWS = 132_000
const NEAR = [ROWS / 3, ROWS / 2] as const
const LIKE_ALL = new Float32Array(512).fill(512 ** -0.5)
await writeLargeTable()

test("the sources of a search stay open while another search opens a newer state", async () => {
  const reader = project.open().reader()!
  const first = reader.sources({ vectors: true })
  const score = first.vectors!.scorer(LIKE_ALL)
  store.transaction(() => store.meta.advanceGeneration())
  expect(reader.isDamaged).toBe(false)
  expect(score(keyOf(NEAR[0]))).toBeCloseTo(1, 3)
  first[Symbol.dispose]()
  expect(score(keyOf(NEAR[1]))).toBe(0)
  expect(nearest(reader)).toEqual(NEAR.map((row) => keyOf(row)))
})

test("the sources of a search stay open until it has ended, even if its reader is closed", async () => {
  const own = project.open()
  using sources = own.reader()!.sources({ vectors: true })
  own.close()
  expect(sources.vectors!.scorer(LIKE_ALL)(keyOf(NEAR[0]))).toBeCloseTo(1, 3)
})

test("valid keyword segments stay mapped while vector files are swept or damaged", async () => {
  const reader = project.open().reader()!
  reader.keyword()
  const [row] = store.derived.all().filter(({ kind }) => kind === "vectors")
  const map = spyOn(Bun, "mmap")
  await writeLargeTable()
  sweepDerived(dir, store.derived.all())
  expect(reader.isDamaged).toBe(false)
  expect(existsSync(join(dir, row!.name))).toBe(false)
  const [next] = store.derived.all().filter(({ kind }) => kind === "vectors")
  truncateSync(join(dir, next!.name), 100)
  expect(reader.isDamaged).toBe(true)
  expect(reader.keyword().files).toBe(1)
  expect(map).not.toHaveBeenCalled()
  map.mockRestore()
})

function nearest(reader: IndexReader): number[] {
  using sources = reader.sources({ vectors: true })
  return sources.vectors!.search(LIKE_ALL, NEAR.length).map(({ key }) => key)
}

function keyOf(row: number): number {
  const [, id] = store.files.known()[0]!
  return id * CHUNK_KEY_STRIDE + row
}

async function writeLargeTable(): Promise<void> {
  const space = store.spaces.all()[0]!
  const { id: spaceId, dimensions } = space
  const generation = store.transaction(() => store.meta.advanceGeneration())
  const file = await publishDerived(dir, `vectors-${spaceId}-${generation}.vec`, (path) => {
    const writer = new FlatWriter(path, dimensions)
    const rows = new Int8Array(ROWS * dimensions)
    for (const row of NEAR) rows.set(toScanRows(LIKE_ALL, dimensions), row * dimensions)
    writer.add(
      Float64Array.from({ length: ROWS }, (_, row) => keyOf(row)),
      rows,
    )
    writer.finish()
    writer.close()
  })
  const shape = { kind: "vectors", spaceId, part: 0, generation, dimensions, count: ROWS } as const
  store.transaction(() => {
    store.derived.replace("vectors", spaceId, [{ ...shape, ...file }])
    store.vectors.remove(spaceId, store.vectors.fileIds(spaceId))
  })
}

test("the project's name is taken from its root and the two folders above", () => {
  const terms = projectTerms("/home/me/clones/express/router")
  expect(terms).toEqual(new Set(["clones", "express", "router"].map(termOf)))
})

test("folder names of a usual layout are left out of the project's name", () => {
  expect(projectTerms("/home/me/projects/work/app")).toEqual(new Set())
})

test("a name of several words counts as a whole and in parts, also in Windows paths", () => {
  const terms = projectTerms("C:\\src\\repos\\telescope.nvim")
  for (const word of ["telescope", "nvim", "telescopenvim"]) expect(terms).toContain(termOf(word))
})

test("an empty root gives no terms", () => expect(projectTerms("/")).toEqual(new Set()))
