/*
 * The analysed entries in memory. An entry has a slot, its passages are numbered, and terms point to passages
 * (analyse.ts). Entries of a stored image are read from it when they are needed; added and removed entries are kept
 * beside it. `Sessions` links the entries of a conversation.
 */

import { compareTexts } from "../../../base/index.ts"
import { words } from "../../../text/index.ts"
import { ScorePool, WordScores } from "../scores.ts"
import { Labels, Postings, type PreparedEntry, type RecallDocument, type TextWindow } from "./analyse.ts"
import { Dictionary } from "./dictionary.ts"
import type { Numbers } from "./frozen.ts"
import type { FrozenEntries, OpenedImage } from "./image.ts"

/** An analysed entry. */
export type IndexedEntry = {
  readonly document: RecallDocument
  /** Number of the entry's first passage; the others follow, one for each of `windows`. */
  readonly first: number
  readonly windows: readonly TextWindow[]
  /** Number of words of the text. */
  readonly words: number
  /** Terms of the text, in order. */
  readonly tokens: Numbers
  /** The distinct terms that find the entry. */
  readonly terms: Numbers
  readonly topic: Numbers
  readonly tags: Numbers
  readonly flags: number
}

/** The analysed entries: slots by id, passages by slot, postings by term. */
export class Corpus {
  readonly dictionary: Dictionary
  readonly postings: Postings
  readonly sessions: Sessions
  /** Working memory for ranking; used by one question at a time. */
  readonly scores = new ScorePool()
  #wordScores = new WordScores(0)
  /** Number of words of an entry and its neighbours, by slot; 0 if it is not known. */
  #windowWords = NO_WORDS
  /**
   * The entries of an image occupy the first slots. An element is undefined for one of them, and null once its entry is
   * removed.
   */
  readonly #frozen: FrozenEntries | null
  readonly #entries: (IndexedEntry | null | undefined)[]
  /** Number of words of each entry's text, by slot. */
  #lengths = new GrowingNumbers()
  readonly #free: number[] = []
  /** Slots by id, of entries that were added; -1 for removed ones. */
  readonly #slots = new Map<string, number>()
  passageSlot = new GrowingNumbers()
  /** Number of words by passage, including the appended ones (day, author). */
  passageLength = new GrowingNumbers()
  /** Totals over the current entries, without removed ones. */
  passages = 0
  passageWords = 0
  words = 0
  persons = 0
  agents = 0
  readonly authors = new Map<string, number>()
  /** Authors by their first name; null until it is needed after a change. */
  #byFirstName: Map<string, string[]> | null = null
  readonly topics: Labels
  readonly tags: Labels

  constructor(image: OpenedImage | null = null) {
    this.dictionary = new Dictionary(image?.terms)
    this.postings = new Postings(image?.postings)
    this.topics = new Labels(image?.topics)
    this.tags = new Labels(image?.tags)
    this.#frozen = image?.entries ?? null
    this.#entries = new Array<undefined>(this.#frozen?.size ?? 0).fill(undefined)
    this.sessions = new Sessions(image?.sessions ?? null, (slot) => this.at(slot)!.document)
    if (image !== null) this.#countFrozen(image.entries, image.speakers)
  }

  /** Number of slots, including free ones. */
  get capacity(): number {
    return this.#entries.length
  }

  get size(): number {
    return this.capacity - this.#free.length
  }

  /** The slots of all entries. */
  slots(): number[] {
    return this.#entries.flatMap((entry, slot) => (entry === null ? [] : slot))
  }

  /** The slot of an entry; -1 if there is none. */
  slotOf(id: string): number {
    return this.#slots.get(id) ?? this.#frozen?.documents.ids.find(id) ?? -1
  }

  /** The entry in a slot; undefined for a free slot. */
  at(slot: number): IndexedEntry | undefined {
    const entry = this.#entries[slot]
    if (entry !== undefined || slot >= this.capacity) return entry ?? undefined
    return this.#frozen!.at(slot)
  }

  /** The id of the entry in a slot that is not free. */
  idAt(slot: number): string {
    return this.#entries[slot]?.document.id ?? this.#frozen!.documents.ids.at(slot)
  }

