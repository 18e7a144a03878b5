import type { TermBuffer } from "../text/term-buffer.ts"
import { GrowingU32 } from "./growing.ts"

/** A document's frequencies of one term, ten bits a field. */
export const FIRST_UNIT = 1
export const SECOND_UNIT = 1 << 10
export const THIRD_UNIT = 1 << 20
export const FREQUENCY_MASK = 1023

/**
 * Counts terms document by document and keeps the postings in the order they came, as three flat arrays that
 * are reused from segment to segment. One hash table with open addressing serves both to know the terms and
 * to count those of the current document: a slot is hi, lo, the document that last used it, its frequencies.
 */
export class PostingLog {
  readonly termHi = new GrowingU32()
  readonly termLo = new GrowingU32()
  /** One posting each: term number, document, packed frequencies. */
  readonly terms = new GrowingU32()
  readonly documents = new GrowingU32()
  readonly frequencies = new GrowingU32()

  private slots = new Uint32Array(INITIAL_SLOTS * STRIDE)
  private slotTerm = new Uint32Array(INITIAL_SLOTS)
  private touched = new Uint32Array(INITIAL_SLOTS)
  private touchedCount = 0
  /** Documents are stamped from 1: a slot with stamp 0 is empty. */
  private stamp = 1

  /** Counts all terms of the buffer in the field of `unit`. */
  countTerms(buffer: TermBuffer, unit: number): void {
    const { hi, lo, count } = buffer
    this.reserve(count)
    const { slots, stamp } = this
    const mask = slots.length - 1
    for (let i = 0; i < count; i++) {
      const termHi = hi[i]!
      // Most terms of a document have been met in it before; the rest takes the longer way.
      const at = (termHi << SLOT_SHIFT) & mask
      if (slots[at] === termHi && slots[at + 1] === lo[i] && slots[at + 2] === stamp)
        addTo(slots, at + 3, unit)
      else this.countTerm(termHi, lo[i]!, unit)
    }
  }

  /** The caller has reserved room for it. */
  countTerm(hi: number, lo: number, unit: number): void {
    const slots = this.slots
    const mask = slots.length - 1
    let at = (hi << SLOT_SHIFT) & mask
    for (;;) {
      const stamp = slots[at + 2]!
      if (stamp === 0) break
      if (slots[at] === hi && slots[at + 1] === lo) {
        if (stamp === this.stamp) addTo(slots, at + 3, unit)
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

  /** Room for so many more terms in the current document, so that no slot moves while it is counted. */
  reserve(terms: number): void {
    const slotCount = this.slots.length / STRIDE
    const needed = (this.termHi.length + terms) * 2
    if (needed > slotCount) this.rehash(2 ** Math.ceil(Math.log2(needed)))
  }

  /** Logs the terms of the current document as `document`; returns how many have a frequency in `unit`'s field. */
  endDocument(document: number, unit: number): number {
    const { slots, slotTerm, touched, touchedCount } = this
    this.terms.reserve(touchedCount)
    this.documents.reserve(touchedCount)
    this.frequencies.reserve(touchedCount)
    let at = this.terms.length
    let inField = 0
    for (let i = 0; i < touchedCount; i++, at++) {
      const slot = touched[i]!
      const frequencies = slots[slot + 3]!
      this.terms.values[at] = slotTerm[slot / STRIDE]!
      this.documents.values[at] = document
      this.frequencies.values[at] = frequencies
      if ((frequencies & (unit * FREQUENCY_MASK)) !== 0) inField++
    }
    this.terms.length = this.documents.length = this.frequencies.length = at
    this.touchedCount = 0
    this.stamp++
    return inField
  }

  clear(): void {
    for (const array of [this.termHi, this.termLo, this.terms, this.documents, this.frequencies])
      array.clear()
    this.slots.fill(0)
    this.touchedCount = 0
    this.stamp = 1
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

/** A field's count stops at its ten bits rather than run over into the next. */
function addTo(slots: Uint32Array, at: number, unit: number): void {
  const packed = slots[at]!
  const full = unit * FREQUENCY_MASK
  if ((packed & full) !== full) slots[at] = packed + unit
}
