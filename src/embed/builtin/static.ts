import tablePath from "../../../models/aman256.bin" with { type: "file" }
import { clearTerms, createTermBuffer } from "../../text/terms/term-buffer.ts"
import { tokenize } from "../../text/terms/tokenize.ts"
import type { Embedder, EmbeddingInput, EmbeddingSpace } from "../port.ts"
import { isSameSpace } from "../port.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "./static768.ts"
import {
  type FileWordTable,
  findWord,
  MIDDLE,
  openWordTable,
  readWordTable,
  type WordList,
  type WordTable,
} from "./word-table.ts"

type OpenTable = { readonly table: FileWordTable; readonly sums: WordSums; readonly stamp: string }

const MAX_TRIES = 2

/** A word table's file, of which only the words that occur in queries are read. */
export class QuestionWords {
  readonly #path: string
  #opening: Promise<OpenTable> | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** The WordSums with the rows that this text needs. If opening the file failed, the next query tries again. */
  async sumsFor(text: string): Promise<WordSums> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { table, sums, stamp } = await this.#opened()
      await table.load(wordRows(table, text))
      // An update can replace the file under a running server; words of the old file do not match rows of the
      // new one.
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
 * The built-in models: aman's table of word vectors (aman256, for memories), hashed words and letters
 * (static768), and both in one row (aman512, for code), which finds similar meanings and, for unknown words,
 * similar spellings.
 */
export type StaticModel = "aman512" | "aman256" | "static768"

/** The models for code. */
export type CodeModel = Exclude<StaticModel, "aman256">

/** `version` changes with the table's bytes: models/aman256.sha256. */
const SPACES: Readonly<Record<StaticModel, EmbeddingSpace>> = {
  aman512: { provider: "static", model: "aman512", dimensions: 512, version: 1 },
  aman256: { provider: "static", model: "aman256", dimensions: 256, version: 1 },
  static768: { provider: "static", model: "static768", dimensions: STATIC768_DIMENSIONS, version: 1 },
}

/**
 * How often the words of defined names and of the path are counted: a name says more than a word of the text, and the
 * path occurs only once.
 */
const NAME_TIMES = 2
const PATH_TIMES = 4

/** True for a space whose vectors are computed by aman itself, without a server. */
export function isBuiltIn({ provider }: Pick<EmbeddingSpace, "provider">): boolean {
  return provider === SPACES.aman512.provider
}

/** The built-in code model with this space; null if there is none. */
export function codeModelOf(space: EmbeddingSpace): CodeModel | null {
  return (["aman512", "static768"] as const).find((model) => isSameSpace(SPACES[model], space)) ?? null
}

/** A built-in embedder: takes a few microseconds per text and uses no network. */
export function createStaticEmbedder(model: StaticModel = "aman512"): Embedder {
  if (model === "aman512") return bothEmbedder(trainedEmbedder(), hashedEmbedder())
  return model === "aman256" ? trainedEmbedder() : hashedEmbedder()
}

/**
 * An embedder with both models in one row, so that the cosine is the mean of their two cosines. Fitted in
 * docs/decisions/0023-word-table.md.
 */
function bothEmbedder(trained: Embedder, hashed: Embedder): Embedder {
  return {
    space: SPACES.aman512,
    embedChunks: async (inputs) =>
      joinRows(await trained.embedChunks(inputs), await hashed.embedChunks(inputs)),
    embedQuery: async (text) => joinRows(await trained.embedQuery(text), await hashed.embedQuery(text)),
  }
}

function trainedEmbedder(): Embedder {
  const space = SPACES.aman256
  return {
    space,
    embedChunks: async (inputs) => {
      const sums = await wordSums()
      const vectors = new Float32Array(inputs.length * space.dimensions)
      for (const [i, { text, names, path }] of inputs.entries()) {
        sums.add(text)
        for (const name of names) sums.add(name, NAME_TIMES)
        sums.add(distinctivePath(path), PATH_TIMES)
        sums.take("root", vectors, i * space.dimensions)
      }
      return vectors
    },
    embedQuery: async (text) => {
      const sums = await questionSums(text)
      const vector = new Float32Array(space.dimensions)
      sums.add(text)
      sums.take("plain", vector)
      return vector
    },
  }
}

/**
 * An embedder that hashes a chunk's text only: with path or names before the text, results were measured to be worse.
 */
function hashedEmbedder(): Embedder {
  return {
    space: SPACES.static768,
    embedChunks: async (inputs) => hashAll(inputs.map(({ text }: EmbeddingInput) => text)),
    embedQuery: async (text) => hashAll([text]),
  }
}

function hashAll(texts: readonly string[]): Float32Array {
  const vectors = new Float32Array(texts.length * STATIC768_DIMENSIONS)
  for (const [i, text] of texts.entries()) embedStatic768(text, vectors, i * STATIC768_DIMENSIONS)
  return vectors
}

/** The last three folders and the name without extension, which distinguish the files of a project. */
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

const asked = new QuestionWords(tablePath)

/** Uses the whole table if it is loaded; otherwise reads single rows, as loading it takes 3 ms and 4 MB. */
function questionSums(text: string): Promise<WordSums> {
  return loading ?? asked.sumsFor(text)
}

/** Each half of a joined row: the table's 256 numbers, and the hashed buckets summed modulo 256. */
const HALF = 256
const HASHED = 768

/**
 * Joins two embeddings to rows of length 1: the table's 256 numbers, and those of static768 reduced to 256. The cosine
 * of two such rows is the mean of the two cosines. If one half is all zeros, the other is the whole row.
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
 * How a word's count is weighted: by its square root in documents, to damp frequent words; unchanged in
 * queries.
 */
type CountWeight = "root" | "plain"

/** Computes the vector of texts as the weighted sum of the vectors of their words. */
export class WordSums {
  readonly #table: WordTable
  readonly #counts: Float64Array
  readonly #seen: Uint16Array
  #different = 0
  readonly #sums: Float64Array

