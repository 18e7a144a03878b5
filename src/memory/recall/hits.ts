import { compareTexts } from "../../base/compare-texts.ts"
import type { RecallDocument, TextWindow } from "./index/analyse.ts"
import type { Corpus } from "./index/corpus.ts"
import type { RankedSlot } from "./rank.ts"

export type RecallHit = {
  readonly document: RecallDocument
  /** 0 to 1. */
  readonly score: number
  /** The weighted terms that add up to the score. */
  readonly terms: RankedSlot["terms"]
  /** The passage of the text that answers best. */
  readonly window: TextWindow
}

export function hitOf(corpus: Corpus, { slot, score, terms, passage }: RankedSlot): RecallHit {
  const { document, windows, first } = corpus.at(slot)!
  return { document, score, terms, window: windows[Math.max(0, passage - first)]! }
}

/** The newest accepted entries, newest first; the answer to a question that contains no word. */
export function newestHits(corpus: Corpus, accepts: (slot: number) => boolean, limit: number): RecallHit[] {
  const slots = [...corpus.slots.values()].filter(accepts)
  const documents = slots.map((slot) => ({ slot, document: corpus.documentAt(slot)! }))
  documents.sort(
    (a, b) =>
      compareTexts(b.document.recordedAt, a.document.recordedAt) ||
      compareTexts(b.document.id, a.document.id),
  )
  return documents
    .slice(0, limit)
    .map(({ slot }) => hitOf(corpus, { slot, score: 0, terms: [], passage: -1 }))
}
