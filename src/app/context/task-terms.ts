import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import { isFunctionWord, STOP_WORDS } from "../../text/terms/stop-words.ts"
import { clearTerms, createTermBuffer } from "../../text/terms/term-buffer.ts"
import { tokenize } from "../../text/terms/tokenize.ts"

/** How many documents of an index contain a term, and how many there are. */
export type Rarity = {
  readonly documents: number
  estimate(hi: number, lo: number): number
}

/** A term of a task. */
export type TaskTerm = {
  /** Inverse document frequency in the project's index. */
  readonly idf: number
  /** 1 + ln(occurrences in the task). */
  readonly weight: number
  readonly inTitle: boolean
  /** True for an identifier of several words, written as one in the task: getUserById. */
  readonly isCompound: boolean
}

// A longer text is a pasted log; search reads as much of it.
const MAX_CHARACTERS = 10_000
const MAX_TERMS = 512
const MAX_TITLE = 200
const IDENTIFIER = /[\p{L}\p{N}\p{M}_-]+/gu

/**
 * All words of a task that say something, however many: ranking of files stops at 24 because its masks have 32 bits,
 * ranking of definitions does not.
 */
export class TaskTerms {
  readonly terms: readonly TaskTerm[]
  /** Sum of idf over the title's terms, compounds left out. */
  readonly titleIdf: number
  readonly #byHash = new Map<number, number>()
  readonly #high: number[] = []
  readonly #buffer = createTermBuffer()

  constructor(task: string, rarity: Rarity) {
    const text = task.slice(0, MAX_CHARACTERS)
    const title = new Set(termsOf(titleOf(text)).map(({ term }) => term))
    const counts = new Map<string, { count: number; isCompound: boolean }>()
    for (const { term, isCompound } of termsOf(text)) {
      const known = counts.get(term)
      if (known) known.count++
      else if (counts.size < MAX_TERMS) counts.set(term, { count: 1, isCompound })
    }
    const terms: TaskTerm[] = []
    for (const [term, { count, isCompound }] of counts) {
      const hash = hashTerm(term)
      const [hi, lo] = [Number(hash >> 32n), Number(hash & 0xffffffffn)]
      const holding = rarity.estimate(hi, lo)
      if (holding === 0 || this.#byHash.has(lo)) continue
      this.#byHash.set(lo, terms.length)
      this.#high.push(hi)
      const idf = Math.log(1 + Math.max(0, rarity.documents - holding + 0.5) / (holding + 0.5))
      terms.push({ idf, weight: 1 + Math.log(count), inTitle: title.has(term), isCompound })
    }
    this.terms = terms
    this.titleIdf = terms.reduce(
      (sum, { idf, inTitle, isCompound }) => sum + (inTitle && !isCompound ? idf : 0),
      0,
    )
  }

  /** Calls `visit` with the index of each term of the task in a text, once for each occurrence. */
  each(text: string, visit: (term: number) => void): void {
    const buffer = this.#buffer
    clearTerms(buffer)
    tokenize(text, 0, text.length, buffer)
    const { lo, hi, count } = buffer
    for (let i = 0; i < count; i++) {
      const at = this.#byHash.get(lo[i]!)
      if (at !== undefined && this.#high[at] === hi[i]) visit(at)
    }
  }
}

/** The first line of a task that has several, otherwise its first sentence. */
export function titleOf(task: string): string {
  const line = task.trimStart().split("\n", 1)[0]!
  if (line.length <= MAX_TITLE) return line
  const sentence = line.search(/[.!?]\s/)
  return line.slice(0, sentence > 0 ? Math.min(sentence, MAX_TITLE) : MAX_TITLE)
}

function termsOf(text: string): { readonly term: string; readonly isCompound: boolean }[] {
  const found: { term: string; isCompound: boolean }[] = []
  for (const [identifier] of text.matchAll(IDENTIFIER)) {
    const parts = words(identifier)
    for (const part of parts) {
      if (isFunctionWord(part) || STOP_WORDS.has(part)) continue
      found.push({ term: termOf(part), isCompound: false })
    }
    if (parts.length > 1) found.push({ term: compoundOf(identifier), isCompound: true })
  }
  return found
}
