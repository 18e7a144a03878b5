/*
 * The stored form of the recall index. `freezeIndex` writes the index as named parts of numbers and texts;
 * `openImage` checks them and uses them in place, so that opening takes milliseconds. An entry is read from the parts
 * when it is first needed.
 */

import type { EmbeddingSpace } from "../../../index/index.ts"
import { ANALYSIS_VERSION, type FrozenPostings, type TextWindow } from "./analyse.ts"
import type { Corpus, FrozenSessions, IndexedEntry, Speakers } from "./corpus.ts"
import { type FrozenTerms, freezeGrams } from "./dictionary.ts"
import {
  areIntact,
  arrayOf,
  contentName,
  type DocumentLists,
  FrozenDocuments,
  FrozenStrings,
  freezeDocuments,
  freezeLists,
  freezeStrings,
  type ImageParts,
  listAt,
  listsOf,
  type NumberLists,
  type Numbers,
  numbersOf,
  putArray,
  putLists,
  putNumbers,
  readHead,
  type StringLists,
  sealParts,
} from "./frozen.ts"
import type { FrozenVectors, Vectors } from "./vectors.ts"

/** Raise with every change of the layout; images of other versions are not used. */
const FORMAT = ANALYSIS_VERSION * 1000 + 3

/** Facts about the whole image. */
type ImageHead = {
  readonly format: number
  readonly space: string
  /** Number of the last event that the image takes into account. */
  readonly seq: number
  readonly speakers: Speakers
}

/**
 * The index in a form that is used as it is read: an index of 50,000 entries opens in milliseconds. Entries and terms
 * are numbered anew, so that nothing of a removed entry stays.
 */
export function freezeIndex(
  corpus: Corpus,
  vectors: Vectors | null,
  space: EmbeddingSpace | null,
  seq: number,
): ImageParts {
  const slots = livingSlots(corpus)
  const entries = slots.map((slot) => corpus.at(slot)!)
  const numbers = termNumbers(corpus, entries)
  const terms = [...numbers.keys()].filter((term) => numbers[term]! >= 0)
  const numbered = (list: Numbers) => Uint32Array.from(list, (term) => numbers[term]!)
  const parts = new Map<string, Uint8Array>()
  const put = (name: string, array: ArrayBufferView) => putArray(parts, name, array)
  const lists = (name: string, count: number, listOf: (index: number) => ArrayLike<number>) =>
    putLists(parts, name, freezeLists(count, listOf))
  const texts = terms.map((term) => corpus.dictionary.term(term))
  for (const [name, array] of Object.entries(freezeStrings(texts))) put(`terms.${name}`, array)
  putLists(parts, "grams", freezeGrams(texts))
  lists("postings", terms.length, renumberedPostings(corpus, terms, entries))
  put(
    "holders",
    Uint32Array.from(terms, (term) => corpus.postings.holders(term)),
  )
  const newSlots = new Map(slots.map((slot, i) => [slot, i]))
  for (const name of ["topics", "tags"] as const)
    lists(name, terms.length, (i) => Array.from(corpus[name].of(terms[i]!), (slot) => newSlots.get(slot)!))
  const { ids, values, columns, ordinals } = freezeDocuments(entries.map(({ document }) => document))
  for (const [name, array] of Object.entries(ids)) put(`ids.${name}`, array)
  for (const [name, array] of Object.entries(values)) put(`values.${name}`, array)
  putNumbers(parts, "columns", columns)
  const { sessions } = corpus
  put(
    "sessions",
    Int32Array.from(slots, (slot) => sessions.of(slot)),
  )
  for (const side of ["before", "after"] as const)
    put(
      side,
      Int32Array.from(slots, (slot) => newSlots.get(sessions[side](slot)) ?? -1),
    )
  put("ordinals", ordinals)
  put(
    "flags",
    Uint32Array.from(entries, (entry) => entry.flags),
  )
  lists("windows", entries.length, (i) => windowsOf(corpus, entries[i]!))
  for (const name of ["tokens", "terms", "topic", "tags"] as const)
    lists(`entry.${name}`, entries.length, (i) => numbered(entries[i]![name]))
  if (vectors !== null) {
    const { rows, lengths, ends } = vectors.freeze(slots)
    for (const [name, array] of Object.entries({ rows, lengths, "row-ends": ends })) put(name, array)
  }
  const head: ImageHead = {
    format: FORMAT,
    space: spaceName(space),
    seq,
    speakers: { persons: corpus.persons, agents: corpus.agents, authors: [...corpus.authors] },
  }
  sealParts(parts, IMAGE_HEAD, head)
  return parts
}

