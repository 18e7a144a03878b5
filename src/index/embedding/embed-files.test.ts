import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { IndexRun } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import type { WorkerTask } from "../pipeline/worker-pool.ts"
import { CHUNK_KEY_STRIDE, NAMES_VECTOR, PATH_VECTOR, TEXT_VECTOR, type VectorIndex } from "../vector/port.ts"
import { openVectors } from "../vector/set.ts"

const embedder = createStaticEmbedder()
let project: TempProject

beforeEach(() => {
  project = new TempProject({
    "parse/tokens.py": "def tokens(text):\n    return text.split()\n",
    "store/rows.py": "def rows(table):\n    return table.all()\n",
  })
})
afterEach(() => project[Symbol.dispose]())

const vectorsOf = ({ store, context }: IndexRun): VectorIndex =>
  openVectors(store, context.config.index.dir, store.spaces.find(embedder.space)!)!
const idOf = (index: IndexRun, path: string) => index.store.files.byPath(path)!.id

async function nearest(index: IndexRun, text: string): Promise<number> {
  using vectors = vectorsOf(index)
  const [hit] = vectors.search(await embedder.embedQuery(text), 1)
  return Math.floor(hit!.key / CHUNK_KEY_STRIDE)
}

test("stores vectors of every chunk and three per file during a run", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  using vectors = vectorsOf(index)
  for (const { id, chunks } of index.store.files.all()) {
    const ordinals = [...Array(chunks).keys(), PATH_VECTOR, NAMES_VECTOR, TEXT_VECTOR]
    for (const ordinal of ordinals) expect(vectors.get(id * CHUNK_KEY_STRIDE + ordinal)).not.toBeNull()
  }
  expect(await nearest(index, "tokens of a text")).toBe(idOf(index, "parse/tokens.py"))
  expect(await nearest(index, "all rows of the table")).toBe(idOf(index, "store/rows.py"))
  // The three vectors of a file are those of its path, of its names and of its whole text.
  const similarity = async (text: string, view: number) =>
    vectors.scorer(await embedder.embedQuery(text))(idOf(index, "store/rows.py") * CHUNK_KEY_STRIDE + view)
  expect(await similarity("store rows", PATH_VECTOR)).toBeCloseTo(1, 2)
  expect(await similarity("rows", NAMES_VECTOR)).toBeCloseTo(1, 2)
  const text = "def rows(table):\n    return table.all()\n"
  expect(await similarity(text, TEXT_VECTOR)).toBeGreaterThan(0.8)
  expect(await similarity(text, TEXT_VECTOR)).toBeGreaterThan((await similarity(text, NAMES_VECTOR)) + 0.1)
})

test("stores an edit as a delta that replaces the old version in answers", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  const old = idOf(index, "store/rows.py")
  project.write("store/rows.py", "def parse_the_tokens_of_text(text):\n    return tokens(text)\n")
  await index.run()
  const now = idOf(index, "store/rows.py")
  expect(index.store.vectors.fileIds(index.store.spaces.find(embedder.space)!.id)).toEqual([now])
  using vectors = vectorsOf(index)
  const hits = vectors.search(await embedder.embedQuery("rows table all"), 10)
  expect(hits.map((hit) => Math.floor(hit.key / CHUNK_KEY_STRIDE))).not.toContain(old)
  expect(await nearest(index, "parse the tokens of text")).toBe(now)
})

test("merges many new vectors into one new file and removes the old one", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  const before = readdirSync(index.context.config.index.dir).filter((name) => name.startsWith("vectors-"))
  for (let i = 0; i < 520; i++) project.write(`many/m${i}.txt`, `note ${i}\n`)
  await index.run()
  const after = readdirSync(index.context.config.index.dir).filter((name) => name.startsWith("vectors-"))
  expect(before).toHaveLength(1)
  expect(after).toHaveLength(1)
  expect(after).not.toEqual(before)
  expect(index.store.vectors.pending(index.store.spaces.find(embedder.space)!.id).files).toBe(0)
  expect(await nearest(index, "tokens of a text")).toBe(idOf(index, "parse/tokens.py"))
})

test("builds the same table with any number of threads", async () => {
  for (let i = 0; i < 12; i++) project.write(`m${i}.txt`, `part ${i} of a long text\n`.repeat(4000))
  const tableOf = async (workers: string) => {
    const dir = join(project.root, `index-${workers}`)
    using index = new IndexRun(project.root, { "index.workers": workers, "index.dir": dir })
    await index.run()
    const [row] = index.store.derived.of("vectors", index.store.spaces.find(embedder.space)!.id)
    return readFileSync(join(dir, row!.name))
  }
  const table = await tableOf("1")
  expect((await tableOf("3")).equals(table)).toBe(true)
  expect(readdirSync(join(project.root, "index-3")).filter((name) => name.includes("part"))).toEqual([])
})

/**
 * Creates workers of which the first one fails to write its part; all later parts are started after that
 * failure.
 */
function failingFirstPart(asked: string[]): () => Worker {
  const failed = Promise.withResolvers<void>()
  return () => {
    const worker = new Worker(new URL("../pipeline/worker.ts", import.meta.url), { type: "module" })
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (task: WorkerTask) => {
      if (task.kind !== "embed-part") return post(task)
      if (asked.push(task.name) > 1) return void failed.promise.then(() => post(task))
      mkdirSync(join(task.folder, task.name))
      worker.addEventListener("message", () => failed.resolve())
      post(task)
    }
    return worker
  }
}

test("starts no further part after a failure and reports that failure", async () => {
  for (let i = 0; i < 520; i++) project.write(`many/m${i}.txt`, `note ${i}\n`)
  const asked: string[] = []
  using index = new IndexRun(project.root, { "index.workers": 2 }, failingFirstPart(asked))
  await expect(index.run()).rejects.toThrow(/vectors-1-part-0.tmp: file already exists/)
  expect(asked).toHaveLength(2)
})
