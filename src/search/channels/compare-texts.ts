import { LRUCache } from "lru-cache"
import { bitCount, bm25, FILE_FLAG } from "../../base/index.ts"
import { CHUNK_KEY_STRIDE, type ChunkHit, type ChunkKey } from "../../index/index.ts"
import type { Store } from "../../store/index.ts"
import {
  BLOCK_LINES,
  isDocument,
  type LineRange,
  STOP_WORDS,
  termOf,
  words as termsOf,
  WordCounter,
  type WordCounts,
} from "../../text/index.ts"
import { coverage, type Scale } from "../query/query.ts"
import { asksForTests, type CandidateFile } from "../rank/features.ts"

/**
 * Finds files that contain a line of the query word for word, such as an error message. In order: choose the most
 * distinctive lines of the query; choose the files and chunks with most terms of a line, by the keyword index alone;
 * read these chunks; find in each the runs of words that the lines contain too.
 */

/** Share of the query that a file, and each of its chunks by ordinal, contains word for word; 0 to 1. */
export type Verbatim = {
  readonly share: number
  /**
   * True when the text found is a hyphenated key. Settings and documents that contain the key are then answers, and do
   * not only quote it.
   */
  readonly isKey: boolean
  readonly chunks: ReadonlyMap<number, number>
}

// The next three were chosen, not fitted: shorter runs of words, and smaller shares of a line, occur in many files by
// chance.
const MIN_WORDS = 4
const MIN_CONTENT_WORDS = 3
const MIN_SHARE = 0.5
/** A chunk that contains a smaller share of the line's terms than this is not read. */
const MIN_TERM_SHARE = 0.5

// These limits keep the work at a few milliseconds for any query; each text is read only once for all lines.
/** Maximum number of distinctive lines of the query, and of words of each line. */
const MAX_LINES = 16
/** Maximum number of files read. With twice as many, the results are not better. */
const MAX_FILES = 16
/** Maximum number of chunks of a file that are compared. Comparing whole files takes longer, and results are not better. */
const MAX_CHUNKS = 4
/**
 * Maximum number of characters read of a chunk. Most chunks are smaller, but a chunk with one very long line can be a
 * whole file.
 */
const MAX_OF_CHUNK = 8_000

/**
 * Finds files that contain a line of the query word for word; none without `readChunks`. A chunk's share is the share of the line that it
 * contains, times the line's share of the query's summed IDF. A file's share is 0 unless the line has more than half
 * of the query's IDF. At most one line can have that, and a line that every pasted trace contains ("Traceback (most
 * recent call last):") does not have it.
 */
export function verbatimIn(
  text: string,
  scale: Scale,
  readChunks: ReadChunks | null,
  check?: () => void,
): ReadonlyMap<number, Verbatim> {
  const found = new Map<number, Verbatim>()
  const lines = readChunks === null ? [] : distinctiveLines(text, scale)
  if (readChunks === null || lines.length === 0) return found
  const runs = new WordRuns(lines.map(({ words }) => words))
  let left = 200_000
  for (const { file, chunks } of nearestChunks(lines, scale)) {
    check?.()
    if (left <= 0) break
    const texts = readChunks(file, chunks)
    if (texts === null) continue
    const chunkShares = new Map<number, number>()
    let max = 0
    let isKey = false
    for (const [at, { ordinal }] of chunks.entries()) {
      const chunkText = texts[at]!.slice(0, MAX_OF_CHUNK)
      left -= chunkText.length
      const runsByLine = runs.in(chunkText)
      lines.forEach((line, lineAt) => {
        const { weight } = line
        const share = shareInRuns(line, runsByLine[lineAt]!)
        if (share > 0) chunkShares.set(ordinal, Math.max(chunkShares.get(ordinal) ?? 0, share * weight))
        const fileShare = share * (2 * weight - 1)
        if (fileShare > max) isKey = line.isKey
        max = Math.max(max, fileShare)
      })
    }
    if (chunkShares.size > 0) found.set(file.id, { share: max, isKey, chunks: chunkShares })
  }
  return found
}

type TokenLine = {
  readonly words: readonly string[]
  /**
   * For each word, the index of the blank-separated token that contains it: check-for-changes.sh is one token of four
   * words.
   */
  readonly tokens: readonly number[]
  /** True for a hyphenated key, which is treated like a line. */
  readonly isKey: boolean
  /** Bit mask of the query's terms that the line contains. */
  readonly mask: number
  /** Share of the query's summed IDF that these terms have, 0 to 1. */
  readonly weight: number
}

/**
 * A hyphenated name of three parts or more, such as the setting lazyfree-lazy-eviction. It is searched for as a whole,
 * because its parts are common words that occur together in many files.
 */
