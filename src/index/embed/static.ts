import tablePath from "../../../models/aman256.bin" with { type: "file" }
import { GrowingU32 } from "../../base/index.ts"
import { clearTerms, createTermBuffer, glossOf, tokenize } from "../../text/index.ts"
import { type Embedder, type EmbeddingInput, type EmbeddingSpace, isSameSpace } from "./port.ts"
import { embedStatic768, JoinedTexts, STATIC768_DIMENSIONS } from "./static768.ts"

/**
 * The built-in embedder. In order: the table of word vectors as queries read it; the models and their embedders; how the
 * rows of two models are joined; `WordSums`, which computes the vector of a text from the table.
 */

type OpenTable = { readonly table: FileWordTable; readonly sums: WordSums; readonly stamp: string }

/** A word table in a file. Only the vectors of words that occur in queries are read. */
export class QueryWordTable {
  readonly #path: string
  #opening: Promise<OpenTable> | null = null

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Returns the WordSums, with the rows that this text needs. If opening the file failed, the next query tries again.
   */
  async sumsFor(text: string): Promise<WordSums> {
    for (let tries = 0; tries < 2; tries++) {
      const { table, sums, stamp } = await this.#opened()
      await table.load(wordRows(table, text))
      // An update of aman can replace the file while a server is running. Words of the old file do not match rows of
      // the new file.
      if (stamp === stampOf(this.#path)) return sums
      this.#opening = null
    }
    throw new Error(`${this.#path} is being replaced`)
  }

  #opened(): Promise<OpenTable> {
    this.#opening ??= open(this.#path).catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }
}

async function open(path: string): Promise<OpenTable> {
  const stamp = stampOf(path)
  const table = await openWordTable(Bun.file(path))
  return { table, sums: new WordSums(table), stamp }
}

function stampOf(path: string): string {
  const { size, lastModified } = Bun.file(path)
  return `${size} ${lastModified}`
}

/**
 * The built-in models. aman256 is aman's table of word vectors, for memories, which it reads in English. aman512, for code,
 * has the hashed words and letters of static768, too: it finds similar meanings and, for unknown words, similar spellings.
 */
export type StaticModel = "aman512" | "aman256"

/** The embedding space of each model. `version` changes with the bytes of the tables: models/aman256.sha256, gloss.sha256. */
const SPACES: Readonly<Record<StaticModel, EmbeddingSpace>> = {
  aman512: { provider: "static", model: "aman512", dimensions: 512, version: 1 },
  aman256: { provider: "static", model: "aman256", dimensions: 256, version: 3 },
}

/**
 * How many times the words of defined names and of the path count. A name says more than a word of the text, and the
 * path occurs only once.
 */
const NAME_TIMES = 2
const PATH_TIMES = 4

/** True for a space whose vectors are computed by aman itself, without a server. */
export function isBuiltIn({ provider }: Pick<EmbeddingSpace, "provider">): boolean {
  return provider === SPACES.aman512.provider || provider === "encoder"
}

/** True for the space of the built-in vectors of code. */
export function isCodeSpace(space: EmbeddingSpace): boolean {
  return isSameSpace(SPACES.aman512, space)
}

/** A built-in embedder: takes a few microseconds per text and uses no network. */
export function createStaticEmbedder(model: StaticModel = "aman512"): Embedder {
  return model === "aman512" ? bothEmbedder(trainedEmbedder(String)) : trainedEmbedder(glossOf)
}

/**
 * An embedder that has the vectors of the table and of static768 in one row, so that the cosine of two rows is the mean of
 * the two cosines. Other shares than equal ones gain nothing: docs/decisions/figures.md. Only the text of a chunk is
 * hashed: with the path or names before the text, measured results were worse.
 */
function bothEmbedder(trained: Embedder): Embedder {
  return {
    space: SPACES.aman512,
    embedChunks: async (inputs) => joinRows(await trained.embedChunks(inputs), hashAll(inputs)),
    embedQuery: async (text) => {
      if (lastQuery?.text === text) return lastQuery.vector
      const vector = joinRows(await trained.embedQuery(text), hashAll([{ text, names: [], path: "" }]))
      lastQuery = { text, vector }
      return vector
    },
  }
}

/** The query that was embedded last. It is kept, because a question about several repositories embeds it for each. */
let lastQuery: { readonly text: string; readonly vector: Float32Array } | null = null

function trainedEmbedder(read: (text: string) => string): Embedder {
  const space = SPACES.aman256
  return {
    space,
    embedChunks: async (inputs) => {
      const sums = await wordSums()
      const vectors = new Float32Array(inputs.length * space.dimensions)
      const isJoined = inputs.at(-1)?.isWhole === true
      for (const [i, { text, names, path, isWhole }] of inputs.entries()) {
        if (isWhole) sums.addKept()
        else sums.add(read(text), 1, isJoined && path !== "")
        for (const name of names) sums.add(name, NAME_TIMES)
        sums.add(distinctivePath(path), PATH_TIMES)
        sums.take("root", vectors, i * space.dimensions)
      }
      return vectors
    },
    embedQuery: async (text) => {
      const sums = await querySums(read(text))
      const vector = new Float32Array(space.dimensions)
      sums.add(read(text))
      sums.take("plain", vector)
      return vector
    },
  }
}

function hashAll(inputs: readonly EmbeddingInput[]): Float32Array {
  const vectors = new Float32Array(inputs.length * STATIC768_DIMENSIONS)
  const joined = inputs.at(-1)?.isWhole ? new JoinedTexts() : null
  for (const [i, { text, path, isWhole }] of inputs.entries()) {
    const at = i * STATIC768_DIMENSIONS
    if (isWhole) {
      joined?.take(vectors, at)
      continue
    }
    embedStatic768(text, vectors, at)
    if (path !== "") joined?.addLast()
  }
  return vectors
}

/**
 * The last three folders of a path and the file name without its extension, which distinguish the files of a project.
 */
export function distinctivePath(path: string): string {
  const parts = path.split("/")
  const name = parts.pop()!.replace(/\.[^.]+$/u, "")
  return [...parts.slice(-3), name].join(" ")
}

let loading: Promise<WordSums> | undefined

function wordSums(): Promise<WordSums> {
  loading ??= loadWordSums().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function loadWordSums(): Promise<WordSums> {
  return new WordSums(readWordTable(await Bun.file(tablePath).bytes()))
}

const queryWordTable = new QueryWordTable(tablePath)

/**
 * The sums for a query: from the whole table if it is loaded, otherwise from single rows, because loading the table
 * takes 3 ms and 4 MB.
 */
function querySums(text: string): Promise<WordSums> {
  return loading ?? queryWordTable.sumsFor(text)
}

/** Length of each half of a joined row: 256 numbers from the word table, and static768's 768 buckets added up to 256. */
const HALF = 256
const HASHED = 768

/**
 * Joins two embeddings to rows of length 1: the 256 numbers of the table, and the vector of static768 reduced to 256
 * numbers. The cosine of two joined rows is the mean of the two cosines. If one half is all zeros, the other half is
 * the whole row.
 */
function joinRows(trained: Float32Array, hashed: Float32Array): Float32Array {
  const count = trained.length / HALF
  const rows = new Float32Array(count * 2 * HALF)
  for (let row = 0; row < count; row++) {
    const at = row * 2 * HALF
    for (let i = 0; i < HALF; i++) rows[at + i] = trained[row * HALF + i]!
    for (let i = 0; i < HASHED; i++) rows[at + HALF + (i % HALF)]! += hashed[row * HASHED + i]!
    const words = squaresOf(rows, at)
    const letters = squaresOf(rows, at + HALF)
    const share = words > 0 && letters > 0 ? Math.SQRT1_2 : 1
    scale(rows, at, words, share)
    scale(rows, at + HALF, letters, share)
  }
  return rows
}

function squaresOf(rows: Float32Array, at: number): number {
  let squares = 0
  for (let i = at; i < at + HALF; i++) squares += rows[i]! * rows[i]!
  return squares
}

function scale(rows: Float32Array, at: number, squares: number, length: number): void {
  const by = squares > 0 ? length / Math.sqrt(squares) : 0
  for (let i = at; i < at + HALF; i++) rows[i] = rows[i]! * by
}

/**
 * How often a word counts: "root", the square root of its occurrences, in documents, which reduces the weight of
 * frequent words; "plain", the occurrences themselves, in queries.
 */
type CountWeight = "root" | "plain"

/** Computes the vector of a text: the sum of the vectors of its words, each weighted by how often the word occurs. */
export class WordSums {
  readonly #table: WordTable
  readonly #counts: Float64Array
  readonly #seen: Uint16Array
  #distinct = 0
  readonly #sums: Float64Array
  readonly #kept = new GrowingU32()

  constructor(table: WordTable) {
    this.#table = table
    this.#counts = new Float64Array(2 * table.words)
    this.#seen = new Uint16Array(2 * table.words)
    this.#sums = new Float64Array(table.dimensions)
  }

  /** Counts the words of a text, each as `times` occurrences. With `isKept`, `addKept` counts them once more. */
  add(text: string, times = 1, isKept = false): void {
    clearTerms(terms)
    tokenize(text, 0, text.length, terms)
    for (let i = 0; i < terms.count; i++) {
      const word = wordAtIndex(this.#table, i)
      if (word < 0) continue
      this.#count(word, times)
      if (isKept) this.#kept.push(word)
    }
  }

  /** Counts the words that are kept, and forgets them. */
  addKept(): void {
    for (const word of this.#kept.view()) this.#count(word, 1)
    this.#kept.clear()
  }

  #count(word: number, times: number): void {
    if (this.#counts[word] === 0) this.#seen[this.#distinct++] = word
    this.#counts[word] = this.#counts[word]! + times
  }

  /**
   * Writes the unit vector of the texts that were added since the previous call, and resets the counts. The vector is
   * all zeros if there was no word.
   */
  take(weight: CountWeight, out: Float32Array, offset = 0): void {
    const table = this.#table
    const { words, scale, steps, dimensions } = table
    const sums = this.#sums.fill(0)
    const half = dimensions / 2
    let total = 0
    for (let i = 0; i < this.#distinct; i++) {
      const word = this.#seen[i]!
      const count = this.#counts[word]!
      this.#counts[word] = 0
      const row = word < words ? word : word - words
      const by = scale[row]! * (weight === "root" ? Math.sqrt(count) : count)
      total += by
      if (row === word) addRow(sums, steps, table.stepsOf(row), half, by)
      else addTurnedRow(sums, steps, table.stepsOf(row), half, by)
    }
    this.#distinct = 0
    writeUnit(sums, MIDDLE * total, out, offset)
  }
}

/** Numbers of the rows of the table that are needed for the vector of a text. */
export function wordRows(list: WordList, text: string): number[] {
  clearTerms(terms)
  tokenize(text, 0, text.length, terms)
  const rows = new Set<number>()
  for (let i = 0; i < terms.count; i++) {
    const word = wordAtIndex(list, i)
    if (word >= 0) rows.add(word < list.words ? word : word - list.words)
  }
  return [...rows]
}

const terms = createTermBuffer()

/**
 * The number of the word at term `i`. For a word that the table lacks, a number of at least `list.words`, which means a
 * stand-in row; −1 for a compound.
 */
function wordAtIndex(list: WordList, i: number): number {
  const { hi, lo, parts } = terms
  // Compounds have no vector, but their words do.
  if (parts[i] !== 1) return -1
  const word = findWord(list, hi[i]!, lo[i]!)
  return word >= 0 ? word : list.words + standIn(hi[i]!, list.words)
}

/**
 * The row for a word that the table lacks. It is chosen by hash from the rarer half of the table, and used with its two
 * halves exchanged. The resulting vector is near no other vector, so that names which occur only in the project can be
 * found.
 */
function standIn(hash: number, words: number): number {
  const common = words >>> 1
  return common + (hash % (words - common))
}

function addRow(sums: Float64Array, steps: Uint8Array, from: number, half: number, by: number): void {
  for (let i = 0; i < half; i++) {
    const packed = steps[from + i]!
    sums[i] = sums[i]! + by * (packed & 15)
    sums[half + i] = sums[half + i]! + by * (packed >>> 4)
  }
}

function addTurnedRow(sums: Float64Array, steps: Uint8Array, from: number, half: number, by: number): void {
  for (let i = 0; i < half; i++) {
    const packed = steps[from + i]!
    sums[i] = sums[i]! + by * (packed >>> 4)
    sums[half + i] = sums[half + i]! + by * (packed & 15)
  }
}

/** Subtracts `middle` from each sum, and writes the result, scaled to length 1, to `out` from `offset` on. */
function writeUnit(sums: Float64Array, middle: number, out: Float32Array, offset: number): void {
  let squares = 0
  for (let i = 0; i < sums.length; i++) squares += (sums[i]! - middle) ** 2
  const unit = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < sums.length; i++) out[offset + i] = (sums[i]! - middle) * unit
}

/*
 * The file of a word table, little-endian, each part on a multiple of 4 bytes:
 *
 *   header  u32 × 4                 magic, format, words, dimensions
 *   slots   u16 × 65,536            word number + 1 by the low half of its hash, open addressing; 0 where empty
 *   high    u32 × words             high half of each word's hash
 *   scale   f32 × words             size of one step of a word's numbers
 *   steps   u8 × words × dims / 2   two numbers of 4 bits: i in the low half, i + dims / 2 in the high one
 *
 * A number n of 4 bits stands for (n − 7.5) × scale.
 */
const MAGIC = 0x574e_4d41 // "AMNW"
const FORMAT = 1
const HEADER_BYTES = 16
const SLOTS = 65_536

export const MIDDLE = 7.5
/** Maximum number of words. At least half of the slots stay empty, so that lookups are short. */
const MAX_WORDS = SLOTS / 2

/** The words of a table and their scales, without their vectors. */
type WordList = {
  readonly words: number
  readonly dimensions: number
  readonly slots: Uint16Array
  readonly high: Uint32Array
  readonly scale: Float32Array
}

type WordTable = WordList & {
  readonly steps: Uint8Array
  /** The offset of a word's numbers in `steps`. */
  stepsOf(word: number): number
}

/** Reads a table in place from bytes. Throws if the bytes are no table. */
export function readWordTable(bytes: Uint8Array): WordTable {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const list = readList(aligned, aligned.length)
  const half = list.dimensions / 2
  const steps = aligned.subarray(layout(list.words, list.dimensions).steps)
  return { ...list, steps, stepsOf: (word) => word * half }
}

/**
 * Opens the file of a table and reads only its list of words. The vector of a word is read when a query needs it,
 * because a query needs about ten vectors of thirty thousand.
 */
export async function openWordTable(file: Blob): Promise<FileWordTable> {
  const header = await file.slice(0, HEADER_BYTES).bytes()
  const [, , words = 0, dimensions = 0] = new Uint32Array(header.buffer, header.byteOffset)
  const from = layout(words, dimensions).steps
  return new FileWordTable(readList(await file.slice(0, from).bytes(), file.size), file.slice(from))
}

class FileWordTable implements WordTable {
  readonly words: number
  readonly dimensions: number
  readonly slots: Uint16Array
  readonly high: Uint32Array
  readonly scale: Float32Array
  steps = new Uint8Array(0)
  readonly #file: Blob
  readonly #places = new Map<number, number>()

  /** `file` is the part of the file that contains the steps of all words. */
  constructor({ words, dimensions, slots, high, scale }: WordList, file: Blob) {
    this.words = words
    this.dimensions = dimensions
    this.slots = slots
    this.high = high
    this.scale = scale
    this.#file = file
  }

  /** The offset of a word's numbers in `steps`. May only be called for words that were passed to `load` before. */
  stepsOf(word: number): number {
    return this.#places.get(word)!
  }

  async load(words: readonly number[]): Promise<void> {
    const half = this.dimensions / 2
    const missing = words.filter((word) => !this.#places.has(word))
    const rows = missing.map((word) => this.#file.slice(word * half, (word + 1) * half).bytes())
    for (const [i, row] of (await Promise.all(rows)).entries()) this.#keep(missing[i]!, row)
  }

  #keep(word: number, row: Uint8Array): void {
    if (this.#places.has(word)) return
    const at = this.#places.size * row.length
    if (at === this.steps.length) {
      const larger = new Uint8Array(Math.max(INITIAL_WORDS * row.length, at * 2))
      larger.set(this.steps)
      this.steps = larger
    }
    this.steps.set(row, at)
    this.#places.set(word, at)
  }
}

const INITIAL_WORDS = 16

/** Reads and checks the list of words. `size` is the size of the whole file. */
function readList({ buffer, byteOffset }: Uint8Array, size: number): WordList {
  const [magic, format, words = 0, dimensions = 0] = new Uint32Array(buffer, byteOffset, HEADER_BYTES / 4)
  const at = layout(words, dimensions)
  if (magic !== MAGIC || format !== FORMAT || size !== at.end) throw new Error("not a table of word vectors")
  return {
    words,
    dimensions,
    slots: new Uint16Array(buffer, byteOffset + HEADER_BYTES, SLOTS),
    high: new Uint32Array(buffer, byteOffset + at.high, words),
    scale: new Float32Array(buffer, byteOffset + at.scale, words),
  }
}

/** The number of a word; −1 if the table lacks it. */
export function findWord({ slots, high }: WordList, wordHigh: number, wordLow: number): number {
  let slot = wordLow & (SLOTS - 1)
  for (;;) {
    const word = slots[slot]! - 1
    if (word < 0 || high[word] === wordHigh) return word
    slot = (slot + 1) & (SLOTS - 1)
  }
}

/** Encodes a table. `hashes` contains the low half and the high half of the hash of each word, alternating. */
export function encodeWordTable(
  hashes: Uint32Array,
  scale: Float32Array,
  steps: Uint8Array,
  dimensions: number,
): Uint8Array {
  const words = scale.length
  if (words > MAX_WORDS) throw new Error(`a table has at most ${MAX_WORDS} words`)
  const at = layout(words, dimensions)
  const bytes = new Uint8Array(at.end)
  new Uint32Array(bytes.buffer, 0, HEADER_BYTES / 4).set([MAGIC, FORMAT, words, dimensions])
  const slots = new Uint16Array(bytes.buffer, HEADER_BYTES, SLOTS)
  const high = new Uint32Array(bytes.buffer, at.high, words)
  for (let word = 0; word < words; word++) {
    high[word] = hashes[2 * word + 1]!
    let slot = hashes[2 * word]! & (SLOTS - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    slots[slot] = word + 1
  }
  new Float32Array(bytes.buffer, at.scale, words).set(scale)
  bytes.set(steps, at.steps)
  return bytes
}

function layout(words: number, dimensions: number) {
  const high = HEADER_BYTES + SLOTS * 2
  const scale = high + words * 4
  const steps = scale + words * 4
  return { high, scale, steps, end: steps + (words * dimensions) / 2 }
}
