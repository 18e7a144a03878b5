/*
 * Named parts of numbers and texts, as the database stores what is computed from all entries. A head lists each part's
 * length and checksum, so that damaged or incomplete parts are not used.
 */

import type { NumberLists, Numbers } from "./frozen-strings.ts"

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

export type SealedFacts<Facts> = Facts & { readonly parts: readonly PartSum[] }

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