  takeWordScores(): WordScores {
    if (this.#wordScores.capacity < this.capacity)
      this.#wordScores = new WordScores(Math.ceil(this.capacity * ROOM))
    return this.#wordScores
  }

  /** Clears the working memory, after a question. */
  releaseScores(): void {
    this.scores.release()
    this.#wordScores.clear()
  }

  /** Number of words of the entry and of up to `reach` entries before and after it in its session. */
  windowWords(slot: number, reach: number): number {
    if (this.#windowWords.length < this.capacity)
      this.#windowWords = new Uint32Array(Math.ceil(this.capacity * ROOM))
    const known = this.#windowWords[slot]!
    if (known > 0) return known
    const { sessions } = this
    let words = this.wordsOf(slot)
    for (let step = 0, at = sessions.before(slot); step < reach && at >= 0; step++, at = sessions.before(at))
      words += this.wordsOf(at)
    for (let step = 0, at = sessions.after(slot); step < reach && at >= 0; step++, at = sessions.after(at))
      words += this.wordsOf(at)
    this.#windowWords[slot] = words
    return words
  }

  /** Number of words of the entry's text; 0 for a free slot. */
  wordsOf(slot: number): number {
    return this.#lengths.values[slot] ?? 0
  }

  /** Number of entries that have the term in their text, topic or tags; the greatest of the three counts. */
  holders(term: number): number {
    return Math.max(this.postings.holders(term), this.topics.countOf(term), this.tags.countOf(term))
  }

  /** Adds an entry or replaces the one with the same id. The numbers in `prepared` are those of this dictionary. */
  add(document: RecallDocument, prepared: PreparedEntry): void {
    this.remove(document.id)
    this.#windowWords = NO_WORDS
    const slot = this.#free.pop() ?? this.#entries.length
    const { tokens, terms, topic, tags, flags } = prepared
    const first = this.passageSlot.length
    const windows = this.#addPassages(slot, prepared)
    for (let i = 0; i < terms.length; i++) this.postings.addHolder(terms[i]!)
    const entry = { document, first, windows, words: tokens.length, tokens, terms, topic, tags, flags }
    this.topics.add(topic, slot)
    this.tags.add(tags, slot)
    this.#entries[slot] = entry
    this.#lengths.set(slot, tokens.length)
    this.#slots.set(document.id, slot)
    this.sessions.add(slot, document)
    this.#count(entry, 1)
  }

  remove(id: string): void {
    const slot = this.slotOf(id)
    if (slot < 0) return
    this.#windowWords = NO_WORDS
    const entry = this.at(slot)!
    const end = entry.first + entry.windows.length
    for (const term of entry.terms) this.postings.remove(term, entry.first, end)
    this.topics.remove(entry.topic, slot)
    this.tags.remove(entry.tags, slot)
    this.#count(entry, -1)
    this.sessions.remove(slot, entry.document)
    this.#slots.set(id, -1)
    this.#entries[slot] = null
    this.#lengths.set(slot, 0)
    this.#free.push(slot)
  }

  #addPassages(slot: number, { passages }: PreparedEntry): TextWindow[] {
    return passages.map(({ window, words, postings }) => {
      for (const [term, posting] of postings) this.postings.add(term, this.passageSlot.length, posting)
      this.passageSlot.push(slot)
      this.passageLength.push(words)
      return window
    })
  }

  #count(entry: IndexedEntry, sign: 1 | -1): void {
    const { document } = entry
    this.passages += sign * entry.windows.length
    for (const passage of entry.windows.keys())
      this.passageWords += sign * this.passageLength.values[entry.first + passage]!
    this.words += sign * entry.words
    if (document.role === "person") this.persons += sign
    else if (document.role !== null) this.agents += sign
    if (document.author !== null) this.#countAuthor(document.author, sign)
  }

  /** The authors whose first name is one of these words. */
  authorsAmong(questionWords: ReadonlySet<string>): string[] {
    this.#byFirstName ??= Map.groupBy(this.authors.keys(), (author) => words(author)[0] ?? "")
    return [...questionWords].flatMap((word) => this.#byFirstName!.get(word) ?? [])
  }

  #countAuthor(author: string, sign: number): void {
    const left = (this.authors.get(author) ?? 0) + sign
    if (left <= 0 || left === sign) this.#byFirstName = null
    if (left > 0) this.authors.set(author, left)
    else this.authors.delete(author)
  }

  #countFrozen(frozen: FrozenEntries, { persons, agents, authors }: Speakers): void {
    this.persons = persons
    this.agents = agents
    for (const [author, count] of authors) this.authors.set(author, count)
    const words = frozen.lengths()
    this.#lengths = new GrowingNumbers(words)
    for (const length of words) this.words += length
    const { slots, lengths } = frozen.passages()
    this.passageSlot = new GrowingNumbers(slots)
    this.passageLength = new GrowingNumbers(lengths)
    for (const length of lengths) this.passageWords += length
    this.passages = slots.length
  }
}

const NO_WORDS = new Uint32Array(0)

/** Growth factor of the working memory, so that entries that are added one by one do not each cause a copy. */
const ROOM = 1.25

/** Number of entries by role and author. */
export type Speakers = {
  readonly persons: number
  readonly agents: number
  readonly authors: readonly (readonly [author: string, count: number])[]
}

