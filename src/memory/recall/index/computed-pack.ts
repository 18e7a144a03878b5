import type { EmbeddingSpace } from "../../../embed/port.ts"
import { hashTerm } from "../../../text/terms/hash.ts"
import type { RecallDocument } from "./analyse.ts"
import { ANALYSIS_VERSION } from "./analyse.ts"
import type { Prepared } from "./prepared.ts"
import type { QuantizedRows } from "./vectors.ts"

/** The data computed from an entry. */
export type Computed = QuantizedRows & { readonly prepared: Prepared }

/** The data computed from many entries, found by the content it was computed from. */
export type Pack = {
  /** The dictionary's terms; the index of a term is its number. */
  readonly terms: readonly string[]
  readonly of: (document: RecallDocument) => Computed | undefined
}

/**
 * Layout, as 32-bit numbers. Head: format, space, checksum, number of entries, numbers in all entries, bytes
 * of rows. Each entry: two of its key, its flags, the lengths of all lists and of its rows, then the lists.
 * After the numbers all rows, then the terms as JSON.
 */
export function writePack(
  terms: readonly string[],
  entries: readonly (readonly [RecallDocument, Computed])[],
  space: EmbeddingSpace | null | PackSpace,
): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(terms))
  const sizes = entries.map(
    ([, computed]) => ENTRY_HEAD + listsOf(computed).reduce((sum, { length }) => sum + length, 0),
  )
  const size = sizes.reduce((total, each) => total + each, 0)
  const rowBytes = entries.reduce((total, [, { rows }]) => total + rows.length, 0)
  const numbers = new Uint32Array(HEAD + size)
  numbers.set([
    FORMAT,
    typeof space === "number" ? space : spaceNumber(space),
    0,
    entries.length,
    size,
    rowBytes,
  ])
  const blob = new Uint8Array(aligned(numbers.byteLength + rowBytes + text.length))
  blob.fill(SPACE)
  let at = HEAD
  let rowsAt = numbers.byteLength
  for (const [i, [document, computed]] of entries.entries()) {
    writeEntry(numbers, at, document, computed)
    at += sizes[i]!
    blob.set(new Uint8Array(computed.rows.buffer, computed.rows.byteOffset, computed.rows.length), rowsAt)
    rowsAt += computed.rows.length
  }
  blob.set(new Uint8Array(numbers.buffer))
  blob.set(text, rowsAt)
  new Uint32Array(blob.buffer)[CHECK] = checkOf(blob)
  return blob
}

/** Reads a pack; null when it is of another space or version, or damaged. */
export function readPack(blob: Uint8Array, space: EmbeddingSpace | null): Pack | null {
  const opened = openPack(blob)
  return opened?.space === spaceNumber(space) ? opened.pack : null
}

/** The number of a space, as packs store it. */
type PackSpace = number

/**
 * Reads a pack of any space; null when it is of another version or damaged. The lists it returns are copies;
 * the rows are views of `blob`.
 */
export function openPack(blob: Uint8Array): { readonly pack: Pack; readonly space: PackSpace } | null {
  const bytes = blob.byteOffset % 4 === 0 ? blob : blob.slice()
  if (bytes.length < HEAD * 4 || bytes.length % 4 !== 0) return null
  const [format, space, check, count, size, rowBytes] = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD)
  if (format !== FORMAT || check !== checkOf(bytes)) return null
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD + size!)
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + numbers.byteLength, rowBytes)
  const text = new TextDecoder().decode(bytes.subarray(numbers.byteLength + rowBytes!))
  const places = placesOf(numbers, count!)
  return {
    space: space!,
    pack: {
      terms: JSON.parse(text) as string[],
      of: (document) => entryAt(numbers, rows, places.get(keyOf(...keysOf(document)))),
    },
  }
}

const FORMAT = ANALYSIS_VERSION * 1000 + 1
const HEAD = 6
/** Index in the head of the checksum over everything that follows it. */
const CHECK = 2
/**
 * Numbers before an entry's lists: two of the key, the flags, the lengths of the seven lists and of the rows.
 */
const ENTRY_HEAD = 11
/** Fills the bytes after the terms up to a multiple of four. */
const SPACE = 32

function aligned(bytes: number): number {
  return Math.ceil(bytes / 4) * 4
}

function checkOf(bytes: Uint8Array): number {
  return Number(Bun.hash(bytes.subarray((CHECK + 1) * 4)) & 0xffff_ffffn)
}

/** A nonzero 32-bit number for a space; 0 for null. */
function spaceNumber(space: EmbeddingSpace | null): number {
  if (space === null) return 0
  const name = [space.provider, space.model, space.dimensions, space.version].join("\n")
  return Number(hashTerm(name) & 0xffff_ffffn) || 1
}

/** 53 bits of a hash of all fields that the analysis reads, as two numbers. */
function keysOf({ text, topic, tags, entities, author, recordedAt }: RecallDocument): [number, number] {
  const hash = BigInt(Bun.hash([topic, author, recordedAt, ...tags, "", ...entities, "", text].join("\0")))
  return [Number(hash >> 43n), Number(hash & 0xffff_ffffn)]
}

function keyOf(high: number, low: number): number {
  return high * 2 ** 32 + low
}

type Place = { readonly at: number; readonly rowsAt: number }

/** The offsets of each entry by its key. */
function placesOf(numbers: Uint32Array, count: number): Map<number, Place> {
  const places = new Map<number, Place>()
  let at = HEAD
  let rowsAt = 0
  for (let entry = 0; entry < count; entry++) {
    places.set(keyOf(numbers[at]!, numbers[at + 1]!), { at, rowsAt })
    rowsAt += numbers[at + ENTRY_HEAD - 1]!
    let length = ENTRY_HEAD
    for (let list = 3; list < ENTRY_HEAD - 1; list++) length += numbers[at + list]!
    at += length
  }
  return places
}

function listsOf({ prepared, squares }: Computed): readonly ArrayLike<number>[] {
  const { passages, postings, tokens, terms, topic, tags } = prepared
  return [passages, postings, tokens, terms, topic, tags, squares]
}

function writeEntry(numbers: Uint32Array, at: number, document: RecallDocument, computed: Computed): void {
  const lists = listsOf(computed)
  const lengths = lists.map(({ length }) => length)
  numbers.set([...keysOf(document), computed.prepared.flags, ...lengths, computed.rows.length], at)
  let from = at + ENTRY_HEAD
  for (const list of lists) {
    numbers.set(list, from)
    from += list.length
  }
}

function entryAt(numbers: Uint32Array, rows: Int8Array, place: Place | undefined): Computed | undefined {
  if (place === undefined) return undefined
  const { at, rowsAt } = place
  let from = at + ENTRY_HEAD
  const take = (list: number) => {
    const taken = numbers.slice(from, from + numbers[at + 3 + list]!)
    from += taken.length
    return taken
  }
  const [passages, postings, tokens] = [take(0), take(1), take(2)]
  const [terms, topic, tags] = [take(3), take(4), take(5)]
  return {
    prepared: { flags: numbers[at + 2]!, passages, postings, tokens, terms, topic, tags },
    rows: rows.subarray(rowsAt, rowsAt + numbers[at + ENTRY_HEAD - 1]!),
    squares: take(6),
  }
}
