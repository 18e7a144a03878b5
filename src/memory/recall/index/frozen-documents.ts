import type { RecallDocument } from "./analyse.ts"
import { FrozenStrings, freezeStrings, type Numbers, type StringLists } from "./frozen-strings.ts"

/**
 * Fields stored as an index into a list of the distinct values; `tags`, `entities` and `metadata` are stored as JSON.
 */
const FIELDS = [
  ...["project", "topic", "kind", "author", "role", "session", "key", "source", "tags", "entities"],
  ...["metadata", "recordedAt", "validFrom", "validUntil", "supersededAt"],
] as const

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

/** The document's fields in the order of FIELDS. */
function fieldTexts(document: RecallDocument): (string | null)[] {
  const { project, topic, kind, author, role, session, key, source, tags, entities } = document
  const { metadata, recordedAt, validFrom, validUntil, supersededAt } = document
  return [
    ...[project, topic, kind, author, role, session, key, source?.path ?? null],
    ...[tags, entities, metadata].map((value) => JSON.stringify(value)),
    ...[recordedAt, validFrom, validUntil, supersededAt],
  ]
}

/** The documents of an image, each made when it is first asked for. */
export class FrozenDocuments {
  readonly ids: FrozenStrings
  readonly #values: FrozenStrings
  readonly #columns: Numbers
  readonly #ordinals: Float64Array
  readonly #textOf: (id: string) => string
  readonly #texts: (string | undefined)[]
  readonly #parsed = new Map<number, unknown>()
  readonly #peeked = new FrozenDocument(this, 0)

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

  at(slot: number): FrozenDocument {
    return new FrozenDocument(this, slot)
  }

  /** The entry in a slot, until the next call. */
  peek(slot: number): RecallDocument {
    this.#peeked.slot = slot
    return this.#peeked
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
export class FrozenDocument implements RecallDocument {
  readonly #all: FrozenDocuments
  slot: number

  constructor(all: FrozenDocuments, slot: number) {
    this.#all = all
    this.slot = slot
  }

  get id() {
    return this.#all.ids.at(this.slot)
  }
  get text() {
    return this.#all.text(this.slot)
  }
  get ordinal() {
    return this.#all.ordinal(this.slot)
  }
  get project() {
    return this.#all.value(0, this.slot)
  }
  get topic() {
    return this.#all.value(1, this.slot)!
  }
  get kind() {
    return this.#all.value(2, this.slot) as RecallDocument["kind"]
  }
  get author() {
    return this.#all.value(3, this.slot)
  }
  get role() {
    return this.#all.value(4, this.slot) as RecallDocument["role"]
  }
  get session() {
    return this.#all.value(5, this.slot)
  }
  get key() {
    return this.#all.value(6, this.slot)
  }
  get source() {
    const path = this.#all.value(7, this.slot)
    return path === null ? null : { path }
  }
  get tags() {
    return this.#all.json(8, this.slot) as RecallDocument["tags"]
  }
  get entities() {
    return this.#all.json(9, this.slot) as RecallDocument["entities"]
  }
  get metadata() {
    return this.#all.json(10, this.slot) as RecallDocument["metadata"]
  }
  get recordedAt() {
    return this.#all.value(11, this.slot)!
  }
  get validFrom() {
    return this.#all.value(12, this.slot)
  }
  get validUntil() {
    return this.#all.value(13, this.slot)
  }
  get supersededAt() {
    return this.#all.value(14, this.slot)
  }
}