/** The parts of an image that an index uses when it opens it. */
export type OpenedImage = {
  readonly seq: number
  readonly speakers: Speakers
  readonly terms: FrozenTerms
  readonly postings: FrozenPostings
  readonly topics: NumberLists
  readonly tags: NumberLists
  readonly sessions: FrozenSessions
  readonly entries: FrozenEntries
  readonly vectors: FrozenVectors | null
}

/**
 * Opens a stored image; null when it is of another version or space, or damaged. `textOf`: the text of an entry in the
 * store.
 */
export function openImage(
  parts: ImageParts,
  space: EmbeddingSpace | null,
  textOf: (id: string) => string,
): OpenedImage | null {
  const head = readHead<ImageHead>(parts, IMAGE_HEAD)
  if (head?.format !== FORMAT || head.space !== spaceName(space)) return null
  if (!areIntact(parts, head)) return null
  const array = <T>(name: string, kind: Parameters<typeof arrayOf<T>>[1]) => arrayOf(parts.get(name)!, kind)
  const u32 = (name: string) => array(name, Uint32Array)
  const lists = (name: string) => listsOf(parts, name)
  return {
    seq: head.seq,
    speakers: head.speakers,
    terms: { terms: new FrozenStrings(stringLists(parts, "terms")), grams: lists("grams") },
    postings: { lists: lists("postings"), holders: u32("holders") },
    topics: lists("topics"),
    tags: lists("tags"),
    sessions: {
      ...{ of: array("sessions", Int32Array), before: array("before", Int32Array) },
      after: array("after", Int32Array),
    },
    entries: new FrozenEntries(new FrozenDocuments(documentLists(parts), textOf), {
      ...{ flags: u32("flags"), windows: lists("windows"), tokens: lists("entry.tokens") },
      ...{ terms: lists("entry.terms"), topic: lists("entry.topic"), tags: lists("entry.tags") },
    }),
    vectors: parts.has("rows")
      ? { rows: array("rows", Int8Array), lengths: array("lengths", Float32Array), ends: u32("row-ends") }
      : null,
  }
}

/** The entries of a stored image by slot, without their texts, and a name of the image's content. */
export type StoredEntries = { readonly documents: FrozenDocuments; readonly name: string }

/** The entries of an image that was made or opened before. */
export function storedEntries(parts: ImageParts): StoredEntries {
  const documents = new FrozenDocuments(documentLists(parts), () => "")
  return { documents, name: contentName(parts.get(IMAGE_HEAD)!) }
}

type EntryLists = {
  readonly flags: Uint32Array
  /** Start, end and number of words of each passage. */
  readonly windows: NumberLists
  readonly tokens: NumberLists
  readonly terms: NumberLists
  readonly topic: NumberLists
  readonly tags: NumberLists
}

/** The entries of an image by slot. */
export class FrozenEntries {
  readonly documents: FrozenDocuments
  readonly #lists: EntryLists

  constructor(documents: FrozenDocuments, lists: EntryLists) {
    this.documents = documents
    this.#lists = lists
  }

  get size(): number {
    return this.documents.size
  }

  at(slot: number): IndexedEntry {
    return new FrozenEntry(this.documents, this.#lists, slot)
  }

  /** Number of words of each entry's text. */
  lengths(): Int32Array {
    const { ends } = this.#lists.tokens
    const lengths = new Int32Array(this.size)
    for (let slot = 0; slot < lengths.length; slot++) lengths[slot] = ends[slot + 1]! - ends[slot]!
    return lengths
  }

  /** The slot of each passage, and its number of words. */
  passages(): { readonly slots: Int32Array; readonly lengths: Int32Array } {
    const { ends, numbers } = this.#lists.windows
    const count = numbers.length / WINDOW_FIELDS
    const slots = new Int32Array(count)
    const lengths = new Int32Array(count)
    for (let slot = 0, passage = 0; slot < this.size; slot++) {
      for (; passage * WINDOW_FIELDS < ends[slot + 1]!; passage++) {
        slots[passage] = slot
        lengths[passage] = numbers[passage * WINDOW_FIELDS + 2]!
      }
    }
    return { slots, lengths }
  }
}

/**
 * An entry of the stored index. Its fields are read separately, because ranking needs the numbers of thousands of
 * entries but the lists of only a few.
 */
class FrozenEntry implements IndexedEntry {
  readonly #documents: FrozenDocuments
  readonly #lists: EntryLists
  readonly #slot: number