/** Conversations: the session of each entry, and the entries before and after it. All are numbers; -1 means none. */
class Sessions {
  readonly #members = new Map<string, Member[]>()
  readonly #numbers = new Map<string, number>()
  readonly #sessionOf: GrowingNumbers
  readonly #before: GrowingNumbers
  readonly #after: GrowingNumbers
  /** Number of entries taken over from the stored index (`frozen`) that are not in `#members` yet. */
  #unread: number
  #count = 0
  readonly #documentAt: (slot: number) => RecallDocument

  constructor(frozen: FrozenSessions | null, documentAt: (slot: number) => RecallDocument) {
    // Copies, because the numbers change, but not those of the image.
    this.#sessionOf = new GrowingNumbers(frozen?.of.slice())
    this.#before = new GrowingNumbers(frozen?.before.slice())
    this.#after = new GrowingNumbers(frozen?.after.slice())
    this.#unread = this.#sessionOf.length
    for (const number of this.#sessionOf.values) this.#count = Math.max(this.#count, number + 1)
    this.#documentAt = documentAt
  }

  /** Number of sessions; every session number is below it. */
  get count(): number {
    return this.#count
  }

  of(slot: number): number {
    return this.#sessionOf.values[slot] ?? -1
  }

  before(slot: number): number {
    return this.#before.values[slot] ?? -1
  }

  after(slot: number): number {
    return this.#after.values[slot] ?? -1
  }

  add(slot: number, document: RecallDocument): void {
    const key = sessionKey(document)
    this.#unlink(slot)
    if (key === null) return
    const members = this.#membersOf(key)
    const member = memberOf(slot, document)
    let place = members.length
    while (place > 0 && order(members[place - 1]!, member) > 0) place--
    members.splice(place, 0, member)
    this.#sessionOf.set(slot, this.#numbers.get(key)!)
    this.#link(members[place - 1]?.slot ?? -1, slot)
    this.#link(slot, members[place + 1]?.slot ?? -1)
  }

  remove(slot: number, document: RecallDocument): void {
    const key = sessionKey(document)
    const members = key === null ? [] : this.#membersOf(key)
    const place = members.findIndex((member) => member.slot === slot)
    if (place >= 0) members.splice(place, 1)
    this.#link(this.before(slot), this.after(slot))
    this.#unlink(slot)
  }

  #membersOf(key: string): Member[] {
    if (this.#unread > 0) this.#readFrozen()
    const members = this.#members.get(key) ?? []
    this.#members.set(key, members)
    if (!this.#numbers.has(key)) this.#numbers.set(key, this.#count++)
    return members
  }

  /** Reads the members of the image's sessions. They are needed only once an entry of a session changes. */
  #readFrozen(): void {
    const count = this.#unread
    this.#unread = 0
    for (let first = 0; first < count; first++) {
      if (this.of(first) < 0 || this.before(first) >= 0) continue
      const members: Member[] = []
      for (let slot = first; slot >= 0; slot = this.after(slot))
        members.push(memberOf(slot, this.#documentAt(slot)))
      const key = sessionKey(this.#documentAt(first))!
      this.#members.set(key, members)
      this.#numbers.set(key, this.of(first))
    }
  }

  #unlink(slot: number): void {
    this.#link(-1, slot)
    this.#link(slot, -1)
    this.#sessionOf.set(slot, -1)
  }

  #link(first: number, second: number): void {
    if (first >= 0) this.#after.set(first, second)
    if (second >= 0) this.#before.set(second, first)
  }
}

type Member = Pick<RecallDocument, "ordinal" | "recordedAt" | "id"> & { readonly slot: number }

function memberOf(slot: number, { ordinal, recordedAt, id }: RecallDocument): Member {
  return { slot, ordinal, recordedAt, id }
}

/** Sessions by slot: the session's number and the slots before and after it; -1 for none. */
export type FrozenSessions = {
  readonly of: Int32Array
  readonly before: Int32Array
  readonly after: Int32Array
}

function sessionKey({ project, session }: RecallDocument): string | null {
  return session === null ? null : `${project ?? ""}\n${session}`
}

function order(a: Member, b: Member): number {
  const byOrdinal = (a.ordinal ?? 0) - (b.ordinal ?? 0)
  return byOrdinal || compareTexts(a.recordedAt, b.recordedAt) || compareTexts(a.id, b.id)
}

/**
 * Numbers from -1 to 2^31 - 1 in an array that grows: half the memory of an array of JavaScript, so that more of it stays
 * in the processor's cache.
 */
class GrowingNumbers {
  /** The first `length` elements are the numbers, all others are -1. */
  values: Int32Array
  length: number

  constructor(values: Int32Array = new Int32Array(0)) {
    this.values = values
    this.length = values.length
  }

  push(value: number): void {
    this.set(this.length, value)
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const more = new Int32Array(Math.ceil((index + 1) * ROOM)).fill(-1)
      more.set(this.values)
      this.values = more
    }
    this.values[index] = value
    this.length = Math.max(this.length, index + 1)
  }
}
