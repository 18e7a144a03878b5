import { Database } from "bun:sqlite"
import { afterAll } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSegmentBuilder } from "../../src/index/keyword/build.ts"
import { type KeywordPart, openKeywordIndex } from "../../src/index/keyword/keyword-index.ts"
import { mergeSegments } from "../../src/index/keyword/merge.ts"
import type { KeywordChunk, KeywordFile } from "../../src/index/keyword/port.ts"
import type { SegmentFile } from "../../src/index/keyword/segment.ts"
import { queryTerms } from "../../src/text/terms/query-terms.ts"
import { createTermBuffer } from "../../src/text/terms/term-buffer.ts"
import { tokenize } from "../../src/text/terms/tokenize.ts"
import type { MatchIndex } from "./keyword.ts"

const none: ReadonlySet<number> = new Set()

export function segmentOf(files: readonly KeywordFile[]): Uint8Array {
  const builder = createSegmentBuilder()
  for (const file of files) builder.add(file)
  return builder.finish()
}

export function openOneSegment(files: readonly KeywordFile[], dead: ReadonlySet<number>): MatchIndex {
  return matchIndex([{ bytes: segmentOf(files), dead }])
}

export function openSegmentPerFile(files: readonly KeywordFile[], dead: ReadonlySet<number>): MatchIndex {
  return matchIndex(files.map((file) => ({ bytes: segmentOf([file]), dead })))
}

export function openMerged(files: readonly KeywordFile[], dead: ReadonlySet<number>): MatchIndex {
  const parts = [...files].reverse().map((file) => ({ bytes: segmentOf([file]), dead }))
  return matchIndex([{ bytes: mergeSegments(parts), dead: none }])
}

/** Opens the segment as a file, as large segments are opened: tables mapped, postings read. */
export function openFile(files: readonly KeywordFile[], dead: ReadonlySet<number>): MatchIndex {
  return matchIndex([{ bytes: inFile(segmentOf(files)), dead }])
}

export function inFile(bytes: Uint8Array): SegmentFile {
  folder ??= mkdtempSync(join(tmpdir(), "aman-segment-"))
  const path = join(folder, `keyword-${files++}.seg`)
  writeFileSync(path, bytes)
  return { path, size: bytes.length }
}

let folder: string | undefined
let files = 0

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

function matchIndex(parts: readonly KeywordPart[]): MatchIndex {
  const index = openKeywordIndex(parts)
  return {
    matches: (text) => {
      const { files } = index.query({ terms: queryTerms(text), files: 1000 })
      const found = files.flatMap(({ path, chunks }) => chunks.map(({ ordinal }) => `${path}#${ordinal}`))
      return found.sort()
    },
  }
}

/** The index to compare with: SQLite's full-text index over the same terms, written as hexadecimal words. */
export function openFts5(files: readonly KeywordFile[], dead: ReadonlySet<number>): MatchIndex {
  const database = new Database(":memory:")
  database.run("CREATE VIRTUAL TABLE chunks USING fts5(place UNINDEXED, terms)")
  const insert = database.query("INSERT INTO chunks VALUES (?, ?)")
  for (const file of files.filter(({ id }) => !dead.has(id))) {
    file.chunks.forEach((chunk, ordinal) => {
      insert.run(`${file.path}#${ordinal}`, termsOf(file, chunk).join(" "))
    })
  }
  const select = database.query<{ place: string }, [string]>("SELECT place FROM chunks WHERE terms MATCH ?")
  return {
    matches: (text) => {
      const hashes = queryTerms(text).flatMap(({ variants }) => variants.map(({ hash }) => hash.toString(16)))
      if (hashes.length === 0) return []
      const rows = select.all(hashes.map((hash) => `"${hash}"`).join(" OR "))
      return rows.map(({ place }) => place).sort()
    },
  }
}

function termsOf(file: KeywordFile, chunk: KeywordChunk): string[] {
  const terms = createTermBuffer()
  tokenize(file.text, chunk.start, chunk.end, terms)
  for (const { name } of chunk.symbols) tokenize(name, 0, name.length, terms)
  return Array.from({ length: terms.count }, (_, i) =>
    ((BigInt(terms.hi[i]!) << 32n) | BigInt(terms.lo[i]!)).toString(16),
  )
}
