import type { RecallDocument } from "./analyse.ts"

/** Fields stored as an index into a list of the distinct values: as text, `JSON_FIELDS` as JSON. */
const FIELDS = [
  ...(["project", "topic", "kind", "author", "role", "session", "key", "source"] as const),
  ...(["tags", "entities", "metadata", "recordedAt", "zone"] as const),
  ...(["validFrom", "validUntil", "supersededAt"] as const),
]
const JSON_FIELDS: ReadonlySet<string> = new Set(["tags", "entities", "metadata"])

/** The entries' fields without their texts, as an image stores them. */
export type DocumentLists = {
  readonly ids: StringLists
  readonly values: StringLists
  /** For each field in turn: the value's index + 1 for each entry; 0 for null. */
  readonly columns: Numbers
  /** The position of each entry in its session; NaN for none. */
  readonly ordinals: Float64Array
}

export function freezeDocuments(documents: readonly RecallDocument[]): DocumentLists {
  const columns = new Uint32Array(FIELDS.length * documents.length)
  const numbers = new Map<string, number>()
  for (const [i, document] of documents.entries()) {
    for (const [column, text] of fieldTexts(document).entries()) {
      if (text === null) continue
      const number = numbers.get(text) ?? numbers.size + 1
      numbers.set(text, number)
      columns[column * documents.length + i] = number
    }
  }
  return {
    ids: freezeStrings(documents.map(({ id }) => id)),
    values: freezeStrings([...numbers.keys()]),
    columns,
    ordinals: Float64Array.from(documents, ({ ordinal }) => ordinal ?? Number.NaN),
  }
}

/** The document's fields in the order of FIELDS, of its source only the path. */
function fieldTexts(document: RecallDocument): (string | null)[] {
  return FIELDS.map((name) => {
    const value = name === "source" ? (document.source?.path ?? null) : (document[name] ?? null)
    return value === null || typeof value === "string" ? value : JSON.stringify(value)
  })
}

/** The documents of an image. */
export class FrozenDocuments {
  readonly ids: FrozenStrings
  readonly #values: FrozenStrings
  readonly #columns: Numbers
  readonly #ordinals: Float64Array
  readonly #textOf: (id: string) => string
  readonly #texts: (string | undefined)[]
  readonly #parsed = new Map<number, unknown>()

  /** `textOf`: the text of an entry, read from the store. */
  constructor(lists: DocumentLists, textOf: (id: string) => string) {
    this.ids = new FrozenStrings(lists.ids)
    this.#values = new FrozenStrings(lists.values)
    this.#columns = lists.columns
    this.#ordinals = lists.ordinals
    this.#textOf = textOf
    this.#texts = new Array<undefined>(this.#values.size).fill(undefined)
  }

  get size(): number {
    return this.ids.size
  }

  at(slot: number): RecallDocument {
    return new FrozenFields(this, slot) as unknown as RecallDocument
  }

  text(slot: number): string {
    return this.#textOf(this.ids.at(slot))
  }

  ordinal(slot: number): number | null {
    const ordinal = this.#ordinals[slot]!
    return Number.isNaN(ordinal) ? null : ordinal
  }

  value(column: number, slot: number): string | null {
    const number = this.#columns[column * this.size + slot]! - 1
    if (number < 0) return null
    this.#texts[number] ??= this.#values.at(number)
    return this.#texts[number]!
  }

  json(column: number, slot: number): unknown {
    const number = this.#columns[column * this.size + slot]!
    let value = this.#parsed.get(number)
    if (value === undefined) {
      value = JSON.parse(this.#values.at(number - 1))
      this.#parsed.set(number, value)
    }
    return value
  }
}

/** An entry's fields, read from the image when asked for. */
class FrozenFields {
  readonly all: FrozenDocuments
  readonly slot: number

  constructor(all: FrozenDocuments, slot: number) {
    this.all = all
    this.slot = slot
  }

  get id() {
    return this.all.ids.at(this.slot)
  }
  get text() {
    return this.all.text(this.slot)
  }
  get ordinal() {
    return this.all.ordinal(this.slot)
  }
  get source() {
    const path = this.all.value(FIELDS.indexOf("source"), this.slot)
    return path === null ? null : { path }
  }

