/*
 * The stored form of the recall index. `freezeIndex` writes the index as named parts of numbers and texts;
 * `openImage` checks them and uses them in place, so that opening takes milliseconds. An entry is read from the parts
 * when it is first needed.
 */

import type { EmbeddingSpace } from "../../../embed/port.ts"
import { ANALYSIS_VERSION, type RecallDocument, type TextWindow } from "./analyse.ts"
import type { Corpus, FrozenSessions, IndexedEntry, Speakers } from "./corpus.ts"
import { type FrozenTerms, freezeGrams } from "./dictionary.ts"
import { type DocumentLists, FrozenDocuments, freezeDocuments } from "./frozen-documents.ts"
import { FrozenStrings, freezeLists, freezeStrings, listAt, type NumberLists } from "./frozen-strings.ts"
import type { FrozenPostings } from "./postings.ts"
import type { FrozenVectors, Vectors } from "./vectors.ts"

/** The stored parts of an index by name. */
export type ImageParts = ReadonlyMap<string, Uint8Array>

/** Raise with every change of the layout; images of another version are not used. */
const FORMAT = ANALYSIS_VERSION * 1000 + 1

/** Facts about the whole image. */
type ImageHead = {
  readonly format: number
  readonly space: string
  /** Number of the last event that the image takes into account. */
  readonly seq: number
  readonly speakers: Speakers
  /** Each part's name, length in bytes and checksum. */
  readonly parts: readonly (readonly [name: string, bytes: number, check: number])[]
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
  const numbered = (list: Uint32Array) => list.map((term) => numbers[term]!)
  const parts = new Map<string, Uint8Array>()
  const put = (name: string, array: ArrayBufferView) =>
    parts.set(name, new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  const putLists = (name: string, { ends, numbers: all }: NumberLists) => {
    put(`${name}.ends`, ends)
    put(`${name}.numbers`, all)
  }
  const texts = terms.map((term) => corpus.dictionary.term(term))
  for (const [name, array] of Object.entries(freezeStrings(texts))) put(`terms.${name}`, array)
  putLists("grams", freezeGrams(texts))
  const lists = freezePostings(corpus, terms, entries)
  putLists("postings", lists)
  put(
    "holders",
    Uint32Array.from(terms, (term) => corpus.postings.holders(term)),
  )
  const newSlots = new Map(slots.map((slot, i) => [slot, i]))
  const labels = (of: (term: number) => readonly number[]) =>
    freezeLists(terms.length, (i) => of(terms[i]!).map((slot) => newSlots.get(slot)!))
  putLists(
    "topics",
    labels((term) => corpus.topics.of(term)),
  )
  putLists(
    "tags",
    labels((term) => corpus.tags.of(term)),
  )
  const { ids, values, columns, ordinals } = freezeDocuments(entries.map(({ document }) => document))
  for (const [name, array] of Object.entries(ids)) put(`ids.${name}`, array)
  for (const [name, array] of Object.entries(values)) put(`values.${name}`, array)
  put("columns", columns)
  const linked = (slot: number) => newSlots.get(slot) ?? -1
  put(
    "sessions",
    Int32Array.from(slots, (slot) => corpus.sessions.of(slot)),
  )
  put(
    "before",
    Int32Array.from(slots, (slot) => linked(corpus.sessions.before(slot))),
  )
  put(
    "after",
    Int32Array.from(slots, (slot) => linked(corpus.sessions.after(slot))),
  )
  put("ordinals", ordinals)
  put(
    "flags",
    Uint32Array.from(entries, ({ flags }) => flags),
  )
  putLists(
    "windows",
    freezeLists(entries.length, (i) => windowsOf(corpus, entries[i]!)),
  )
  for (const name of ["tokens", "terms", "topic", "tags"] as const)
    putLists(
      `entry.${name}`,
      freezeLists(entries.length, (i) => numbered(entries[i]![name])),
    )
  if (vectors !== null) {
    const { rows, lengths, ends } = vectors.freeze(slots)
    put("rows", rows)
    put("lengths", lengths)
    put("row-ends", ends)
  }
  const head: ImageHead = {
    format: FORMAT,
    space: spaceName(space),
    seq,
    speakers: { persons: corpus.persons, agents: corpus.agents, authors: [...corpus.authors] },
    parts: Array.from(parts, ([name, bytes]) => [name, bytes.length, checksumOf(bytes)]),
  }
  parts.set(HEAD, sealed(JSON.stringify(head)))
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
  const head = readImageHead(parts, space)
  if (head === null || !head.parts.every(([name, ...expected]) => isIntact(parts.get(name), expected)))
    return null
  const bytes = (name: string) => aligned(parts.get(name)!)
  const u32 = (name: string) => of(bytes(name), Uint32Array)
  const lists = (name: string): NumberLists => ({
    ends: u32(`${name}.ends`),
    numbers: u32(`${name}.numbers`),
  })
  const strings = (name: string) => ({
    units: of(bytes(`${name}.units`), Uint16Array),
    ends: u32(`${name}.ends`),
    places: u32(`${name}.places`),
  })
  const documents: DocumentLists = {
    ids: strings("ids"),
    values: strings("values"),
    columns: u32("columns"),
    ordinals: of(bytes("ordinals"), Float64Array),
  }
  return {
    seq: head.seq,
    speakers: head.speakers,
    terms: { terms: new FrozenStrings(strings("terms")), grams: lists("grams") },
    postings: { lists: lists("postings"), holders: u32("holders") },
    topics: lists("topics"),
    tags: lists("tags"),
    sessions: {
      of: of(bytes("sessions"), Int32Array),
      before: of(bytes("before"), Int32Array),
      after: of(bytes("after"), Int32Array),
    },
    entries: new FrozenEntries(new FrozenDocuments(documents, textOf), {
      flags: u32("flags"),
      windows: lists("windows"),
      tokens: lists("entry.tokens"),
      terms: lists("entry.terms"),
      topic: lists("entry.topic"),
      tags: lists("entry.tags"),
    }),
    vectors: parts.has("rows")
      ? {
          rows: of(bytes("rows"), Int8Array),
          lengths: of(bytes("lengths"), Float32Array),
          ends: u32("row-ends"),
        }
      : null,
  }
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

/** The entries of an image by slot, each made when it is first asked for. */
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

  /** The entry in a slot. `document`: the slot's document, if it exists already. */
  at(slot: number, document: RecallDocument = this.documents.at(slot)): IndexedEntry {
    return new FrozenEntry(this.#lists, slot, document)
  }

  wordsOf(slot: number): number {
    return this.#lists.tokens.ends[slot + 1]! - this.#lists.tokens.ends[slot]!
  }

  /** Calls `see` for every passage in order. */
  eachPassage(see: (slot: number, words: number) => void): void {
    const { ends, numbers } = this.#lists.windows
    for (let slot = 0; slot < this.size; slot++)
      for (let at = ends[slot]!; at < ends[slot + 1]!; at += WINDOW_FIELDS) see(slot, numbers[at + 2]!)
  }
}

/**
 * An entry of an image. Its parts are read separately, because ranking needs the number of words of thousands of
 * entries but the lists of only a few.
 */
class FrozenEntry implements IndexedEntry {
  readonly document: RecallDocument
  readonly #lists: EntryLists
  readonly #slot: number

  constructor(lists: EntryLists, slot: number, document: RecallDocument) {
    this.document = document
    this.#lists = lists
    this.#slot = slot
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
const HEAD = "head"

/**
 * The slots in use, in the order of their first passages, so that the new passage numbers keep the order of the old
 * ones.
 */
function livingSlots(corpus: Corpus): number[] {
  const slots = [...corpus.slots.values()]
  return slots.sort((a, b) => corpus.at(a)!.first - corpus.at(b)!.first)
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

function freezePostings(
  { postings }: Corpus,
  terms: readonly number[],
  entries: readonly IndexedEntry[],
): NumberLists {
  const passages = new Uint32Array((entries.at(-1)?.first ?? 0) + (entries.at(-1)?.windows.length ?? 0))
  let next = 0
  for (const { first, windows } of entries)
    for (let i = 0; i < windows.length; i++) passages[first + i] = next++
  return freezeLists(terms.length, (i) => {
    const list = Uint32Array.from(postings.read(terms[i]!))
    for (let at = 0; at < list.length; at++) list[at] = passages[list[at]! >>> 7]! * 128 + (list[at]! & 127)
    return list
  })
}

function windowsOf({ passageLength }: Corpus, { first, windows }: IndexedEntry): number[] {
  return windows.flatMap(({ start, end }, i) => [start, end, passageLength[first + i]!])
}

function readImageHead(parts: ImageParts, space: EmbeddingSpace | null): ImageHead | null {
  const bytes = parts.get(HEAD)
  const text = bytes === undefined ? null : unsealed(bytes)
  if (text === null) return null
  const head = JSON.parse(text) as ImageHead
  return head.format === FORMAT && head.space === spaceName(space) ? head : null
}

function spaceName(space: EmbeddingSpace | null): string {
  return space === null ? "" : [space.provider, space.model, space.dimensions, space.version].join("\n")
}

/** The bytes of a text after a line with their checksum. */
function sealed(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  return new TextEncoder().encode(`${checksumOf(bytes)}\n${text}`)
}

function unsealed(bytes: Uint8Array): string | null {
  const end = bytes.indexOf(10)
  const check = Number(new TextDecoder().decode(bytes.subarray(0, end)))
  const rest = bytes.subarray(end + 1)
  return checksumOf(rest) === check ? new TextDecoder().decode(rest) : null
}

function isIntact(bytes: Uint8Array | undefined, [length, check]: readonly [number, number]): boolean {
  return bytes !== undefined && bytes.length === length && checksumOf(bytes) === check
}

function checksumOf(bytes: Uint8Array): number {
  return Number(BigInt(Bun.hash(bytes)) & 0x1f_ffff_ffff_ffffn)
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
}

function of<T>(
  { buffer, byteOffset, byteLength }: Uint8Array,
  array: { new (buffer: ArrayBufferLike, byteOffset: number, length: number): T; BYTES_PER_ELEMENT: number },
): T {
  return new array(buffer, byteOffset, byteLength / array.BYTES_PER_ELEMENT)
}
