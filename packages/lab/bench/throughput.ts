import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Config, loadConfig } from "../../../src/base/index.ts"
import { createStaticEmbedder, ensureIndexFolder, indexPath } from "../../../src/index/index.ts"
import { createSegmentBuilder } from "../../../src/index/keyword/build.ts"
import { mergeSegments } from "../../../src/index/keyword/merge.ts"
import { memoryPlan } from "../../../src/index/pipeline/memory-plan.ts"
import { parseBatch } from "../../../src/index/pipeline/parse-batch.ts"
import { commitBatch } from "../../../src/index/pipeline/read-files.ts"
import type { ParsedBatch } from "../../../src/index/pipeline/worker-pool.ts"
import { DEFAULT_PARSE_OPTIONS, type ParsedFile, parseFile } from "../../../src/parse/index.ts"
import { openStore } from "../../../src/store/index.ts"
import { readSource } from "../../../src/text/index.ts"
import { scanOptionsOf, scanProject } from "../../../src/tree/index.ts"
import { judge, limitText, type Table } from "./table.ts"

type ReadFile = { readonly path: string; readonly text: string }
type CutFile = ReadFile & { readonly parsed: ParsedFile }
type Timing = { readonly name: string; readonly ms: number; readonly min: number | null }

const BATCH_FILES = 128
const PARSE_TIMEOUT_MS = 5_000

/** Files per second of each step of a first index in one thread, with its target. */
export async function throughputTable(root: string): Promise<Table> {
  const scratch = mkdtempSync(join(tmpdir(), "aman-bench-throughput-"))
  try {
    const config = loadConfig(root, { "index.dir": scratch })
    scanProject(root, scanOptionsOf(config))
    const timings: Timing[] = []
    const paths = timed(timings, "discovery", 10_000, () =>
      scanProject(root, scanOptionsOf(config)),
    ).files.map((f) => f.path)
    const files = timed(timings, "reading", 5_000, () => readAll(root, paths, config))
    // Parsing and chunking are one pass, so their target combines the rates of both.
    const cut = await timedAsync(timings, "parsing and chunking", 1_200, () => parseAll(files))
    const segments = timed(timings, "keyword segments", null, () => buildSegments(cut))
    timed(timings, "keyword merge", null, () =>
      mergeSegments(segments.map((bytes) => ({ bytes, dead: new Set() }))),
    )
    await timedAsync(timings, "embedding", 200, () => embedAll(cut))
    const batches = await batchesOf(root, paths, config)
    timed(timings, "storage", 5_000, () => storeAll(batches, scratch))
    return tableOf(timings, files)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function readAll(root: string, paths: readonly string[], config: Config): ReadFile[] {
  return paths.flatMap((path) => {
    const source = readSource(root, path, config.index.maxFileBytes)
    return "reason" in source ? [] : [{ path, text: source.text }]
  })
}

async function parseAll(files: readonly ReadFile[]): Promise<CutFile[]> {
  const cut: CutFile[] = []
  for (const file of files) {
    const parsed = await parseFile(file.path, file.text, {
      ...DEFAULT_PARSE_OPTIONS,
      timeoutMs: PARSE_TIMEOUT_MS,
    })
    cut.push({ ...file, parsed })
  }
  return cut
}

function buildSegments(files: readonly CutFile[]): Uint8Array[] {
  let id = 0
  return batched(files).map((batch) => {
    const builder = createSegmentBuilder()
    for (const { path, text, parsed } of batch) {
      const { lines, comments, chunks } = parsed
      builder.add({ id: ++id, path, text, lines, flags: 0, comments, chunks })
    }
    return builder.finish()
  })
}

/** Embeds each chunk, and each file's whole text, as indexing does. */
async function embedAll(files: readonly CutFile[]): Promise<void> {
  const embedder = createStaticEmbedder()
  for (const { path, text, parsed } of files) {
    const texts = [...parsed.chunks.map((chunk) => text.slice(chunk.start, chunk.end)), text]
    await embedder.embedChunks(texts.map((part) => ({ text: part, names: [], path })))
  }
}

async function batchesOf(root: string, paths: readonly string[], config: Config): Promise<ParsedBatch[]> {
  const memory = memoryPlan(config.performance.memoryLimitBytes, config.index.workers)
  const limits = { ...config.index, ...memory, parseTimeoutMs: PARSE_TIMEOUT_MS }
  const tasks = paths.map((path, i) => ({ id: i + 1, path, knownHash: null }))
  const batches: ParsedBatch[] = []
  for (const files of batched(tasks)) batches.push(await parseBatch({ kind: "parse", root, files, limits }))
  return batches
}

function storeAll(batches: readonly ParsedBatch[], folder: string): void {
  ensureIndexFolder({ root: folder, dir: folder })[Symbol.dispose]()
  using store = openStore(indexPath(folder))
  for (const batch of batches) commitBatch(store, batch, new Map())
  store.checkpoint()
}

function tableOf(timings: readonly Timing[], files: readonly ReadFile[]): Table {
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6
  const rows = timings.map(({ name, ms, min }) => {
    const limit = min === null ? null : { min }
    const rate = (files.length * 1000) / ms
    return [name, judge(rate, limit), ms / files.length, (megabytes * 1000) / ms, limitText(limit)]
  })
  return {
    title: `Steps of a first index, one thread: ${files.length} files, ${megabytes.toFixed(1)} MB`,
    columns: [
      { name: "" },
      { name: "files/s", digits: 0 },
      { name: "ms a file", digits: 3 },
      { name: "MB/s", digits: 1 },
      { name: "target files/s" },
    ],
    rows,
    notes: ["the seed's embedding rate is Ollama's; the built-in model needs no server"],
  }
}

function batched<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH_FILES) }, (_, i) =>
    items.slice(i * BATCH_FILES, (i + 1) * BATCH_FILES),
  )
}

function timed<T>(timings: Timing[], name: string, min: number | null, act: () => T): T {
  const started = performance.now()
  const result = act()
  timings.push({ name, min, ms: performance.now() - started })
  return result
}

async function timedAsync<T>(
  timings: Timing[],
  name: string,
  min: number | null,
  act: () => Promise<T>,
): Promise<T> {
  const started = performance.now()
  const result = await act()
  timings.push({ name, min, ms: performance.now() - started })
  return result
}
