import { readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { firstNot, OpenFolder, replaceFile, sha256, userDataDir } from "../../../base/index.ts"
import { analyseTerms, type Entry, knowledgePath, type TermHolders } from "../../../memory/index.ts"
import { foldName, lastName } from "../../../store/index.ts"

/**
 * Index of the words in a project's notes: hashes and numbers, no text. Shows in a fraction of a millisecond
 * that no note matches a prompt or a file, which is the usual case. Written by hooks that have read the notes
 * anyway; valid while the memory file is unchanged.
 */
export type NoteWords = TermHolders & {
  /** True if a note contains this code name, ignoring case. */
  readonly hasName: (name: string) => boolean
  /** True if a note mentions this file: its path as source, or its file name. */
  readonly hasFile: (path: string) => boolean
}

export function readNoteWords(root: string | null): NoteWords | null {
  try {
    const bytes = readFileSync(cachePath(root))
    const end = bytes.indexOf(10)
    const { stamp, isBegun, entries, terms, held } = JSON.parse(bytes.toString("utf8", 0, end))
    if (stamp !== stampNow() || isBegun === true) return null
    const from = bytes.byteOffset + end + 1
    const numbers = new Uint32Array(bytes.buffer.slice(from, bytes.byteOffset + bytes.length))
    // Layout of the file: the terms, each with the start of its entry list; the entry lists; the file names.
    const starts = numbers.subarray(0, 2 * terms)
    const holders = numbers.subarray(2 * terms, 2 * terms + held)
    const names = numbers.subarray(2 * terms + held)
    return {
      entries,
      holders: (term) => {
        const at = searchSorted(starts, 2, hashWord(term))
        return at < 0 ? NO_HOLDERS : holders.subarray(starts[2 * at + 1]!, starts[2 * at + 3] ?? held)
      },
      hasName: (name) => searchSorted(names, 1, nameHash(name)) >= 0,
      hasFile: (path) =>
        searchSorted(names, 1, fileHash(path)) >= 0 || searchSorted(names, 1, fileHash(basename(path))) >= 0,
    }
  } catch {
    return null
  }
}

const NO_HOLDERS = new Uint32Array(0)

type NoteSource = Pick<Entry, "text" | "topic" | "tags" | "source">

/**
 * Writes the index for `entries`, which are all entries of the project, current or not. Does nothing if an earlier
 * process was ended by its deadline while it wrote the index for the same notes, because every later hook would be
 * ended in the same way.
 */
export function keepNoteWords(root: string | null, entries: readonly NoteSource[]): void {
  const beginning = headerLine({ isBegun: true })
  if (isWritten(root, beginning)) return
  writeCache(root, beginning, [])
  const { words, pairs } = collectWords(entries)
  const { starts, lists } = holdersOf(pairs, entries.length)
  const counts = { entries: entries.length, terms: starts.length / 2, held: lists.length }
  writeCache(root, headerLine(counts), [starts, lists, nameHashes(words, entries)])
}

/** The distinct words of all entries, and for each term of each entry a number made of the term's hash and the entry's number. */
function collectWords(entries: readonly NoteSource[]): { words: ReadonlySet<string>; pairs: Float64Array } {
  const hashesByWord = new Map<string, readonly number[]>()
  const pairs: number[] = []
  for (const [number, { text, topic, tags }] of entries.entries()) {
    for (const word of `${text}\n${topic}\n${tags.join(" ")}`.split(/\s+/)) {
      let hashes = hashesByWord.get(word)
      if (hashes === undefined) {
        const { inOrder, besides } = analyseTerms(word)
        hashes = [...inOrder, ...besides].map(hashWord)
        hashesByWord.set(word, hashes)
      }
      for (const hash of hashes) pairs.push(hash * entries.length + number)
    }
  }
  return { words: new Set(hashesByWord.keys()), pairs: new Float64Array(pairs) }
}

/** Term hashes with the start of their entry lists, and the lists, sorted by hash. */
function holdersOf(pairs: Float64Array, entries: number): { starts: Uint32Array; lists: Uint32Array } {
  const starts: number[] = []
  const lists = new Uint32Array(pairs.length)
  let held = 0
  let [before, last] = [-1, -1]
  for (const pair of pairs.sort()) {
    if (pair === before) continue
    before = pair
    const hash = Math.floor(pair / entries)
    if (hash !== last) starts.push(hash, held)
    last = hash
    lists[held++] = pair - hash * entries
  }
  return { starts: Uint32Array.from(starts), lists: lists.subarray(0, held) }
}

function nameHashes(words: ReadonlySet<string>, entries: readonly NoteSource[]): Uint32Array {
  const sources = entries.flatMap(({ source }) => (source === null ? [] : [source]))
  const names = new Set([...words].join("\n").match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
  const dotted = [...words].filter((word) => word.includes(".")).join("\n")
  const files = new Set(dotted.match(/[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)+/gu))
  for (const { path, symbol } of sources) {
    files.add(path)
    if (symbol) names.add(symbol)
  }
  return Uint32Array.from([...Array.from(names, nameHash), ...Array.from(files, fileHash)]).sort()
}

function headerLine(facts: object): string {
  return `${JSON.stringify({ stamp: stampNow(), ...facts })}\n`
}

/** True if the file contains only this header line: a process began to write the index and did not finish. */
function isWritten(root: string | null, head: string): boolean {
  try {
    return readFileSync(cachePath(root), "utf8") === head
  } catch {
    return false
  }
}

function writeCache(root: string | null, head: string, numbers: readonly Uint32Array[]): void {
  const path = cachePath(root)
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    const parts = numbers.map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    )
    replaceFile(join(folder.at, basename(path)), Buffer.concat([Buffer.from(head), ...parts]))
  } catch {
    // A failure is ignored, because a later hook writes the index again.
  }
}

/** Binary search in every `step`th of the sorted numbers; -1 if not found. */
function searchSorted(sorted: Uint32Array, step: number, wanted: number): number {
  const low = firstNot(0, sorted.length / step, (i) => sorted[i * step]! < wanted)
  return sorted[low * step] === wanted ? low : -1
}

function nameHash(name: string): number {
  return hashWord(foldName(lastName(name)))
}

function fileHash(path: string): number {
  return hashWord(`file ${path}`)
}

function hashWord(text: string): number {
  return Bun.hash.xxHash32(text)
}

function stampNow(): string {
  return `2 ${databaseStamp(knowledgePath())}`
}

function folder(): string {
  return join(userDataDir(), "hooks", "words")
}

function cachePath(root: string | null): string {
  return join(folder(), sha256(root ?? "").slice(0, 32))
}

/**
 * Text that changes with every commit to an SQLite database: size, time of change and inode of the file and of its
 * write-ahead log (WAL). An empty WAL counts as missing, because merely opening a database may touch it.
 */
export function databaseStamp(path: string): string {
  return `${fileStamp(path)} ${fileStamp(`${path}-wal`)}`
}

function fileStamp(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined || stat.size === 0 ? "-" : `${stat.size}-${stat.mtimeMs}-${stat.ino}`
}