  static {
    for (const [column, name] of FIELDS.entries()) {
      if (name === "source") continue
      const read = JSON_FIELDS.has(name) ? "json" : "value"
      Object.defineProperty(FrozenFields.prototype, name, {
        get(this: FrozenFields) {
          return this.all[read](column, this.slot)
        },
      })
    }
  }
}

/** Texts of a stored image: decoded when asked for, and found by their own hash table, so that opening takes no time. */
export class FrozenStrings {
  readonly #units: Uint16Array
  /** Text i consists of the code units from ends[i] to ends[i + 1]. */
  readonly #ends: Uint32Array
  /** Index of a text + 1 at its place by hash, or in the next free one; 0 for an empty place. */
  readonly #places: Uint32Array
  readonly #buffer: Buffer

  constructor({ units, ends, places }: StringLists) {
    this.#units = units
    this.#ends = ends
    this.#places = places
    this.#buffer = Buffer.from(units.buffer, units.byteOffset, units.byteLength)
  }

  get size(): number {
    return this.#ends.length - 1
  }

  at(index: number): string {
    return this.#buffer.toString("utf16le", this.#ends[index]! * 2, this.#ends[index + 1]! * 2)
  }

  /** Number of code units of a text. */
  lengthOf(index: number): number {
    return this.#ends[index + 1]! - this.#ends[index]!
  }