const KEY = /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+){2,8}(?![\p{L}\p{N}_-])/gu
const WORD = /[\p{L}\p{N}_]+/gu

function splitWords(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

/** The lines and hyphenated keys of the text whose terms have the highest summed IDF. */
function distinctiveLines(text: string, scale: Scale): TokenLine[] {
  const bits = new Map(scale.query.stems.map((stem, term) => [stem, 1 << term]))
  const lines = new Map<string, TokenLine>()
  const keys = new Set(Array.from(text.matchAll(KEY), ([key]) => key).slice(0, MAX_LINES))
  for (const line of new Set([...text.split("\n"), ...keys])) {
    const byToken = wordsByToken(line).slice(0, 40)
    const words = byToken.map(({ word }) => word)
    const tokens = byToken.map(({ token }) => token)
    const isKey = keys.has(line)
    if (!isKey && !hasContent(words, tokens)) continue
    const mask = termsOf(line).reduce((mask, term) => mask | (bits.get(termOf(term)) ?? 0), 0)
    lines.set(words.join(" "), { words, tokens, isKey, mask, weight: coverage(mask, scale) })
  }
  return [...lines.values()].sort((one, other) => other.weight - one.weight).slice(0, MAX_LINES)
}

/**
 * True if a line has enough words to be distinctive. The words must come from at least two tokens, because a single
 * long name occurs word for word wherever it is used.
 */
function hasContent(words: readonly string[], tokens: readonly number[]): boolean {
  if (words.length < MIN_WORDS || tokens[0] === tokens.at(-1)) return false
  return words.filter((word) => !STOP_WORDS.has(word)).length >= MIN_CONTENT_WORDS
}

function wordsByToken(line: string): { readonly word: string; readonly token: number }[] {
  return line.split(/\s+/u).flatMap((part, token) => splitWords(part).map((word) => ({ word, token })))
}

/** The files whose chunks contain the most terms of a line, and these chunks; both best first. */
function nearestChunks(lines: readonly TokenLine[], { answer }: Scale) {
  const rateOf = (chunk: ChunkHit) => lines.reduce((max, line) => Math.max(max, shareOfTerms(chunk, line)), 0)
  const near = answer.files.flatMap((file) => {
    // The text of an office document or PDF file takes long to extract.
    if (isDocument(file.path)) return []
    const rated = file.chunks.map((chunk) => ({ chunk, rate: rateOf(chunk) })).filter(({ rate }) => rate > 0)
    if (rated.length === 0) return []
    rated.sort((one, other) => other.rate - one.rate)
    return [{ file, rate: rated[0]!.rate, chunks: rated.slice(0, MAX_CHUNKS).map(({ chunk }) => chunk) }]
  })
  return near.sort((one, other) => other.rate - one.rate).slice(0, MAX_FILES)
}

/**
 * The share of a line's terms that a chunk contains, times the line's weight; 0 if the share is below MIN_HELD. All
 * terms count equally, because the rarest terms of a message are often values that occur in no file.
 */
function shareOfTerms({ body, doc, names }: ChunkHit, { mask, weight }: TokenLine): number {
  const count = bitCount((body | doc | names) & mask)
  const share = count / bitCount(mask)
  return count >= MIN_CONTENT_WORDS && share >= MIN_TERM_SHARE ? share * weight : 0
}

/**
 * The share of a line's words that a text contains in runs; 0 if that is below MIN_SHARE or if no run is long enough.
 */
function shareInRuns({ words, tokens, isKey }: TokenLine, runs: readonly Run[]): number {
  const covered = runs.reduce((sum, [from, to]) => sum + to - from, 0)
  const share = covered / words.length
  if (isKey) return share === 1 ? 1 : 0
  return share >= MIN_SHARE &&
    runs.some(([from, to]) => hasContent(words.slice(from, to), tokens.slice(from, to)))
    ? share
    : 0
}

/** A run of words, as the index of its first word and the index after its last word. */
type Run = readonly [from: number, to: number]

/**
 * Minimum number of words in a run. Where a message has an inserted value, one run ends and the next begins after it.
 */
const MIN_RUN = 3

/**
 * Finds the runs of three or more words that texts have in common with given lines. A text is read once for all lines,
 * as the set of its triples of neighbouring words. If the triples of a run occur in different places of the text, the
 * run counts as found although it is not there as a whole; this is rare.
 */
export class WordRuns {
  private readonly ids = new Map<string, number>()
  /** Hashes of all words in the lines. */
  private readonly hashes = new Set<number>()
  private readonly lines: readonly (readonly number[])[]

  constructor(lines: readonly (readonly string[])[]) {
    this.lines = lines.map((words) => triples(words.map((word) => this.idOf(word))))
  }

  /** For each line, the runs that the text contains. */
  in(text: string): Run[][] {
    const ids = BEYOND_ASCII.test(text)
      ? splitWords(text).map((word) => this.ids.get(word) ?? 0)
      : this.idsInAscii(text)
    const seen = new Set(triples(ids))
    return this.lines.map((triples) => runsOf(triples, seen))
  }

  private idOf(word: string): number {
    const known = this.ids.get(word)
    if (known !== undefined) return known
    const id = this.ids.size + 1
    this.ids.set(word, id)
    this.hashes.add(hashWord(word))
    return id
  }

  /**
   * The ids of the words of a text, 0 for words that are in no line; for a text of ASCII letters only. Hashes are
   * compared first, because creating a string for each word takes half as long again.
   */
  private idsInAscii(text: string): number[] {
    const ids: number[] = []
    let [start, hash] = [-1, SEED]
    for (let at = 0; at <= text.length; at++) {
      const letter = at === text.length ? 0 : LETTERS[text.charCodeAt(at)]!
      if (letter !== 0) {
        if (start < 0) [start, hash] = [at, SEED]
        hash = mixed(hash, letter)
      } else if (start >= 0) {
        ids.push(this.hashes.has(hash) ? (this.ids.get(text.slice(start, at).toLowerCase()) ?? 0) : 0)
        start = -1
      }
    }
    return ids
  }
}

const BEYOND_ASCII = /[^\x00-\x7f]/

/** For each ASCII character that WORD matches, its code in lower case; 0 for other characters. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /\w/.test(character) ? character.toLowerCase().charCodeAt(0) : 0
})

// Offset basis of the hash function FNV-1a.
const SEED = 0x811c9dc5 | 0

function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function hashWord(word: string): number {
  let hash = SEED
  for (let at = 0; at < word.length; at++) hash = mixed(hash, word.charCodeAt(at))
  return hash
}

/**
 * Each three neighbouring ids, packed into one number; 0 if one of the ids is 0. A query has at most 640 ids (lines ×
 * words), so 17 bits are enough for an id, and a number represents three of them exactly.
 */
function triples(ids: readonly number[]): number[] {
  const found: number[] = []
  for (let at = 0; at + MIN_RUN <= ids.length; at++) {
    const [one, two, three] = [ids[at]!, ids[at + 1]!, ids[at + 2]!]
    found.push(one * two * three === 0 ? 0 : (one * BASE + two) * BASE + three)
  }
  return found
}

const BASE = 2 ** 17

function runsOf(triples: readonly number[], seen: ReadonlySet<number>): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < triples.length; ) {
    if (!seen.has(triples[at]!)) {
      at++
      continue
    }
    const from = at
    while (at < triples.length && seen.has(triples[at]!)) at++
    const to = at + MIN_RUN - 1
    runs.push([from, to])
    at = to
  }
  return runs
}

