import type { Analysed, AnalysedPassage } from "./analyse.ts"
import { Dictionary } from "./dictionary.ts"
import type { RecallDocument, TextWindow } from "./document.ts"
import { Labels } from "./labels.ts"
import { Postings } from "./postings.ts"
import { Sessions } from "./sessions.ts"

/** What is kept of an entry, under its slot. */
export type Held = {
  readonly document: RecallDocument
  /** Its passages are [first, first + windows.length). */
  readonly first: number
  readonly windows: readonly TextWindow[]
  /** Terms of its text in order. */
  readonly tokens: Int32Array
  /** Every term it is found by, each once. */
  readonly terms: Int32Array
  readonly topic: Int32Array
  readonly tags: Int32Array
  readonly flags: number
}

/** All entries, taken apart: slots by id, passages by slot, postings by term. */
export class Corpus {
  readonly dictionary = new Dictionary()
  readonly postings = new Postings()
  readonly sessions = new Sessions()
  readonly slots = new Map<string, number>()
  readonly #held: (Held | undefined)[] = []
  /** Words by slot. */
  readonly #lengths: number[] = []
  readonly #free: number[] = []
  readonly passageSlot: number[] = []
  /** Words of a passage, with what is appended. */
  readonly passageLength: number[] = []
  /** Of the living. */
  passages = 0
  passageWords = 0
  words = 0
  persons = 0
  agents = 0
  readonly authors = new Map<string, number>()
  readonly topics = new Labels()
  readonly tags = new Labels()

  /** Slots that exist, some of them empty. */
  get capacity(): number {
    return this.#held.length
  }

  get size(): number {
    return this.slots.size
  }

  held(slot: number): Held | undefined {
    return this.#held[slot]
  }

  /** Of the entry's text; 0 where the slot is empty. */
  wordsOf(slot: number): number {
    return this.#lengths[slot] ?? 0
  }

  /** Entries that a term tells of, in their text or above it. */
  holders(term: number): number {
    return Math.max(this.postings.holders(term), this.topics.of(term).length, this.tags.of(term).length)
  }

  add(document: RecallDocument, analysed: Analysed): void {
    this.remove(document.id)
    const slot = this.#free.pop() ?? this.#held.length
    const first = this.passageSlot.length
    const terms = new Int32Array(analysed.terms.length)
    for (let place = 0; place < terms.length; place++)
      terms[place] = this.dictionary.add(analysed.terms[place]!)
    const isFound = new Uint8Array(terms.length)
    for (const passage of analysed.passages)
      this.#addPassage(slot, passage, terms, analysed.appended, isFound)
    const found = foundOf(terms, isFound)
    for (let i = 0; i < found.length; i++) this.postings.addHolder(found[i]!)
    const held = {
      document,
      first,
      windows: analysed.passages.map(({ start, end }) => ({ start, end })),
      tokens: tokensOf(analysed.passages, terms),
      terms: found,
      topic: at(terms, analysed.topic),
      tags: at(terms, analysed.tags),
      flags: analysed.flags,
    }
    this.topics.add(held.topic, slot)
    this.tags.add(held.tags, slot)
    this.#held[slot] = held
    this.#lengths[slot] = held.tokens.length
    this.slots.set(document.id, slot)
    this.sessions.add(slot, document)
    this.#count(held, 1)
  }

  remove(id: string): boolean {
    const slot = this.slots.get(id)
    if (slot === undefined) return false
    const held = this.#held[slot]!
    const end = held.first + held.windows.length
    for (const term of held.terms) this.postings.remove(term, held.first, end)
    this.topics.remove(held.topic, slot)
    this.tags.remove(held.tags, slot)
    this.#count(held, -1)
    this.sessions.remove(slot, held.document)
    this.slots.delete(id)
    this.#held[slot] = undefined
    this.#lengths[slot] = 0
    this.#free.push(slot)
    return true
  }

  #addPassage(
    slot: number,
    { inOrder, besides }: AnalysedPassage,
    terms: Int32Array,
    appended: ArrayLike<number>,
    isFound: Uint8Array,
  ): void {
    const passage = this.passageSlot.length
    const times = new Uint16Array(terms.length)
    const isAppended = new Uint8Array(terms.length)
    for (let i = 0; i < inOrder.length; i++) times[inOrder[i]!]!++
    for (let i = 0; i < besides.length; i++) times[besides[i]!]!++
    for (let i = 0; i < appended.length; i++) isAppended[appended[i]!] = 1
    for (let place = 0; place < terms.length; place++) {
      if (times[place] === 0 && isAppended[place] === 0) continue
      this.postings.add(terms[place]!, passage, times[place]!, isAppended[place] === 1)
      isFound[place] = 1
    }
    this.passageSlot.push(slot)
    this.passageLength.push(inOrder.length + appended.length)
  }

  #count(held: Held, sign: 1 | -1): void {
    const { document } = held
    this.passages += sign * held.windows.length
    for (let i = 0; i < held.windows.length; i++)
      this.passageWords += sign * this.passageLength[held.first + i]!
    this.words += sign * held.tokens.length
    if (document.role === "person") this.persons += sign
    else if (document.role !== null) this.agents += sign
    if (document.author !== null) {
      const left = (this.authors.get(document.author) ?? 0) + sign
      if (left > 0) this.authors.set(document.author, left)
      else this.authors.delete(document.author)
    }
  }
}

function tokensOf(passages: readonly AnalysedPassage[], terms: Int32Array): Int32Array {
  const tokens = new Int32Array(passages.reduce((sum, { inOrder }) => sum + inOrder.length, 0))
  let at = 0
  for (const { inOrder } of passages)
    for (let i = 0; i < inOrder.length; i++) tokens[at++] = terms[inOrder[i]!]!
  return tokens
}

function at(terms: Int32Array, places: ArrayLike<number>): Int32Array {
  const numbers = new Int32Array(places.length)
  for (let i = 0; i < places.length; i++) numbers[i] = terms[places[i]!]!
  return numbers
}

function foundOf(terms: Int32Array, isFound: Uint8Array): Int32Array {
  const found = new Int32Array(terms.length)
  let count = 0
  for (let place = 0; place < terms.length; place++) if (isFound[place] === 1) found[count++] = terms[place]!
  return found.subarray(0, count)
}
