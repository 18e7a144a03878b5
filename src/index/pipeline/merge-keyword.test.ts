import { afterEach, beforeEach, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { IndexRun, LIMITS } from "../../../test/index-run.ts"
import { residentOf } from "../../../test/resident-of.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { mapDerived } from "../../store/derived/derived-files.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { openKeywordIndex } from "../keyword/keyword-index.ts"
import { mergeKeyword } from "./merge-keyword.ts"
import { parseBatch } from "./parse-batch.ts"
import { commitBatch } from "./read-files.ts"
import { mergeKeywordIfDue, mergerWhileReading } from "./run.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject()
  for (let i = 0; i < 30; i++) project.write(`m${i}.txt`, `def shared_${i}():\n    return ${i}\n`)
})
afterEach(() => project[Symbol.dispose]())

/** Ids of the files that contain a word, in merged segments and in those not merged yet. */
function holders({ store, context }: IndexRun, word: string): number[] {
  const dead = new Set(store.tombstones.all("keyword"))
  const base = store.derived.of("keyword").map((row) => mapDerived(context.config.index.dir, row)!)
  const segments = [...base, ...store.segments.all().map((row) => row.blob)]
  const index = openKeywordIndex(segments.map((bytes) => ({ bytes, dead })))
  const { files } = index.query({ terms: queryTerms(word), files: 200 })
  return files.map((file) => file.id).sort((a, b) => a - b)
}

const waiting = (index: IndexRun) => index.store.segments.pending().segments
const base = (index: IndexRun) => index.store.derived.of("keyword").map((row) => row.name)

test("merges everything into one file in the first run", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  expect(waiting(index)).toBe(0)
  expect(base(index)).toHaveLength(1)
  expect(holders(index, "shared")).toEqual(index.store.files.ids().sort((a, b) => a - b))
})

test("keeps a small change beside the base and hides the version it replaces", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  const [merged] = base(index)
  project.write("m3.txt", "def lonely():\n    return 3\n")
  await index.run()
  expect(base(index)).toEqual([merged!])
  expect(waiting(index)).toBe(1)
  expect(holders(index, "lonely")).toEqual([index.store.files.byPath("m3.txt")!.id])
  expect(holders(index, "shared")).toHaveLength(29)
})

test("merges everything when a tenth is new, applies the tombstones and removes the old file", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  const [before] = base(index)
  for (const i of [1, 2, 3, 4, 5]) project.write(`m${i}.txt`, `def lonely_${i}():\n    return ${i}\n`)
  project.remove("m6.txt")
  await index.run()
  expect(waiting(index)).toBe(0)
  expect(index.store.tombstones.all("keyword")).toEqual([])
  expect(base(index)).not.toEqual([before!])
  const onDisk = readdirSync(index.context.config.index.dir).filter((name) => name.startsWith("keyword-"))
  expect(onDisk).toEqual(base(index))
  expect(holders(index, "shared")).toHaveLength(24)
  expect(holders(index, "lonely")).toHaveLength(5)
})

test("merges many small changes even if they total little", async () => {
  for (let i = 30; i < 400; i++) project.write(`m${i}.txt`, `def shared_${i}():\n    return ${i}\n`)
  using index = new IndexRun(project.root)
  await index.run()
  const [before] = base(index)
  let max = 0
  for (let edit = 0; base(index)[0] === before && edit < 40; edit++) {
    project.write("m0.txt", `def lonely():\n    return ${edit}\n`)
    await index.run()
    max = Math.max(max, waiting(index))
  }
  expect(max).toBe(32)
  expect(waiting(index)).toBe(0)
  expect(holders(index, "lonely")).toEqual([index.store.files.byPath("m0.txt")!.id])
})

test("merges during a long run, so that the number of segments stays bounded", async () => {
  using index = new IndexRun(project.root)
  const afterBatch = mergerWhileReading(index.context, () => {})
  let max = 0
  for (let id = 1; id <= 130; id++) {
    const path = `m${id}.txt`
    project.write(path, `def shared_${id}():\n    return ${id}\n`)
    const files = [{ id, path, knownHash: null }]
    commitBatch(
      index.store,
      await parseBatch({ kind: "parse", root: project.root, files, limits: LIMITS }),
      new Map(),
    )
    await afterBatch()?.()
    max = Math.max(max, waiting(index))
  }
  expect(max).toBe(63)
  expect(waiting(index)).toBe(2)
  expect(base(index)).toHaveLength(2)
  const everyone = index.store.files.ids().sort((a, b) => a - b)
  expect(holders(index, "shared")).toEqual(everyone)
  await mergeKeywordIfDue(index.context, () => {})
  expect(waiting(index)).toBe(0)
  expect(base(index)).toHaveLength(1)
  expect(holders(index, "shared")).toEqual(everyone)
})

test.skipIf(process.platform !== "linux")(
  "releases the pages of segments that a merge has read",
  async () => {
    using index = new IndexRun(project.root)
    await index.run()
    const [name] = base(index)
    const { dir: folder } = index.context.config.index
    // Mapped by the test, so that pages stay resident even if the merge's own mapping was already collected.
    const mapped = mapDerived(folder, index.store.derived.of("keyword")[0]!)!
    expect(Bun.hash(mapped)).not.toBe(0n)
    const before = residentOf(name!)
    expect(before).toBeGreaterThan(0)
    await mergeKeyword({ kind: "merge-keyword", folder, generation: 99, isWhole: true })
    expect(residentOf(name!)).toBe(before)
    expect(mapped.length).toBeGreaterThan(0)
  },
)