  constructor(table: WordTable) {
    this.#table = table
    this.#counts = new Float64Array(2 * table.words)
    this.#seen = new Uint16Array(2 * table.words)
    this.#sums = new Float64Array(table.dimensions)
  }

  /** Counts the words of a text, each `times` times. */
  add(text: string, times = 1): void {
    clearTerms(terms)
    tokenize(text, 0, text.length, terms)
    for (let i = 0; i < terms.count; i++) {
      const word = wordAtIndex(this.#table, i)
      if (word < 0) continue
      if (this.#counts[word] === 0) this.#seen[this.#different++] = word
      this.#counts[word] = this.#counts[word]! + times
    }
  }

  /**
   * Writes the unit vector of the texts added since the previous call (zeros without a word), and resets the
   * counts.
   */
  take(weight: CountWeight, out: Float32Array, offset = 0): void {
    const table = this.#table
    const { words, scale, steps, dimensions } = table
    const sums = this.#sums.fill(0)
    const half = dimensions / 2
    let total = 0
    for (let i = 0; i < this.#different; i++) {
      const word = this.#seen[i]!
      const count = this.#counts[word]!
      this.#counts[word] = 0
      const row = word < words ? word : word - words
      const by = scale[row]! * (weight === "root" ? Math.sqrt(count) : count)
      total += by
      if (row === word) addRow(sums, steps, table.stepsOf(row), half, by)
      else addTurnedRow(sums, steps, table.stepsOf(row), half, by)
    }
    this.#different = 0
    writeUnit(sums, MIDDLE * total, out, offset)
  }
}

/** Numbers of the table's rows that are needed for the vector of a text. */
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
 * The word number of term `i`; from `list.words` on for an unknown word's stand-in row; −1 for a compound.
 */
function wordAtIndex(list: WordList, i: number): number {
  const { hi, lo, parts } = terms
  // Compounds have no vector, but their words do.
  if (parts[i] !== 1) return -1
  const known = findWord(list, hi[i]!, lo[i]!)
  return known >= 0 ? known : list.words + standIn(hi[i]!, list.words)
}

/**
 * The row for a word missing from the table: a row of the table's rarer half, chosen by hash, used with its
 * halves exchanged. Such a vector is near nothing but itself, so that project-specific names can be found.
 */
function standIn(hash: number, words: number): number {
  const common = words >>> 1
  return common + (hash % (words - common))
}

function addRow(sums: Float64Array, steps: Uint8Array, from: number, half: number, by: number): void {
  for (let i = 0; i < half; i++) {
    const two = steps[from + i]!
    sums[i] = sums[i]! + by * (two & 15)
    sums[half + i] = sums[half + i]! + by * (two >>> 4)
  }
}

function addTurnedRow(sums: Float64Array, steps: Uint8Array, from: number, half: number, by: number): void {
  for (let i = 0; i < half; i++) {
    const two = steps[from + i]!
    sums[i] = sums[i]! + by * (two >>> 4)
    sums[half + i] = sums[half + i]! + by * (two & 15)
  }
}

/** Writes the sums as a unit vector, after subtracting `middle` from each. */
function writeUnit(sums: Float64Array, middle: number, out: Float32Array, offset: number): void {
  let squares = 0
  for (let i = 0; i < sums.length; i++) squares += (sums[i]! - middle) ** 2
  const unit = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < sums.length; i++) out[offset + i] = (sums[i]! - middle) * unit
}
