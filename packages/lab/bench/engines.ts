import { Database } from "bun:sqlite"
import { statSync } from "node:fs"
import { compareTexts } from "../../../src/base/index.ts"
import type { Project } from "../../../src/index/index.ts"
import { readSource, STOP_WORDS } from "../../../src/text/index.ts"
import { run } from "./processes.ts"

export type TextChunk = { readonly path: string; readonly text: string }

/** A search engine for the same chunks. Queries return paths, those of the best chunks first. */
export interface Engine {
  build(chunks: Iterable<TextChunk>): Promise<void>
  query(text: string): Promise<string[]>
  diskBytes(): number
}

const MAX_CHUNKS = 50

/** aman's own chunks of an indexed project, file by file, so that their texts need not fit into memory. */
export function* chunksOf(project: Project): Generator<TextChunk> {
  const { store } = project.reader()!
  for (const [path, id] of store.files.known()) {
    const source = readSource(project.root, path, project.config.index.maxFileBytes)
    if ("reason" in source) continue
    const lines = source.text.split("\n")
    for (const { startLine, endLine } of store.chunks.ofFile(id)) {
      yield { path, text: lines.slice(startLine - 1, endLine).join("\n") }
    }
  }
}

/**
 * SQLite's full-text index with its own bm25(), the words joined by OR. Contentless, as in a program that reads
 * texts from the files anyway.
 */
export function fts5Engine(file: string): Engine {
  const db = new Database(file)
  db.run("PRAGMA journal_mode = OFF")
  db.run("CREATE TABLE chunk (id INTEGER PRIMARY KEY, path TEXT)")
  db.run("CREATE VIRTUAL TABLE words USING fts5(path, text, content='')")
  return {
    async build(chunks) {
      const chunk = db.query("INSERT INTO chunk (path) VALUES (?) RETURNING id")
      const words = db.query("INSERT INTO words (rowid, path, text) VALUES (?, ?, ?)")
      db.transaction(() => {
        for (const { path, text } of chunks) words.run((chunk.get(path) as { id: number }).id, path, text)
      })()
    },
    async query(text) {
      const match = wordsOf(text)
        .map((word) => `"${word}"`)
        .join(" OR ")
      return db
        .query<{ path: string }, [string, number]>(
          "SELECT chunk.path FROM words JOIN chunk ON chunk.id = words.rowid WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
        )
        .all(match, MAX_CHUNKS)
        .map(({ path }) => path)
    },
    diskBytes: () => (file === ":memory:" ? 0 : statSync(file).size),
  }
}

/**
 * Searches with ripgrep for any of the words; orders files by the number of different words in them, then by
 * the number of matches.
 */
export function ripgrep(root: string, text: string): string[] {
  const patterns = wordsOf(text).flatMap((word) => ["-e", word])
  const flags = ["--only-matching", "--ignore-case", "--fixed-strings", "--null", "--no-line-number"]
  const { stdout } = run(["rg", ...flags, "--with-filename", "--no-heading", ...patterns, "--", root])
  const found = new Map<string, { words: Set<string>; matches: number }>()
  for (const line of stdout.split("\n")) {
    const [path, match] = line.split("\0")
    if (!path || match === undefined) continue
    const file = found.get(path) ?? { words: new Set(), matches: 0 }
    file.words.add(match.toLowerCase())
    file.matches++
    found.set(path, file)
  }
  return [...found]
    .sort(([a, x], [b, y]) => y.words.size - x.words.size || y.matches - x.matches || compareTexts(a, b))
    .map(([path]) => path)
}

export function hasRipgrep(): boolean {
  return Bun.which("rg") !== null
}

/**
 * The words of a query that the other engines search for: in lower case, without stop words unless nothing else
 * remains.
 */
function wordsOf(query: string): string[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])]
  const telling = all.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : all
}
