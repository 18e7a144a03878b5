import { type ByteWriter, positionOf, reserveBytes } from "./byte-writer.ts"
import { LONGEST_POSTING } from "./encode-postings.ts"
import { postingRange } from "./find-term.ts"
import { DROPPED } from "./merge-plan.ts"
import {
  CODE,
  CODE_MASK,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  writePosting,
} from "./posting-code.ts"
import { tailEnd } from "./posting-names.ts"
import { RunMerger } from "./run-merger.ts"
import { corrupt, type PostingSpace } from "./segment.ts"
import type { SegmentWriter } from "./segment-writer.ts"
import { closeList, DictionaryBuilder, LIST_HEAD, LONG_LIST } from "./term-dictionary.ts"
import { TermHeap } from "./term-heap.ts"

/** A space to merge, and the new number of each of its documents. */
export type MappedSpace = { readonly space: PostingSpace; readonly map: Uint32Array }

/** Merges dictionaries and postings term by term; returns how many terms are left. */
export function mergePostings(spaces: readonly MappedSpace[], writer: SegmentWriter): number {
  const dictionary = new DictionaryBuilder(spaces.reduce((sum, { space }) => sum + space.hi.length, 0))
  writer.stream("postings", (out) => {
    const base = positionOf(out)
    const heap = new TermHeap(spaces.map(({ space }) => space))
    const gathered = new Gathered()
    while (heap.size > 0) {
      const { hi, lo } = heap
      gathered.clear()
      do {
        const { space, map } = spaces[heap.top]!
        gather(space, heap.term, map, gathered)
        heap.advance()
      } while (heap.size > 0 && heap.hi === hi && heap.lo === lo)
      if (gathered.merger.length === 0) continue
      const start = positionOf(out) - base
      encode(gathered, out)
      dictionary.add(hi, lo, start, positionOf(out) - base)
    }
  })
  dictionary.write(writer)
  return dictionary.terms
}

/** Postings of one term: a value is their code, and from TAILED on where in `tails` their further bytes end. */
class Gathered {
  readonly merger = new RunMerger()
  tails = new Uint8Array(1 << 10)
  tailBytes = 0

  clear(): void {
    this.merger.clear()
    this.tailBytes = 0
  }

  reserve(bytes: number): void {
    this.merger.reserve(bytes)
    if (this.tailBytes + bytes <= this.tails.length) return
    const larger = new Uint8Array((this.tailBytes + bytes) * 2)
    larger.set(this.tails)
    this.tails = larger
  }
}

const TAILED = 256

function gather(space: PostingSpace, term: number, map: Uint32Array, gathered: Gathered): void {
  const { start, end } = postingRange(space, term)
  // Whole segments are merged, whose postings stand in memory where they stand in their section.
  const postings = space.postings.bytes
  // Of two bytes, a code and a name's, come five.
  gathered.reserve((end - start) * 3)
  const { merger, tails } = gathered
  let document = -1
  for (let at = start; at < end; ) {
    const first = postings[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (postings[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(postings, at, first)
      at += GAP_BYTES[first]!
    }
    document += gap + 1
    if (document >= map.length) return
    const tail = at
    at = tailEnd(postings, at, code)
    // Else what belongs to other terms would be written down as this one's for good.
    if (at > end) throw corrupt("a posting runs past its list")
    const renumbered = map[document]!
    if (renumbered === DROPPED) continue
    const length = at - tail
    if (length === 0) {
      merger.push(renumbered, code)
      continue
    }
    merger.push(renumbered, TAILED + gathered.tailBytes)
    gathered.tailBytes = copyTail(postings, tail, length, code, tails, gathered.tailBytes)
  }
}

/** Its length, the code, and the bytes. */
function copyTail(
  from: Uint8Array,
  start: number,
  length: number,
  code: number,
  into: Uint8Array,
  to: number,
): number {
  let at = to
  into[at++] = length
  into[at++] = length >>> 8
  into[at++] = length >>> 16
  into[at++] = code
  for (let i = 0; i < length; i++) into[at++] = from[start + i]!
  return at
}

function encode({ merger, tails, tailBytes }: Gathered, out: ByteWriter): void {
  merger.merge()
  const { keys, values, length } = merger
  const most = length * LONGEST_POSTING + tailBytes
  reserveBytes(out, most + LIST_HEAD)
  const { bytes } = out
  const isShort = most < LONG_LIST
  let at = isShort ? out.length : out.length + LIST_HEAD
  let before = -1
  for (let i = 0; i < length; i++) {
    const document = keys[i]!
    const value = values[i]!
    const gap = document - before - 1
    before = document
    if (value < TAILED) {
      at = writePosting(bytes, at, gap, value)
      continue
    }
    let tail = value - TAILED
    const rest = tails[tail]! | (tails[tail + 1]! << 8) | (tails[tail + 2]! << 16)
    at = writePosting(bytes, at, gap, tails[tail + 3]!)
    tail += 4
    for (let j = 0; j < rest; j++) bytes[at++] = tails[tail + j]!
  }
  out.length = isShort ? at : closeList(bytes, out.length, at, length)
}
