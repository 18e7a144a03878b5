import { Dictionary } from "./dictionary.ts"
import type { RecallDocument, TextWindow } from "./document.ts"
import { Labels } from "./labels.ts"
import { Postings } from "./postings.ts"
import { PASSAGE_FIELDS, type Prepared } from "./prepared.ts"
import { ScorePool } from "./scores.ts"
import { Sessions } from "./sessions.ts"

/** What is kept of an entry, under its slot. */
export type Held = {
  readonly document: RecallDocument
  /** Its passages are [first, first + windows.length). */
  readonly first: number
  readonly windows: readonly TextWindow[]
  /** Terms of its text in order. */
  readonly tokens: Uint32Array
  /** Every term it is found by, each once. */
  readonly terms: Uint32Array
  readonly topic: Uint32Array
  readonly tags: Uint32Array
  readonly flags: number
}

/** All entries, taken apart: slots by id, passages by slot, postings by term. */
export class Corpus {
  readonly dictionary = new Dictionary()
  readonly postings = new Postings()
  readonly sessions = new Sessions()
  readonly slots = new Map<string, number>()
  /** To rank with, one question at a time. */
  readonly scores = new ScorePool()
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

  /** The entry's terms are those of this dictionary. */
  add(document: RecallDocument, prepared: Prepared): void {
    this.remove(document.id)
    const slot = this.#free.pop() ?? this.#held.length
    const { tokens, terms, topic, tags, flags } = prepared
    const first = this.passageSlot.length
    const windows = this.#addPassages(slot, prepared)
    for (let i = 0; i < terms.length; i++) this.postings.addHolder(terms[i]!)
    const held = { document, first, windows, tokens, terms, topic, tags, flags }
    this.topics.add(topic, slot)
    this.tags.add(tags, slot)
    this.#held[slot] = held
    this.#lengths[slot] = tokens.length
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

  #addPassages(slot: number, { passages, postings }: Prepared): TextWindow[] {
    const windows: TextWindow[] = []
    let at = 0
    for (let head = 0; head < passages.length; head += PASSAGE_FIELDS) {
      const passage = this.passageSlot.length
      for (let left = passages[head + 3]!; left > 0; left--, at += 2)
        this.postings.add(postings[at]!, passage, postings[at + 1]!)
      windows.push({ start: passages[head]!, end: passages[head + 1]! })
      this.passageSlot.push(slot)
      this.passageLength.push(passages[head + 2]!)
    }
    return windows
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
