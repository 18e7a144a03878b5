import type { Analysed } from "./analyse.ts"
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
    return this.#held[slot]?.tokens.length ?? 0
  }

  /** Entries that a term tells of, in their text or above it. */
  holders(term: number): number {
    return Math.max(this.postings.holders(term), this.topics.of(term).size, this.tags.of(term).size)
  }

  add(document: RecallDocument, analysed: Analysed): void {
    this.remove(document.id)
    const slot = this.#free.pop() ?? this.#held.length
    const first = this.passageSlot.length
    const all = new Set<number>()
    const tokens: number[] = []
    for (const passage of analysed.passages) {
      const inOrder = passage.inOrder.map((term) => this.dictionary.add(term))
      for (const term of inOrder) tokens.push(term)
      this.#addPassage(slot, inOrder, passage.besides, analysed.appended, all)
    }
    for (const term of all) this.postings.addHolder(term)
    const held = {
      document,
      first,
      windows: analysed.passages.map(({ start, end }) => ({ start, end })),
      tokens: Int32Array.from(tokens),
      terms: Int32Array.from(all),
      topic: this.#numbers(analysed.topic),
      tags: this.#numbers(analysed.tags),
      flags: analysed.flags,
    }
    this.topics.add(held.topic, slot)
    this.tags.add(held.tags, slot)
    this.#held[slot] = held
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
    this.#free.push(slot)
    return true
  }

  #numbers(terms: readonly string[]): Int32Array {
    return Int32Array.from(new Set(terms.map((term) => this.dictionary.add(term))))
  }

  #addPassage(
    slot: number,
    inOrder: readonly number[],
    besides: readonly string[],
    appended: readonly string[],
    all: Set<number>,
  ): void {
    const passage = this.passageSlot.length
    const times = new Map<number, number>()
    for (const term of inOrder) times.set(term, (times.get(term) ?? 0) + 1)
    for (const term of besides) {
      const number = this.dictionary.add(term)
      times.set(number, (times.get(number) ?? 0) + 1)
    }
    const extra = new Set(appended.map((term) => this.dictionary.add(term)))
    for (const [term, count] of times) this.postings.add(term, passage, count, extra.has(term))
    for (const term of extra) if (!times.has(term)) this.postings.add(term, passage, 0, true)
    for (const term of times.keys()) all.add(term)
    for (const term of extra) all.add(term)
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
