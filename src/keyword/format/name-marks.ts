import type { ScoredTerm } from "../query/score.ts"
import type { Scratch } from "../query/scratch.ts"
import { MAX_STEPS, MORE, SKIP } from "./posting-names.ts"
import { type Segment, symbolCount } from "./segment.ts"

/** Records the postings with definition names that a query reads. Only those of a few files are decoded later. */
export class NameLog {
  /**
   * Four numbers per row: byte position of the names, place of the file among those scored, document, term
   * mask.
   */
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

/**
 * For the symbols of some files, file by file: which terms of the query their names contain, and how many words of
 * their names match.
 */
export type NameMarks = {
  /** Position of each file's first symbol in the arrays below. A file that was not requested has no symbols. */
  readonly starts: Uint32Array
  readonly terms: Uint32Array
  /** Number of words in each name that match; WHOLE or more if the compound matches, which is the whole name. */
  readonly words: Uint32Array
}

/**
 * Decodes the numbers of the log from index `from` to `to`, which are rows of files in `files`. Rows of files whose
 * flag in `requested` is 0 are skipped.
 */
export function markNames(
  segment: Segment,
  { files, requested }: { readonly files: Uint32Array; readonly requested: Uint8Array },
  { rows }: NameLog,
  { from, to }: { readonly from: number; readonly to: number },
  scratch: Scratch,
): NameMarks {
  const { fileFirst, firstSymbol, words } = segment
  const starts = scratch.u32(files.length + 1)
  for (let i = 0; i < files.length; i++) {
    starts[i + 1] = starts[i]! + symbolCount(segment, files[i]!) * requested[i]!
  }
  const symbols = starts[files.length]!
  const marks = { starts, terms: scratch.u32(symbols), words: scratch.u32(symbols) }
  for (let row = from; row < to; row += ROW) {
    const file = rows[row + 1]!
    if (requested[file] === 0) continue
    const firstInFile = firstSymbol[rows[row + 2]!]! - firstSymbol[fileFirst[files[file]!]!]!
    markChunk(words.postings.bytes, rows[row]!, starts[file]! + firstInFile, rows[row + 3]!, marks)
  }
  return marks
}

/**
 * Decodes the names of one posting (see posting-names.ts). `first` is the position of the chunk's first definition in
 * the arrays of the marks.
 */
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
    const value = byte & (MORE - 1)
    if (value === SKIP) {
      place += MAX_STEPS
    } else if (value > 0) {
      place += value >>> 1
      terms[place]! |= mask
      words[place]! += (value & 1) === 0 ? 1 : WHOLE
    }
  }
}

export const WHOLE = 1 << 16

/**
 * For each position in a segment's dictionary, the mask of the query's terms that its word belongs to: bit t is set for
 * term t. One word may belong to several terms.
 */
export function nameMasks(terms: readonly ScoredTerm[], segment: number): Map<number, number> {
  const masks = new Map<number, number>()
  terms.forEach(({ lists }, t) => {
    for (const list of lists) {
      if (list.segment === segment) masks.set(list.term, (masks.get(list.term) ?? 0) | (1 << t))
    }
  })
  return masks
}
