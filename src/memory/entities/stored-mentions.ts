/*
 * The names that the entries of a stored recall index mention, in parts that are stored beside the index and used as
 * they are read. A graph of 50,000 entries opens without reading any of them; after a change of
 * names only the texts that it can affect are read again.
 */

import {
  areIntact,
  freezeLists,
  type ImageParts,
  listsOf,
  type NumberLists,
  putLists,
  readHead,
  sealParts,
} from "../recall/index/frozen.ts"
import type { StoredEntries } from "../recall/index/image.ts"
import type { EntityNames, KnownEntities } from "./entities.ts"

/** The normalised names that an entry mentions. */
export type MentionedNames = {
  /** Names that the entry lists as its entities. */
  readonly listed: readonly string[]
  readonly inText: readonly string[]
}

/** Increase this with every change of the layout or of how names are found in texts. */
const FORMAT = 3

const HEAD = "graph.head"
const LISTS = "graph.mentions"

type GraphHead = {
  readonly format: number
  /** Name of the recall index to which the slots belong. */
  readonly index: string
  readonly keys: readonly string[]
  /** The names that texts were searched for, and their signatures at that time. */
  readonly signatures: readonly (readonly [key: string, signature: string])[]
}

/** The names mentioned by each entry of a stored recall index. */
export class StoredMentions {
  readonly entries: StoredEntries
  readonly #keys: readonly string[]
  /** Two times the index of a key, plus 1 for a name that the entry lists. */
  readonly #lists: NumberLists
  /** For each project, the entity of each key by its number + 1 (0: not looked up yet; -1: none), as `#known` has them. */
  readonly #numbers = new Map<string | null, Int32Array>()
  #known: KnownEntities | null = null

  constructor(entries: StoredEntries, keys: readonly string[], lists: NumberLists) {
    this.entries = entries
    this.#keys = keys
    this.#lists = lists
  }

  /** `namesOf` returns the names of an entry. */
  static collect(entries: StoredEntries, namesOf: (id: string) => MentionedNames): StoredMentions {
    const numbers = new Map<string, number>()
    const numberOf = (key: string) => {
      const number = numbers.get(key) ?? numbers.size
      numbers.set(key, number)
      return number * 2
    }
    const { ids, size } = entries.documents
    const lists = Array.from({ length: size }, (_, slot) => {
      const { listed, inText } = namesOf(ids.at(slot))
      return [...listed.map((key) => numberOf(key) + 1), ...inText.map(numberOf)]
    })
    const frozen = freezeLists(lists.length, (slot) => lists[slot]!)
    return new StoredMentions(entries, [...numbers.keys()], frozen)
  }

  namesAt(slot: number): MentionedNames {
    const listed: string[] = []
    const inText: string[] = []
    for (let at = this.#lists.ends[slot]!; at < this.#lists.ends[slot + 1]!; at++) {
      const number = this.#lists.numbers[at]!
      const names = (number & 1) === 1 ? listed : inText
      names.push(this.#keys[number >> 1]!)
    }
    return { listed, inText }
  }

  /** Numbers of the entities that the entry in a slot mentions, sorted. */
  numbersAt(slot: number, known: KnownEntities): readonly number[] {
    const { project } = this.entries.documents.at(slot)
    // A key is looked up once in a project, because a command asks for the entities of each entry.
    if (this.#known !== known) this.#numbers.clear()
    this.#known = known
    const numbers = this.#numbers.get(project) ?? new Int32Array(this.#keys.length)
    this.#numbers.set(project, numbers)
    const found: number[] = []
    for (let at = this.#lists.ends[slot]!; at < this.#lists.ends[slot + 1]!; at++) {
      const key = this.#lists.numbers[at]! >> 1
      if (numbers[key] === 0) numbers[key] = (numbersOf(known, project, [this.#keys[key]!])[0] ?? -2) + 1
      const number = numbers[key]! - 1
      if (number >= 0 && !found.includes(number)) found.push(number)
    }
    return found.length > 1 ? found.sort((one, other) => one - other) : found
  }

  /** Ids of the entries whose texts contain one of these names. */
  withNames(names: ReadonlySet<string>): string[] {
    const found: string[] = []
    const { ids, size } = this.entries.documents
    for (let slot = 0; slot < size; slot++)
      if (this.namesAt(slot).inText.some((key) => names.has(key))) found.push(ids.at(slot))
    return found
  }

  /** The parts to store. */
  freeze(signatures: ReadonlyMap<string, string>): ImageParts {
    const parts = new Map<string, Uint8Array>()
    putLists(parts, LISTS, this.#lists)
    const [keys, index] = [this.#keys, this.entries.name]
    const head: GraphHead = { format: FORMAT, index, keys, signatures: [...signatures] }
    sealParts(parts, HEAD, head)
    return parts
  }
}

/**
 * Opens stored parts: the mentions, and the signatures with which they were found. Null when there are none, or they are
 * damaged or belong to another index or version.
 */
export function openMentions(parts: ImageParts, entries: StoredEntries) {
  const head = readHead<GraphHead>(parts, HEAD)
  if (head?.format !== FORMAT || head.index !== entries.name || !areIntact(parts, head)) return null
  return {
    mentions: new StoredMentions(entries, head.keys, listsOf(parts, LISTS)),
    signatures: new Map(head.signatures),
  }
}

const NOTHING: readonly number[] = []

/** Numbers of the entities with these names, sorted. */
export function numbersOf(
  { names, numbers }: Pick<KnownEntities, "numbers"> & { readonly names: EntityNames },
  project: string | null,
  keys: readonly string[],
): readonly number[] {
  if (keys.length === 0) return NOTHING
  const found: number[] = []
  for (const key of keys) {
    const entity = names.findKey(key, project)
    const number = entity === null ? undefined : numbers.get(entity.id)
    if (number !== undefined && !found.includes(number)) found.push(number)
  }
  return found.length > 1 ? found.sort((one, other) => one - other) : found
}
