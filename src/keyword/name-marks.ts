import { MORE, MOST_STEPS, SKIP } from "./posting-names.ts"
import type { ScoredTerm } from "./score.ts"
import type { Scratch } from "./scratch.ts"
import type { Segment } from "./segment.ts"

/** Postings that tell of definitions' names, as they are met in a query: only those of a few files will be read. */
export class NameLog {
  /** Four numbers each: where the names stand, the place of the file among those looked at, the document, a mask. */
  rows = new Uint32Array(ROW << 8)
  length = 0

  push(position: number, file: number, document: number, mask: number): void {
    if (this.length === this.rows.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.rows)
      this.rows = larger
    }
    const { rows, length } = this
    rows[length] = position
    rows[length + 1] = file
    rows[length + 2] = document
    rows[length + 3] = mask
    this.length = length + ROW
  }

  clear(): void {
    this.length = 0
  }
}

const ROW = 4

/** By symbol of some files, one file after the other: the query's terms in its name, and how many words these took. */
export type NameMarks = {
  /** Where each file's symbols begin in what follows; a file that is not wanted has none. */
  readonly starts: Uint32Array
  readonly terms: Uint32Array
  /** From WHOLE on its compound was found, which is all of it. */
  readonly words: Uint32Array
}

/** For those of `files` that are `wanted`, a flag each, as the log has them from `from` to `to`. */
export function markNames(
  { fileFirst, firstSymbol, words: { postings } }: Segment,
  { files, wanted }: { readonly files: Uint32Array; readonly wanted: Uint8Array },
  { rows }: NameLog,
  { from, to }: { readonly from: number; readonly to: number },
  scratch: Scratch,
): NameMarks {
  const starts = scratch.u32(files.length + 1)
  for (let i = 0; i < files.length; i++) {
    const file = files[i]!
    const symbols = firstSymbol[fileFirst[file + 1]!]! - firstSymbol[fileFirst[file]!]!
    starts[i + 1] = starts[i]! + symbols * wanted[i]!
  }
  const symbols = starts[files.length]!
  const marks = { starts, terms: scratch.u32(symbols), words: scratch.u32(symbols) }
  for (let row = from; row < to; row += ROW) {
    const file = rows[row + 1]!
    if (wanted[file] === 0) continue
    const own = firstSymbol[rows[row + 2]!]! - firstSymbol[fileFirst[files[file]!]!]!
    markChunk(postings.bytes, rows[row]!, starts[file]! + own, rows[row + 3]!, marks)
  }
  return marks
}

/** Marks what a posting says of a chunk's definitions, the first of which is at `first` (posting-names.ts). */
function markChunk(
  bytes: Uint8Array,
  start: number,
  first: number,
  mask: number,
  { terms, words }: NameMarks,
): void {
  let at = start
  let byte = MORE
  let place = first - 1
  while (byte >= MORE) {
    byte = bytes[at++]!
    const said = byte & (MORE - 1)
    if (said === SKIP) {
      place += MOST_STEPS
    } else if (said > 0) {
      place += said >>> 1
      terms[place]! |= mask
      words[place]! += (said & 1) === 0 ? 1 : WHOLE
    }
  }
}

export const WHOLE = 1 << 16

/** A word may stand for several terms at once: all of them, by its place in the dictionary. */
export function nameMasks(terms: readonly ScoredTerm[], segment: number): Map<number, number> {
  const masks = new Map<number, number>()
  terms.forEach(({ lists }, t) => {
    for (const { term, segment: own } of lists) {
      if (own === segment) masks.set(term, (masks.get(term) ?? 0) | (1 << t))
    }
  })
  return masks
}
