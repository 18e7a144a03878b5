import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "./posting-code.ts"
import { tailEnd } from "./posting-names.ts"

/**
 * Reads a posting list posting by posting:
 *
 *   cursor.open(bytes, start, end, documents)
 *   while (cursor.next()) use(cursor.document, cursor.code)
 *
 * Three hot loops repeat `next` inline, because branches alone made queries a fifth slower
 * (docs/decisions/03-index.md) and calls cost more: `scanPostings` (query/scan-postings.ts), `ChunkScores`
 * (query/chunk-scores.ts) and `gatherPostings` (merge/merge-postings.ts). A change here has to be made there, too.
 */
export class PostingCursor {
  /** Document of the current posting. Before the first posting, the document before it, which is usually −1. */
  document = -1
  /** Tuple code of the current posting (tuple-code.ts). */
  code = 0
  /** Position after the posting. In a damaged segment it may be beyond the end of the list. */
  at = 0
  private bytes: Uint8Array = EMPTY
  private end = 0
  private limit = 0

  /**
   * Places the cursor before the posting at `start`, in a list that ends at `end`. Postings of document `limit` and of
   * later documents are not read. `previous` is the document of the posting before `start`; −1 at the start of a list.
   */
  open(bytes: Uint8Array, start: number, end: number, limit: number, previous = -1): void {
    this.bytes = bytes
    this.at = start
    this.end = end
    this.limit = limit
    this.document = previous
  }

  /** Moves to the next posting. False if there is none; every further call then returns false, too. */
  next(): boolean {
    let { at } = this
    if (at >= this.end) return false
    const { bytes } = this
    const first = bytes[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (bytes[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(bytes, at, first)
      at += GAP_BYTES[first]!
    }
    const document = this.document + gap + 1
    if (document >= this.limit) return false
    this.document = document
    this.code = code
    this.at = tailEnd(bytes, at, code)
    return true
  }

  /**
   * Moves forward to the first posting whose document is `document` or later; this may be the current posting. False if
   * there is none. Directly after `open`, `document` must be greater than the `previous` that was passed to it.
   */
  seek(document: number): boolean {
    while (this.document < document) if (!this.next()) return false
    return true
  }
}

const EMPTY = new Uint8Array(0)
