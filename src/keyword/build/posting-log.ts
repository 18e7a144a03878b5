import { GrowingU32 } from "../../base/growing.ts"
import type { TermBuffer } from "../../text/terms/term-buffer.ts"

/**
 * The frequencies of a term in the three fields of a document are packed into one number, with ten bits for each field.
 * FIRST_UNIT, SECOND_UNIT and THIRD_UNIT are one occurrence in the first, second and third field.
 */
export const FIRST_UNIT = 1
export const SECOND_UNIT = 1 << 10
export const THIRD_UNIT = 1 << 20
export const FREQUENCY_MASK = 1023

/** A table with rows of term number, document and a value, in the order in which they were added. */
export class PostingColumns {
  readonly terms = new GrowingU32()
  readonly documents = new GrowingU32()
  readonly values = new GrowingU32()

  get length(): number {
    return this.terms.length
  }

  push(term: number, document: number, value: number): void {
    this.terms.push(term)
    this.documents.push(document)
    this.values.push(value)
  }

  clear(): void {
    for (const column of [this.terms, this.documents, this.values]) column.clear()
  }
}

/**
 * Counts terms document by document. The postings stay in the order in which they were added, in flat arrays that are
 * reused for the next segment. One hash table with open addressing contains all terms and the counts of the current
 * document. A slot contains hi, lo, the stamp of the document that last used it, and the term's frequencies in that
 * document.
 */
export class PostingLog {
  readonly termHi = new GrowingU32()
  readonly termLo = new GrowingU32()
  /** The postings of all terms; a value contains packed frequencies. */
  readonly postings = new PostingColumns()
  /**
   * Terms that are words in the name of a definition. A value is twice the position of the definition in its chunk,
   * plus 1 if the term is the whole name.
   */
  readonly names = new PostingColumns()

  private slots = new Uint32Array(INITIAL_SLOTS * STRIDE)
  private slotTerm = new Uint32Array(INITIAL_SLOTS)
  private touched = new Uint32Array(INITIAL_SLOTS)
  private touchedCount = 0
  /** Number of the current document, counted from 1. A slot with stamp 0 is empty. */
  private stamp = 1

  /** Counts all terms in the buffer as occurrences in the field whose unit is `unit`. */
  countTerms(buffer: TermBuffer, unit: number): void {
    const { hi, lo, count } = buffer
    this.reserve(count)
    const { slots, stamp } = this
    const mask = slots.length - 1
    for (let i = 0; i < count; i++) {
      const termHi = hi[i]!
      // Fast path: most terms have already occurred in this document, and are in the first slot that is tried.
      const at = (termHi << SLOT_SHIFT) & mask
      if (slots[at] === termHi && slots[at + 1] === lo[i] && slots[at + 2] === stamp)
        addToSlot(slots, at + 3, unit)
      else this.countTerm(termHi, lo[i]!, unit)
    }
  }

  /**
   * Records the words in the name of the current document's definition number `symbol`, and the compound that is the
   * whole name. The terms must have been counted in the names field before. Returns the number of distinct words.
   */
  countName({ hi, lo, parts, count, words }: TermBuffer, document: number, symbol: number): number {
    const first = this.names.length
    let distinct = 0
    for (let i = 0; i < count; i++) {
      const isWord = parts[i] === 1
      if (!isWord && parts[i] !== words) continue
      const term = this.nameTerm(hi[i]!, lo[i]!)
      if (term < 0 || this.isNamed(term, first, isWord ? 0 : 1)) continue
      this.names.push(term, document, (symbol << 1) | (isWord ? 0 : 1))
      if (isWord) distinct++
    }
    return distinct
  }

  /** Counts one term. The caller must have reserved room for it. */
  countTerm(hi: number, lo: number, unit: number): void {
    const slots = this.slots
    const mask = slots.length - 1
    let at = (hi << SLOT_SHIFT) & mask
    for (;;) {
      const stamp = slots[at + 2]!
      if (stamp === 0) break
      if (slots[at] === hi && slots[at + 1] === lo) {
        if (stamp === this.stamp) addToSlot(slots, at + 3, unit)
        else this.touch(at, unit)
        return
      }
      at = (at + STRIDE) & mask
    }
    slots[at] = hi
    slots[at + 1] = lo
    this.slotTerm[at / STRIDE] = this.termHi.length
    this.termHi.push(hi)
    this.termLo.push(lo)
    this.touch(at, unit)
  }

