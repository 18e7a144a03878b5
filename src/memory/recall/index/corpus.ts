import { ScorePool } from "../scores.ts"
import type { RecallDocument, TextWindow } from "./analyse.ts"
import { Dictionary } from "./dictionary.ts"
import { Postings } from "./postings.ts"
import { Labels, PASSAGE_FIELDS, type Prepared } from "./prepared.ts"

/** An analysed entry. */
export type IndexedEntry = {
  readonly document: RecallDocument
  /** The numbers of its passages are [first, first + windows.length). */
  readonly first: number
  readonly windows: readonly TextWindow[]
  /** Terms of the text, in order. */
  readonly tokens: Uint32Array
  /** The distinct terms that find the entry. */
  readonly terms: Uint32Array
  readonly topic: Uint32Array
  readonly tags: Uint32Array
  readonly flags: number
}

/** The analysed entries: slots by id, passages by slot, postings by term. */
export class Corpus {
  readonly dictionary = new Dictionary()
  readonly postings = new Postings()
  readonly sessions = new Sessions()
  readonly slots = new Map<string, number>()
  /** Working memory for ranking; used by one question at a time. */
  readonly scores = new ScorePool()
  readonly #entries: (IndexedEntry | undefined)[] = []
  /** Number of words by slot. */
  readonly #lengths: number[] = []
  readonly #free: number[] = []
  readonly passageSlot: number[] = []
  /** Number of words by passage, including the appended ones (day, author). */
  readonly passageLength: number[] = []
  /** Totals over the current entries, without removed ones. */
  passages = 0
  passageWords = 0
  words = 0
  persons = 0
  agents = 0
  readonly authors = new Map<string, number>()
  readonly topics = new Labels()
  readonly tags = new Labels()

  /** Number of slots, including free ones. */
  get capacity(): number {
    return this.#entries.length
  }

  get size(): number {
    return this.slots.size
  }

  at(slot: number): IndexedEntry | undefined {
    return this.#entries[slot]
  }

  /** Number of words of the entry's text; 0 for a free slot. */
  wordsOf(slot: number): number {
    return this.#lengths[slot] ?? 0
  }

  /** Number of entries that have the term in their text, topic or tags; the greatest of the three counts. */
  holders(term: number): number {
    return Math.max(this.postings.holders(term), this.topics.of(term).length, this.tags.of(term).length)
  }

  /**
   * Adds an entry or replaces the one with the same id. The numbers in `prepared` are those of this
   * dictionary.
   */
  add(document: RecallDocument, prepared: Prepared): void {
    this.remove(document.id)
    const slot = this.#free.pop() ?? this.#entries.length
    const { tokens, terms, topic, tags, flags } = prepared
    const first = this.passageSlot.length
    const windows = this.#addPassages(slot, prepared)
    for (let i = 0; i < terms.length; i++) this.postings.addHolder(terms[i]!)
    const entry = { document, first, windows, tokens, terms, topic, tags, flags }
    this.topics.add(topic, slot)
    this.tags.add(tags, slot)
    this.#entries[slot] = entry
    this.#lengths[slot] = tokens.length
    this.slots.set(document.id, slot)
    this.sessions.add(slot, document)
    this.#count(entry, 1)
  }

  remove(id: string): boolean {
    const slot = this.slots.get(id)
    if (slot === undefined) return false
    const entry = this.#entries[slot]!
    const end = entry.first + entry.windows.length
    for (const term of entry.terms) this.postings.remove(term, entry.first, end)
    this.topics.remove(entry.topic, slot)
    this.tags.remove(entry.tags, slot)
    this.#count(entry, -1)
    this.sessions.remove(slot, entry.document)
    this.slots.delete(id)
    this.#entries[slot] = undefined
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

  #count(entry: IndexedEntry, sign: 1 | -1): void {
    const { document } = entry
    this.passages += sign * entry.windows.length
    for (let i = 0; i < entry.windows.length; i++)
      this.passageWords += sign * this.passageLength[entry.first + i]!
    this.words += sign * entry.tokens.length
    if (document.role === "person") this.persons += sign
    else if (document.role !== null) this.agents += sign
    if (document.author !== null) {
      const left = (this.authors.get(document.author) ?? 0) + sign
      if (left > 0) this.authors.set(document.author, left)
      else this.authors.delete(document.author)
    }
  }
}

/**
 * Conversations: the session of each entry, and the entries before and after it. All are numbers; -1 means
 * none.
 */
class Sessions {
  readonly #members = new Map<string, Member[]>()
  readonly #numbers = new Map<string, number>()
  readonly #sessionOf: number[] = []
  readonly #before: number[] = []
  readonly #after: number[] = []

  /** Number of sessions; every session number is below it. */
  get count(): number {
    return this.#numbers.size
  }

  of(slot: number): number {
    return this.#sessionOf[slot] ?? -1
  }

  before(slot: number): number {
    return this.#before[slot] ?? -1
  }

  after(slot: number): number {
    return this.#after[slot] ?? -1
  }

  add(slot: number, document: RecallDocument): void {
    const key = keyOf(document)
    if (key === null) {
      this.#link(-1, slot)
      this.#link(slot, -1)
      this.#sessionOf[slot] = -1
      return
    }
    const members = this.#membersOf(key)
    const member = { slot, ordinal: document.ordinal, at: document.recordedAt, id: document.id }
    let place = members.length
    while (place > 0 && order(members[place - 1]!, member) > 0) place--
    members.splice(place, 0, member)
    this.#sessionOf[slot] = this.#numbers.get(key)!
    this.#link(members[place - 1]?.slot ?? -1, slot)
    this.#link(slot, members[place + 1]?.slot ?? -1)
  }

  remove(slot: number, document: RecallDocument): void {
    const key = keyOf(document)
    const members = key === null ? [] : this.#membersOf(key)
    const place = members.findIndex((member) => member.slot === slot)
    if (place >= 0) members.splice(place, 1)
    this.#link(this.before(slot), this.after(slot))
    this.#link(-1, slot)
    this.#link(slot, -1)
    this.#sessionOf[slot] = -1
  }

  #membersOf(key: string): Member[] {
    let members = this.#members.get(key)
    if (members === undefined) {
      members = []
      this.#members.set(key, members)
      this.#numbers.set(key, this.#numbers.size)
    }
    return members
  }

  #link(first: number, second: number): void {
    if (first >= 0) this.#after[first] = second
    if (second >= 0) this.#before[second] = first
  }
}

type Member = {
  readonly slot: number
  readonly ordinal: number | null
  readonly at: string
  readonly id: string
}

function keyOf({ project, session }: RecallDocument): string | null {
  return session === null ? null : `${project ?? ""}\n${session}`
}

function order(a: Member, b: Member): number {
  const byOrdinal = (a.ordinal ?? 0) - (b.ordinal ?? 0)
  if (byOrdinal !== 0) return byOrdinal
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.id < b.id ? -1 : 1
}
