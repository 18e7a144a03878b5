import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { knowledgePath } from "../app/knowledge/knowledge-place.ts"
import { userDataDir } from "../base/paths.ts"
import { sha256 } from "../base/sha256.ts"
import type { Entry } from "../knowledge/entry.ts"
import { termsOf } from "../knowledge/recall/terms.ts"
import type { TermHolders } from "../knowledge/recall/word-match.ts"
import { foldName, lastName } from "../store/fold-name.ts"
import { stampOf } from "./store-stamp.ts"

/**
 * Which notes of a project have which words: hashes and numbers, neither words nor notes. It tells of most prompts and
 * files, in a fraction of a millisecond, that no note is about them. Made where notes were read anyway, and true as
 * long as the store is as it was then.
 */
export type NoteWords = TermHolders & {
  /** Whether some note has this name of the code, however it is cased. */
  readonly hasName: (name: string) => boolean
  /** Whether some note speaks of this file: by its whole path as its source, or by its name. */
  readonly hasFile: (path: string) => boolean
}

export function readNoteWords(root: string | null): NoteWords | null {
  try {
    const bytes = readFileSync(pathOf(root))
    const end = bytes.indexOf(10)
    const { stamp, entries, terms, held } = JSON.parse(bytes.toString("utf8", 0, end))
    if (stamp !== stampNow()) return null
    const from = bytes.byteOffset + end + 1
    const numbers = new Uint32Array(bytes.buffer.slice(from, bytes.byteOffset + bytes.length))
    // Each term with where its holders begin; then the holders; then names.
    const starts = numbers.subarray(0, 2 * terms)
    const holders = numbers.subarray(2 * terms, 2 * terms + held)
    const names = numbers.subarray(2 * terms + held)
    return {
      entries,
      holders: (term) => {
        const at = find(starts, 2, hashOf(term))
        return at < 0 ? NOBODY : holders.subarray(starts[2 * at + 1]!, starts[2 * at + 3] ?? held)
      },
      hasName: (name) => find(names, 1, nameHash(name)) >= 0,
      hasFile: (path) => find(names, 1, fileHash(path)) >= 0 || find(names, 1, fileHash(basename(path))) >= 0,
    }
  } catch {
    return null
  }
}

const NOBODY = new Uint32Array(0)

type Noted = Pick<Entry, "text" | "topic" | "tags" | "source">

/** `entries`: all that the project may ever show, whether they hold now or not. */
export function keepNoteWords(root: string | null, entries: readonly Noted[]): void {
  const { words, pairs } = wordsOf(entries)
  const { starts, lists } = holdersOf(pairs, entries.length)
  const counts = { entries: entries.length, terms: starts.length / 2, held: lists.length }
  write(root, counts, [starts, lists, nameHashes(words, entries)])
}

/** What stands between spaces, each once, and for each term of each entry a number made of both. */
function wordsOf(entries: readonly Noted[]): { words: ReadonlySet<string>; pairs: Float64Array } {
  const known = new Map<string, readonly number[]>()
  const pairs: number[] = []
  for (const [number, { text, topic, tags }] of entries.entries()) {
    for (const word of `${text}\n${topic}\n${tags.join(" ")}`.split(/\s+/)) {
      let hashes = known.get(word)
      if (hashes === undefined) {
        const { inOrder, besides } = termsOf(word)
        hashes = [...inOrder, ...besides].map(hashOf)
        known.set(word, hashes)
      }
      for (const hash of hashes) pairs.push(hash * entries.length + number)
    }
  }
  return { words: new Set(known.keys()), pairs: new Float64Array(pairs) }
}

/** Each term's hash with where its holders begin, and the holders, in the order of the hashes. */
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

function nameHashes(words: ReadonlySet<string>, entries: readonly Noted[]): Uint32Array {
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

function write(root: string | null, counts: object, numbers: readonly Uint32Array[]): void {
  const head = `${JSON.stringify({ stamp: stampNow(), ...counts })}\n`
  const path = pathOf(root)
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    // Whoever reads meanwhile sees the old one or the new one.
    const staging = `${path}.${process.pid}`
    const parts = numbers.map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    )
    writeFileSync(staging, Buffer.concat([Buffer.from(head), ...parts]), { mode: 0o600 })
    renameSync(staging, path)
  } catch {
    // It is made again next time.
  }
}

/** Of sorted numbers, every `step`th; -1 where it is not among them. */
function find(sorted: Uint32Array, step: number, wanted: number): number {
  let [low, high] = [0, sorted.length / step]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle * step]! < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low * step] === wanted ? low : -1
}

function nameHash(name: string): number {
  return hashOf(foldName(lastName(name)))
}

function fileHash(path: string): number {
  return hashOf(`file ${path}`)
}

function hashOf(text: string): number {
  return Bun.hash.xxHash32(text)
}

function stampNow(): string {
  return `2 ${stampOf(knowledgePath())}`
}

function folder(): string {
  return join(userDataDir(), "hooks", "words")
}

function pathOf(root: string | null): string {
  return join(folder(), sha256(root ?? "").slice(0, 32))
}