  /** Index of the text; -1 when it is not among these. */
  find(text: string): number {
    const mask = this.#places.length - 1
    for (let at = hashString(text) & mask; ; at = (at + 1) & mask) {
      const index = this.#places[at]! - 1
      if (index < 0 || this.#isAt(index, text)) return index
    }
  }

  #isAt(index: number, text: string): boolean {
    if (this.lengthOf(index) !== text.length) return false
    const start = this.#ends[index]!
    for (let i = 0; i < text.length; i++) if (this.#units[start + i] !== text.charCodeAt(i)) return false
    return true
  }
}

/** The stored form of `FrozenStrings`. UTF-16, because ids and names can contain lone surrogates. */
export type StringLists = {
  readonly units: Uint16Array
  readonly ends: Uint32Array
  readonly places: Uint32Array
}

/** `texts` must be distinct. */
export function freezeStrings(texts: readonly string[]): StringLists {
  const ends = new Uint32Array(texts.length + 1)
  for (const [i, { length }] of texts.entries()) ends[i + 1] = ends[i]! + length
  const units = new Uint16Array(ends[texts.length]!)
  // Twice as many places as texts, so that most are found at the first place.
  const places = new Uint32Array(2 ** Math.ceil(Math.log2(texts.length * 2 + 2)))
  for (const [i, text] of texts.entries()) {
    for (let at = 0; at < text.length; at++) units[ends[i]! + at] = text.charCodeAt(at)
    let place = hashString(text) & (places.length - 1)
    while (places[place] !== 0) place = (place + 1) & (places.length - 1)
    places[place] = i + 1
  }
  return { units, ends, places }
}

function hashString(text: string): number {
  let hash = text.length
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}

/** Lists of numbers, one after the other: list i from ends[i] to ends[i + 1]. */
export type NumberLists = { readonly ends: Uint32Array; readonly numbers: Numbers }

/** Numbers that may be stored with 16 bits each. */
export type Numbers = Uint32Array | Uint16Array

export function listAt({ ends, numbers }: NumberLists, index: number): Numbers {
  return numbers.subarray(ends[index]!, ends[index + 1]!)
}

/** A copy as an array, which loops over arrays read faster; `Array.from` takes ten times as long. */
export function copyNumbers(numbers: ArrayLike<number>): number[] {
  const copy = new Array<number>(numbers.length)
  for (let i = 0; i < numbers.length; i++) copy[i] = numbers[i]!
  return copy
}

/** `listOf` returns list i of `count` lists; it is called twice for each. */
export function freezeLists(count: number, listOf: (index: number) => ArrayLike<number>): NumberLists {
  const ends = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) ends[i + 1] = ends[i]! + listOf(i).length
  const numbers = new Uint32Array(ends[count]!)
  for (let i = 0; i < count; i++) numbers.set(listOf(i), ends[i]!)
  return { ends, numbers }
}

/** For each of `count` numbers the lists that contain it, in order. */
export function invertedLists(lists: NumberLists, count: number): NumberLists {
  const ends = new Uint32Array(count + 1)
  for (let at = 0; at < lists.numbers.length; at++) ends[lists.numbers[at]! + 1]!++
  for (let i = 0; i < count; i++) ends[i + 1]! += ends[i]!
  const numbers = new Uint32Array(lists.numbers.length)
  const next = ends.slice()
  for (let list = 0, at = 0; list + 1 < lists.ends.length; list++)
    for (; at < lists.ends[list + 1]!; at++) numbers[next[lists.numbers[at]!]!++] = list
  return { ends, numbers }
}

/*
 * Named parts of numbers and texts, as the database stores what is computed from all entries. A head lists each part's
 * length and checksum, so that damaged or incomplete parts are not used.
 */

/** Stored parts by name. */
export type ImageParts = ReadonlyMap<string, Uint8Array>

type PartSum = readonly [name: string, bytes: number, check: number]

/** Adds a part named `head` that holds `facts` and the checksums of all parts. */
export function sealParts(parts: Map<string, Uint8Array>, head: string, facts: object): void {
  const sums = Array.from(parts, ([name, bytes]): PartSum => [name, bytes.length, checksumOf(bytes)])
  parts.set(head, sealed(JSON.stringify({ ...facts, parts: sums })))
}

/** The facts of a head; null when it is missing or damaged. The parts are checked by `areIntact`. */
export function readHead<Facts>(parts: ImageParts, head: string): SealedFacts<Facts> | null {
  const bytes = parts.get(head)
  const text = bytes === undefined ? null : unsealed(bytes)
  return text === null ? null : (JSON.parse(text) as SealedFacts<Facts>)
}

type SealedFacts<Facts> = Facts & { readonly parts: readonly PartSum[] }

/** True if every part that the head lists is there and unchanged. */
export function areIntact(parts: ImageParts, { parts: sums }: SealedFacts<object>): boolean {
  return sums.every(([name, length, check]) => {
    const bytes = parts.get(name)
    return bytes !== undefined && bytes.length === length && checksumOf(bytes) === check
  })
}

/** A checksum of the part, as a name for its content. */
export function contentName(part: Uint8Array): string {
  return checksumOf(part).toString(36)
}

/** A part's numbers, used in place. */
export function arrayOf<T>(
  part: Uint8Array,
  array: { new (buffer: ArrayBufferLike, byteOffset: number, length: number): T; BYTES_PER_ELEMENT: number },
): T {
  const { buffer, byteOffset, byteLength } = part.byteOffset % 8 === 0 ? part : part.slice()
  return new array(buffer, byteOffset, byteLength / array.BYTES_PER_ELEMENT)
}

/** The lists that `putLists` stored under this name. */
export function listsOf(parts: ImageParts, name: string): NumberLists {
  return {
    ends: arrayOf(parts.get(`${name}.ends`)!, Uint32Array),
    numbers: numbersOf(parts, `${name}.numbers`),
  }
}

/** The numbers that `putNumbers` stored under this name. */
export function numbersOf(parts: ImageParts, name: string): Numbers {
  const short = parts.get(name + SHORT)
  return short === undefined ? arrayOf(parts.get(name)!, Uint32Array) : arrayOf(short, Uint16Array)
}

/** Ending of the name of a part whose numbers have 16 bits. */
const SHORT = ".16"

export function putArray(parts: Map<string, Uint8Array>, name: string, array: ArrayBufferView): void {
  parts.set(name, new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
}

export function putLists(parts: Map<string, Uint8Array>, name: string, { ends, numbers }: NumberLists): void {
  putArray(parts, `${name}.ends`, ends)
  putNumbers(parts, `${name}.numbers`, numbers)
}

/** Stores numbers with 16 bits each if all fit. */
export function putNumbers(parts: Map<string, Uint8Array>, name: string, numbers: Numbers): void {
  const isShort = numbers.every((number) => number <= 0xffff)
  if (isShort) putArray(parts, name + SHORT, Uint16Array.from(numbers))
  else putArray(parts, name, numbers)
}

/** The text with its checksum. */
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

function checksumOf(bytes: Uint8Array): number {
  return Number(BigInt(Bun.hash(bytes)) & 0x1f_ffff_ffff_ffffn)
}