  constructor(documents: FrozenDocuments, lists: EntryLists, slot: number) {
    this.#documents = documents
    this.#lists = lists
    this.#slot = slot
  }

  get document() {
    return this.#documents.at(this.#slot)
  }
  get first() {
    return this.#lists.windows.ends[this.#slot]! / WINDOW_FIELDS
  }
  get windows() {
    const { ends, numbers } = this.#lists.windows
    const windows: TextWindow[] = []
    for (let at = ends[this.#slot]!; at < ends[this.#slot + 1]!; at += WINDOW_FIELDS)
      windows.push({ start: numbers[at]!, end: numbers[at + 1]! })
    return windows
  }
  get words() {
    const { ends } = this.#lists.tokens
    return ends[this.#slot + 1]! - ends[this.#slot]!
  }
  get tokens() {
    return listAt(this.#lists.tokens, this.#slot)
  }
  get terms() {
    return listAt(this.#lists.terms, this.#slot)
  }
  get topic() {
    return listAt(this.#lists.topic, this.#slot)
  }
  get tags() {
    return listAt(this.#lists.tags, this.#slot)
  }
  get flags() {
    return this.#lists.flags[this.#slot]!
  }
}

const WINDOW_FIELDS = 3
/** Name of the part that describes the others. */
const IMAGE_HEAD = "head"

/**
 * The slots in use, in the order of their first passages, so that the new passage numbers keep the order of the old
 * ones.
 */
function livingSlots(corpus: Corpus): number[] {
  return corpus.slots().sort((a, b) => corpus.at(a)!.first - corpus.at(b)!.first)
}

/** The new number of each term that a living entry has; -1 for all others. */
function termNumbers({ dictionary }: Corpus, entries: readonly IndexedEntry[]): Int32Array {
  const numbers = new Int32Array(dictionary.size).fill(-1)
  for (const { tokens, terms, topic, tags } of entries)
    for (const list of [tokens, terms, topic, tags])
      for (let i = 0; i < list.length; i++) numbers[list[i]!] = 0
  let next = 0
  for (let term = 0; term < numbers.length; term++) if (numbers[term] === 0) numbers[term] = next++
  return numbers
}

/** Returns a function for the postings of a term by its new number, with the new numbers of the passages. */
function renumberedPostings(
  { postings }: Corpus,
  terms: readonly number[],
  entries: readonly IndexedEntry[],
): (index: number) => Uint32Array {
  const passages = new Uint32Array((entries.at(-1)?.first ?? 0) + (entries.at(-1)?.windows.length ?? 0))
  let next = 0
  for (const { first, windows } of entries)
    for (let i = 0; i < windows.length; i++) passages[first + i] = next++
  return (index) => {
    const list = postings.of(terms[index]!).slice()
    for (let at = 0; at < list.length; at++) list[at] = passages[list[at]! >>> 7]! * 128 + (list[at]! & 127)
    return list
  }
}

function windowsOf({ passageLength }: Corpus, { first, windows }: IndexedEntry): number[] {
  return windows.flatMap(({ start, end }, i) => [start, end, passageLength.values[first + i]!])
}

function documentLists(parts: ImageParts): DocumentLists {
  return {
    ids: stringLists(parts, "ids"),
    values: stringLists(parts, "values"),
    columns: numbersOf(parts, "columns"),
    ordinals: arrayOf(parts.get("ordinals")!, Float64Array),
  }
}

function stringLists(parts: ImageParts, name: string): StringLists {
  return {
    units: arrayOf(parts.get(`${name}.units`)!, Uint16Array),
    ends: arrayOf(parts.get(`${name}.ends`)!, Uint32Array),
    places: arrayOf(parts.get(`${name}.places`)!, Uint32Array),
  }
}

function spaceName(space: EmbeddingSpace | null): string {
  return space === null ? "" : [space.provider, space.model, space.dimensions, space.version].join("\n")
}
