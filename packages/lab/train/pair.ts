/** Kinds of pairs, by the contents of both sides; the positions in this list are stored. */
export const PAIR_KINDS = [
  "doc → body",
  "name → body",
  "commit → change",
  "doc → name and path",
  "head comment → names",
  "path → names",
  "heading → section",
  "sentence → next sentence",
  "test title → body",
  "sentence → file it links",
] as const

export type PairKind = (typeof PAIR_KINDS)[number]

/** The distinct words of a text by their 64-bit hashes, and how often each occurs. */
export type Bag = ReadonlyMap<bigint, number>

export type Pair = { readonly kind: PairKind; readonly left: Bag; readonly right: Bag }

/*
 * The pairs of one repository as u32 numbers: the number of words, and each word's hash (low, high). Then for
 * each pair its kind, and for each of its sides the number of words, and for each word its index and count in
 * one number (index × 256 + count). Files store them little-endian.
 */
export function packPairs(pairs: readonly Pair[]): Uint32Array {
  const words = new Map<bigint, number>()
  const body: number[] = []
  for (const { kind, left, right } of pairs) {
    body.push(PAIR_KINDS.indexOf(kind))
    for (const bag of [left, right]) {
      body.push(bag.size)
      for (const [hash, count] of bag) {
        let word = words.get(hash)
        if (word === undefined) {
          word = words.size
          words.set(hash, word)
        }
        body.push(word * 256 + Math.min(255, count))
      }
    }
  }
  const head = [words.size]
  for (const hash of words.keys()) head.push(Number(hash & 0xffff_ffffn), Number(hash >> 32n))
  return Uint32Array.from([...head, ...body])
}

/** A pair in packed form: `sides` contains the range of each side's entries in `data`. */
export type PackedPair = {
  readonly kind: number
  readonly sides: readonly [readonly [number, number], readonly [number, number]]
}

export type PackedPairs = {
  readonly data: Uint32Array
  /** Hash of each word, its low half before the high half. */
  readonly hashes: Uint32Array
  readonly pairs: readonly PackedPair[]
}

export function unpackPairs(data: Uint32Array): PackedPairs {
  const words = data[0]!
  const hashes = data.subarray(1, 1 + words * 2)
  const pairs: PackedPair[] = []
  let at = 1 + words * 2
  while (at < data.length) {
    const kind = data[at]!
    const left = at + 2
    const right = left + data[at + 1]! + 1
    const end = right + data[right - 1]!
    pairs.push({
      kind,
      sides: [
        [left, right - 1],
        [right, end],
      ],
    })
    at = end
  }
  return { data, hashes, pairs }
}