/** Maximum number of characters that are read of the chunks of one file. */
const MAX_OF_FILE = 16_000

/** Maximum size in bytes of all these files together. Once it is reached, no further file is read. */
const MAX_BYTES = 2_000_000

// The mean number of words in two blocks.
const AVERAGE_WORDS = 4 * BLOCK_LINES

/**
 * BM25 scores of the query's words as they were typed, by file id. A file has the score of its best two neighbouring
 * blocks. Only the first MAX_FILES of the given candidates that are code or documents are scored. This is needed
 * because the index contains only the stems of words: "contributor" finds CONTRIBUTING and "listed" finds list, and in
 * a large project many other files contain these.
 */
export function exactWords(
  candidates: readonly CandidateFile[],
  scale: Scale,
  readChunks: ReadChunks,
  check?: () => void,
): ReadonlyMap<number, number> {
  const { words, scored } = scale.query
  const counter = new WordCounter(words.slice(0, scored))
  const read: { readonly candidate: CandidateFile; readonly counts: WordCounts }[] = []
  let left = MAX_BYTES
  for (const candidate of candidates.filter((each) => isReadable(each, scale)).slice(0, MAX_FILES)) {
    check?.()
    if (left <= 0) break
    left -= candidate.facts.size
    const texts = readChunks(candidate.hit, bestChunks(candidate))
    if (texts !== null) read.push({ candidate, counts: counter.in(texts.join("\n"), MAX_OF_FILE) })
  }
  const rarity = rarities(read, scale)
  return new Map(read.map(({ candidate, counts }) => [candidate.hit.id, bestWindow(counts, rarity)]))
}

