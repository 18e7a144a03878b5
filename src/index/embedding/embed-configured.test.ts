import { afterEach, beforeEach, expect, test } from "bun:test"
import { appendFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type EmbeddingServer, startEmbeddingServer } from "../../../test/embedding-server.ts"
import { IndexRun } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { configuredEmbedder } from "../embed/embedder.ts"
import { embedderChoice } from "../embed/model.ts"
import { CHUNK_KEY_STRIDE } from "../vector/port.ts"
import { openVectors } from "../vector/set.ts"
import {
  type ConfiguredContext,
  configuredSpace,
  embedConfigured,
  openVectorCache,
} from "./embed-configured.ts"

const FILES = {
  "a.py": "def alpha(text):\n    return text\n",
  "b.py": "def beta(text):\n    return text\n",
  "empty.py": "",
}
let project: TempProject
let index: IndexRun
let server: EmbeddingServer

beforeEach(async () => {
  project = new TempProject(FILES)
  index = new IndexRun(project.root)
  server = startEmbeddingServer()
  await index.run()
})

afterEach(() => {
  server[Symbol.dispose]()
  index[Symbol.dispose]()
  project[Symbol.dispose]()
})

/** Embeds whatever lacks a vector; vectors are kept beside the index. */
async function embed(changes: Partial<ConfiguredContext> = {}, dimensions = 64): Promise<void> {
  const settings = { provider: "ollama", model: "nomic-embed-text", dimensions: 0, host: server.url } as const
  const space = { provider: "ollama", model: "nomic-embed-text:latest@1", dimensions, version: 1 }
  const retry = { timeoutMs: 20_000, attempts: 1 }
  const detected = { space, windowTokens: 2048 }
  using cache = openVectorCache(
    join(index.context.config.index.dir, "embeddings.db"),
    () => 0,
    () => {},
  )
  await embedConfigured({
    ...index.context,
    embedder: configuredEmbedder(embedderChoice(settings, {})!, detected, { retry, batchSize: 8 }),
    cache,
    check: () => {},
    exclusively: (act) => act(),
    pause: async () => {},
    ...changes,
  })
}

const space = () => configuredSpace(index.store)!
const isWhole = () => index.store.embedded.isWhole(space().id)
const open = () => openVectors(index.store, index.context.config.index.dir, space())

test("embeds every chunk of every file and nothing else", async () => {
  await embed()
  expect(isWhole()).toBe(true)
  using vectors = open()
  for (const { id, chunks } of index.store.files.all())
    for (let ordinal = 0; ordinal < chunks; ordinal++)
      expect(vectors.get(id * CHUNK_KEY_STRIDE + ordinal)).not.toBeNull()
  expect(server.texts().toSorted()).toEqual([
    "search_document: def alpha(text):\n    return text",
    "search_document: def beta(text):\n    return text",
  ])
})

test("skips a file that changes while it is embedded until its new version is indexed", async () => {
  server.fault = () => {
    server.fault = null
    project.write("a.py", "def gamma(text):\n    return text\n")
    return index.run().then(() => undefined)
  }
  await embed()
  expect(isWhole()).toBe(true)
  const { id } = index.store.files.byPath("a.py")!
  using vectors = open()
  expect(vectors.get(id * CHUNK_KEY_STRIDE)).not.toBeNull()
  expect(vectors.size).toBe(2)
  expect(server.texts().at(-1)).toContain("gamma")
})

test("leaves a file that changed since it was indexed to the next run", async () => {
  project.write("a.py", "def gamma(text):\n    return text\n")
  await embed()
  expect(isWhole()).toBe(false)
  await index.run()
  await embed()
  expect(isWhole()).toBe(true)
})

test("replaces the existing space by another one", async () => {
  await embed()
  const old = space()
  server.models = [{ name: "nomic-embed-text:latest", dimensions: 32 }]
  await embed({}, 32)
  expect(index.store.spaces.all().filter(({ provider }) => provider === "ollama")).toEqual([space()])
  expect(space().dimensions).toBe(32)
  using vectors = open()
  expect(vectors.size).toBe(2)
  if (space().id !== old.id) expect(index.store.vectors.all(old.id)).toEqual([])
})

test("merges many vectors, and rebuilds a damaged table from the cache", async () => {
  for (let n = 0; n < 2100; n++) project.write(`many/m${n}.py`, `def word${n}():\n    return ${n}\n`)
  await index.run()
  await embed()
  const table = index.store.derived.of("vectors", space().id)[0]!
  const tables = readdirSync(index.context.config.index.dir).filter((name) => name.endsWith(".vec"))
  expect(tables.toSorted()).toEqual(
    index.store.derived
      .of("vectors", 1)
      .concat(table)
      .map(({ name }) => name)
      .toSorted(),
  )
  expect(table.count).toBe(2102)
  expect(index.store.vectors.pending(space().id).vectors).toBe(0)
  const { id } = index.store.files.byPath("many/m7.py")!
  using before = open()
  const vector = before.get(id * CHUNK_KEY_STRIDE)!
  appendFileSync(join(index.context.config.index.dir, table.name), "x")
  using damaged = open()
  expect(damaged.isComplete).toBe(false)
  const asked = server.asked.length
  // The damage does not concern the built-in space, so an index run does not merge.
  const generation = index.store.meta.generation()
  await index.run()
  expect(index.store.meta.generation()).toBe(generation)
  await embed()
  expect(isWhole()).toBe(true)
  using after = open()
  expect(after.isComplete).toBe(true)
  expect(after.get(id * CHUNK_KEY_STRIDE)).toEqual(vector)
  expect(server.asked.length).toBe(asked)
}, 60_000)
