import { clearTerms, createTermBuffer } from "../text/term-buffer.ts"
import { tokenize } from "../text/tokenize.ts"
import { findWord, MIDDLE, type WordList, type WordTable } from "./word-table.ts"

/** How a word's count weighs: in documents what is said often is damped, in questions nothing is. */
export type CountWeight = "root" | "plain"

/** Adds texts up word by word; the vector is the sum of the words' own. */
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

  /** Counts the words of a text, each as often as `times` says. */
  add(text: string, times = 1): void {
    clearTerms(terms)
    tokenize(text, 0, text.length, terms)
    for (let i = 0; i < terms.count; i++) {
      const word = wordAt(this.#table, i)
      if (word < 0) continue
      if (this.#counts[word] === 0) this.#seen[this.#different++] = word
      this.#counts[word] = this.#counts[word]! + times
    }
  }

  /** Writes the unit vector of what was added since the last, zeros where there is no word, and begins anew. */
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

/** The words of a table whose steps the vector of a text is made of. */
export function rowsOf(list: WordList, text: string): number[] {
  clearTerms(terms)
  tokenize(text, 0, text.length, terms)
  const rows = new Set<number>()
  for (let i = 0; i < terms.count; i++) {
    const word = wordAt(list, i)
    if (word >= 0) rows.add(word < list.words ? word : word - list.words)
  }
  return [...rows]
}

const terms = createTermBuffer()

/** The number of the word that is term `i`, beyond those of the table for one with a stand-in; -1 for a compound. */
function wordAt(list: WordList, i: number): number {
  const { hi, lo, parts } = terms
  // Compounds have no vector: their words have.
  if (parts[i] !== 1) return -1
  const known = findWord(list, hi[i]!, lo[i]!)
  return known >= 0 ? known : list.words + standIn(hi[i]!, list.words)
}

/**
 * A word that the table does not know has the row of one of its rarer half, chosen by hash, with its halves exchanged:
 * near to nothing but itself, so that names of a project's own are found by themselves.
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

/** `middle` is what all sums are too large by. */
function writeUnit(sums: Float64Array, middle: number, out: Float32Array, offset: number): void {
  let squares = 0
  for (let i = 0; i < sums.length; i++) squares += (sums[i]! - middle) ** 2
  const unit = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < sums.length; i++) out[offset + i] = (sums[i]! - middle) * unit
}
