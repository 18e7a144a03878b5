import { readFileSync } from "node:fs"
import { join } from "node:path"
import { FILE_FLAG } from "../../../src/base/index.ts"
import { openProject } from "../../../src/index/index.ts"
import { contentKindOf, fileFlags, languageOf } from "../../../src/parse/index.ts"
import { type CountTokens, decodeText } from "../../../src/text/index.ts"
import { Bm25, queryWords } from "./bm25.ts"
import { run } from "./processes.ts"
import type { Place, ScoredFile } from "./task-score.ts"

export type SourceFile = { readonly path: string; readonly lines: readonly string[] }

/** A way to answer a task without aman. */
export type Baseline = {
  readonly name: string
  /** Files with the places that would be shown, best first. */
  readonly files: (query: string, limit: number) => ScoredFile[]
  /** For each number of tokens, the lines to show, most important first. */
  readonly lines: (query: string, budgets: readonly number[]) => Place[][]
}

const CHUNK_LINES = 40
const CONTEXT_LINES = 2
/** Max lines of one file that the word search prints before it continues with the next. */
const MAX_LINES_PER_FILE = 60
const MAX_FILE_BYTES = 1_000_000
const NO_SOURCE = FILE_FLAG.test | FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * The code files that aman has indexed, so that all ways to search use the same files; without tests, generated
 * and vendored files.
 */
export function indexedSource(root: string, indexDir: string): SourceFile[] {
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const paths = Array.from(project.reader()!.store.files.known(), ([path]) => path).sort()
  return paths.flatMap((path) => {
    if (contentKindOf(languageOf(path, "")) !== "code") return []
    const bytes = readFileSync(join(root, path))
    const text = bytes.length > MAX_FILE_BYTES ? null : (decodeText(bytes)?.text ?? null)
    return text === null || (fileFlags(path, text) & NO_SOURCE) !== 0
      ? []
      : [{ path, lines: text.split("\n") }]
  })
}

/** BM25: ranks whole files, and shows chunks of 40 lines. */
export function bm25Baseline(files: readonly SourceFile[], count: CountTokens): Baseline {
  const byFile = new Bm25(files, ({ lines }) => lines.join("\n"))
  const chunks = files.flatMap(({ path, lines }) =>
    Array.from({ length: Math.ceil(lines.length / CHUNK_LINES) }, (_, i) => {
      const start = i * CHUNK_LINES + 1
      const end = Math.min(lines.length, start + CHUNK_LINES - 1)
      return { path, start, end, text: lines.slice(start - 1, end).join("\n") }
    }),
  )
  const byChunk = new Bm25(chunks, ({ text }) => text)
  return {
    name: "BM25, code without tests",
    files(query, limit) {
      const ranked = byChunk.rank(query)
      return byFile
        .rank(query)
        .slice(0, limit)
        .map(({ item: { path } }) => {
          const best = ranked.find(({ item }) => item.path === path)
          return { path, places: best === undefined ? [] : [best.item] }
        })
    },
    lines: (query, budgets) =>
      withinBudgets(
        byChunk.rank(query).map(({ item }) => item),
        budgets,
        ({ path, text }) => count(`${path}\n${text}\n`),
      ),
  }
}

/**
 * What `rg --ignore-case --fixed-strings --context 2` prints for the words of a query; files by the number of different
 * words in them, then of matching lines.
 */
export function grepBaseline(files: readonly SourceFile[], count: CountTokens): Baseline {
  const lower = files.map(({ path, lines }) => {
    const lowered = lines.map((line) => line.toLowerCase())
    return { path, lines: lowered, text: lowered.join("\n") }
  })
  const byPath = new Map(files.map((file) => [file.path, file]))
  const found = (query: string) => {
    const words = queryWords(query)
    return lower
      .map((file) => ({ file, ...matchLines(file, words) }))
      .filter(({ lines }) => lines.length > 0)
      .sort((a, b) => b.words - a.words || b.lines.length - a.lines.length)
  }
  return {
    name: "ripgrep, any word",
    files: (query, limit) =>
      found(query)
        .slice(0, limit)
        .map(({ file, lines }) => ({ path: file.path, places: [{ start: lines[0]!, end: lines[0]! }] })),
    lines: (query, budgets) => {
      const places = found(query).flatMap(({ file, lines }) =>
        withContext(file, lines.slice(0, MAX_LINES_PER_FILE)),
      )
      const textOf = ({ path, start, end }: Place) =>
        `${path}\n${byPath
          .get(path)!
          .lines.slice(start - 1, end)
          .join("\n")}\n`
      return withinBudgets(places, budgets, (place) => count(textOf(place)))
    },
  }
}

/** True if zoekt's two programs are on the PATH. */
export function hasZoekt(): boolean {
  return Bun.which("zoekt") !== null && Bun.which("zoekt-index") !== null
}

/** Files in zoekt's own order for any word of a query, of the same files as the other ways; `shards` is an empty folder. */
export function zoektBaseline(
  files: readonly SourceFile[],
  root: string,
  shards: string,
): Pick<Baseline, "name" | "files"> {
  run(["zoekt-index", "-index", shards, root])
  const paths = new Set(files.map(({ path }) => path))
  return {
    name: "zoekt, any word",
    files: (query, limit) => {
      const words = queryWords(query).map((word) => `"${word}"`)
      if (words.length === 0) return []
      const { stdout } = run(["zoekt", "-index_dir", shards, "-l", `(${words.join(" or ")})`])
      const ranked = stdout.split("\n").filter((path) => paths.has(path))
      return ranked.slice(0, limit).map((path) => ({ path, places: [] }))
    },
  }
}

type LowerFile = SourceFile & { readonly text: string }

/** 1-based lines with any of the words, and how many of the words occur. */
function matchLines(
  { lines, text }: LowerFile,
  words: readonly string[],
): { lines: number[]; words: number } {
  const own = words.filter((word) => text.includes(word))
  const matching: number[] = []
  if (own.length > 0)
    for (const [i, line] of lines.entries()) if (own.some((word) => line.includes(word))) matching.push(i + 1)
  return { lines: matching, words: own.length }
}

function withContext({ path, lines }: SourceFile, matching: readonly number[]): Place[] {
  const places: { path: string; start: number; end: number }[] = []
  for (const line of matching) {
    const start = Math.max(1, line - CONTEXT_LINES)
    const end = Math.min(lines.length, line + CONTEXT_LINES)
    const last = places.at(-1)
    if (last !== undefined && start <= last.end + 1) last.end = end
    else places.push({ path, start, end })
  }
  return places
}

/** Takes places in order until the next does not fit; the budgets are in rising order. */
function withinBudgets<Item extends Place>(
  places: readonly Item[],
  budgets: readonly number[],
  tokensOf: (place: Item) => number,
): Place[][] {
  const taken: Place[][] = []
  let used = 0
  let next = 0
  let tokens = places.length > 0 ? tokensOf(places[0]!) : 0
  for (const budget of budgets) {
    while (next < places.length && used + tokens <= budget) {
      used += tokens
      next++
      if (next < places.length) tokens = tokensOf(places[next]!)
    }
    taken.push(places.slice(0, next))
  }
  return taken
}
