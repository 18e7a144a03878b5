import type { Alike } from "./dictionary.ts"

/** Which terms hold a four-letter piece; terms are taken in when the first question comes after them. */
export class GramIndex {
  readonly #terms: readonly string[]
  readonly #holders: (number[] | undefined)[] = []
  #shared = new Uint8Array(0)
  #taken = 0

  constructor(terms: readonly string[]) {
    this.#terms = terms
  }

  /** Terms whose pieces are the same to this share (Dice), the term itself left out. */
  alike(term: string, least: number): Alike[] {
    this.#takeIn()
    const touched: number[] = []
    for (const gram of gramsOf(term)) {
      for (const number of this.#holders[gram] ?? []) {
        if (this.#shared[number] === 0) touched.push(number)
        this.#shared[number]!++
      }
    }
    const found: Alike[] = []
    for (const number of touched) {
      const other = this.#terms[number]!
      const likeness = (2 * this.#shared[number]!) / (gramCount(term) + gramCount(other))
      this.#shared[number] = 0
      if (likeness >= least && other !== term) found.push({ number, likeness })
    }
    return found
  }

  #takeIn(): void {
    for (; this.#taken < this.#terms.length; this.#taken++) {
      const term = this.#terms[this.#taken]!
      if (term.length > LONGEST) continue
      for (const gram of gramsOf(term)) {
        const holders = this.#holders[gram]
        if (holders === undefined) this.#holders[gram] = [this.#taken]
        else holders.push(this.#taken)
      }
    }
    if (this.#shared.length < this.#terms.length) this.#shared = new Uint8Array(this.#terms.length * 2)
  }
}

const SIZE = 4
const EDGE = 95
/** Longer ones are data, and their pieces would not be counted in a byte. */
const LONGEST = 64

function gramCount(term: string): number {
  return Math.max(1, term.length + 3 - SIZE)
}

/** The four-letter pieces of a word, its ends marked, each as a 16-bit hash. Shorter words are one piece. */
function gramsOf(term: string): Uint16Array {
  const grams = new Uint16Array(gramCount(term))
  const length = term.length + 2
  for (let start = 0; start < grams.length; start++) {
    let hash = 0
    for (let i = start; i < Math.min(start + SIZE, length); i++) {
      const code = i === 0 || i === length - 1 ? EDGE : term.charCodeAt(i - 1)
      hash = Math.imul(hash ^ code, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    grams[start] = hash & 0xffff
  }
  return grams
}