/** A file's best chunks, in their order in the file. */
function bestChunks({ hit: { chunks } }: CandidateFile): ChunkHit[] {
  return chunks.slice(0, MAX_CHUNKS).sort((one, other) => one.ordinal - other.ordinal)
}

const NOT_WRITTEN_HERE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * True if the words of a file may be compared. False for data, generated files, and tests (unless the query asks for
 * tests), because they repeat all kinds of words; and for office documents and PDF files, whose text takes long to
 * extract.
 */
function isReadable({ hit, facts: { content, flags } }: CandidateFile, scale: Scale): boolean {
  const excludedFlags = asksForTests(scale) ? NOT_WRITTEN_HERE : NOT_WRITTEN_HERE | FILE_FLAG.test
  return content !== "data" && (flags & excludedFlags) === 0 && !isDocument(hit.path)
}

/**
 * Inverse document frequency of each word as it was typed: that of its stem, plus a part that is larger the fewer of the
 * read files with the stem contain the word in this form.
 */
function rarities(
  read: readonly { readonly candidate: CandidateFile; readonly counts: WordCounts }[],
  { query, answer }: Scale,
): Float64Array {
  return Float64Array.from({ length: query.scored }, (_, term) => {
    let [withStem, withWord] = [0, 0]
    for (const { candidate, counts } of read) {
      const { body, doc, names, stem, dirs } = candidate.hit.masks
      if (((body | doc | names | stem | dirs) >>> term) & 1) withStem++
      for (let at = term; at < counts.blocks.length; at += query.scored) {
        if (counts.blocks[at] === 0) continue
        withWord++
        break
      }
    }
    const weight = query.terms[term]!.weight ?? 1
    return Math.max(0, answer.fileIdf[term]! + weight * Math.log((withStem + 1) / (withWord + 0.5)))
  })
}

/** The highest score of any two blocks that follow each other. */
function bestWindow({ blocks, lengths }: WordCounts, rarity: Float64Array): number {
  let best = 0
  for (let block = 0; block < lengths.length; block++) {
    const length = lengths[block]! + (lengths[block + 1] ?? 0)
    let score = 0
    for (let term = 0; term < rarity.length; term++) {
      const at = block * rarity.length + term
      const count = blocks[at]! + (blocks[at + rarity.length] ?? 0)
      score += rarity[term]! * bm25(count, length / AVERAGE_WORDS)
    }
    best = Math.max(best, score)
  }
  return best
}

type IndexedFile = { readonly id: number; readonly path: string }
type ChunkLines = Pick<ChunkHit, "ordinal" | "startLine" | "endLine">

/**
 * Reads ranges of lines of an indexed file, in ascending order of their first lines; null if the file cannot be read or
 * has changed since it was indexed.
 */
export type ReadLines = (file: IndexedFile, ranges: readonly LineRange[]) => readonly string[] | null

/** The texts of some chunks of a file, in the given order; null if the file cannot be read. */
export type ReadChunks = (file: IndexedFile, chunks: readonly ChunkLines[]) => readonly string[] | null

/** Maximum number of characters that are cached of one index. A question compares some 100,000: these are fifty. */
const MAX_CACHED = 5_000_000
/** A longer chunk is not cached. */
const MAX_CACHED_CHUNK = 16_000

/**
 * Texts of chunks by key. The questions of a session are about the same part of a project, and reading files takes longer
 * than comparing their words. An entry cannot become outdated, because a changed file gets a new id. The cache is
 * released together with the store of its index.
 */
const newTexts = () => new LRUCache<ChunkKey, string>({ maxSize: MAX_CACHED })

/** Returns a function that takes the texts of chunks from the cache, or else reads them. */
export function chunkReader(store: Store, readLines: ReadLines): ReadChunks {
  const known = store.kept(newTexts, newTexts)
  return (file, chunks) => {
    const first = file.id * CHUNK_KEY_STRIDE
    const texts = new Map<number, string>()
    const unread: ChunkLines[] = []
    for (const chunk of chunks) {
      const text = known.get(first + chunk.ordinal)
      if (text === undefined) unread.push(chunk)
      else texts.set(chunk.ordinal, text)
    }
    if (unread.length > 0) {
      unread.sort((one, other) => one.ordinal - other.ordinal)
      const ranges = unread.map(({ startLine, endLine }) => ({ first: startLine, last: endLine }))
      const read = readLines(file, ranges)
      if (read === null) return null
      for (const [at, { ordinal }] of unread.entries()) {
        const text = read[at]!
        texts.set(ordinal, text)
        if (text.length <= MAX_CACHED_CHUNK) known.set(first + ordinal, text, { size: text.length + 1 })
      }
    }
    return chunks.map(({ ordinal }) => texts.get(ordinal)!)
  }
}