  /** Makes room for this many additional terms, so that no slot moves while they are counted. */
  reserve(terms: number): void {
    const slotCount = this.slots.length / STRIDE
    const needed = (this.termHi.length + terms) * 2
    if (needed > slotCount) this.rehash(2 ** Math.ceil(Math.log2(needed)))
  }

  /** Writes the postings of the current document under the number `document`, and starts the next document. */
  endDocument(document: number): void {
    const { slots, slotTerm, touched, touchedCount } = this
    const { terms, documents, values } = this.postings
    terms.reserve(touchedCount)
    documents.reserve(touchedCount)
    values.reserve(touchedCount)
    let at = terms.length
    for (let i = 0; i < touchedCount; i++, at++) {
      const slot = touched[i]!
      terms.values[at] = slotTerm[slot / STRIDE]!
      documents.values[at] = document
      values.values[at] = slots[slot + 3]!
    }
    terms.length = documents.length = values.length = at
    this.touchedCount = 0
    this.stamp++
  }

  clear(): void {
    for (const part of [this.termHi, this.termLo, this.postings, this.names]) part.clear()
    this.slots.fill(0)
    this.touchedCount = 0
    this.stamp = 1
  }

  /** The number of a term, if it occurs in the names field of the current document; −1 otherwise. */
  private nameTerm(hi: number, lo: number): number {
    const { slots } = this
    const mask = slots.length - 1
    let at = (hi << SLOT_SHIFT) & mask
    while (slots[at + 2] !== 0 && (slots[at] !== hi || slots[at + 1] !== lo)) at = (at + STRIDE) & mask
    const isCounted = slots[at + 2] === this.stamp && slots[at + 3]! >= THIRD_UNIT
    return isCounted ? this.slotTerm[at / STRIDE]! : -1
  }

  /**
   * True if the name whose rows begin at `from` already contains the term. If `isWhole` is 1, that row is then marked
   * as the whole name. This happens with names such as `disk_s`: after stemming, the compound equals the first word.
   */
  private isNamed(term: number, from: number, isWhole: 0 | 1): boolean {
    const { terms, values } = this.names
    for (let i = from; i < terms.length; i++) {
      if (terms.values[i] !== term) continue
      values.values[i]! |= isWhole
      return true
    }
    return false
  }

  private touch(at: number, unit: number): void {
    this.slots[at + 2] = this.stamp
    this.slots[at + 3] = unit
    this.touched[this.touchedCount++] = at
  }

  private rehash(slotCount: number): void {
    const old = this.slots
    const oldTerm = this.slotTerm
    const slots = new Uint32Array(slotCount * STRIDE)
    const slotTerm = new Uint32Array(slotCount)
    const touched = new Uint32Array(slotCount)
    const mask = slots.length - 1
    let touchedCount = 0
    for (let from = 0; from < old.length; from += STRIDE) {
      if (old[from + 2] === 0) continue
      let at = (old[from]! << SLOT_SHIFT) & mask
      while (slots[at + 2] !== 0) at = (at + STRIDE) & mask
      slots.set(old.subarray(from, from + STRIDE), at)
      slotTerm[at / STRIDE] = oldTerm[from / STRIDE]!
      if (old[from + 2] === this.stamp) touched[touchedCount++] = at
    }
    this.slots = slots
    this.slotTerm = slotTerm
    this.touched = touched
    this.touchedCount = touchedCount
  }
}

const STRIDE = 4
const SLOT_SHIFT = 2
const INITIAL_SLOTS = 1 << 14

/**
 * Increments the count of a field. The count stops at the maximum of ten bits, so that it does not overflow into the
 * next field.
 */
function addToSlot(slots: Uint32Array, at: number, unit: number): void {
  const packed = slots[at]!
  const full = unit * FREQUENCY_MASK
  if ((packed & full) !== full) slots[at] = packed + unit
}
