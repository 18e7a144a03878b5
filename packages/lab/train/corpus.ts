import { readFileSync } from "node:fs"
import { type PackedPairs, unpackPairs } from "./pair.ts"

/**
 * All pairs as ids of words in the vocabulary; `ends` contains the ends of their sides, left and right in turn.
 */
export type Corpus = {
  readonly words: Vocabulary
  readonly ids: Uint16Array
  /** Square root of the word's number of occurrences in the text. */
  readonly weights: Float32Array
  readonly ends: Uint32Array
  /** Repository and kind of each pair. */
  readonly repositories: Uint16Array
  readonly kinds: Uint8Array
}

/** Words, most frequent first; each hash as its low and its high half. */
export type Vocabulary = { readonly hashes: Uint32Array; readonly counts: Float64Array }

export type CorpusOptions = {
  readonly minUses: number
  readonly minRepositories: number
  readonly maxWords: number
}

export const CORPUS_OPTIONS: CorpusOptions = { minUses: 4, minRepositories: 2, maxWords: 27_000 }

/**
 * Reads packed pairs, one file per repository. Leaves out rare words, and pairs of which one side is empty
 * without them.
 */
export function readCorpus(paths: readonly string[], options: CorpusOptions = CORPUS_OPTIONS): Corpus {
  return makeCorpus(
    paths.map((path) => {
      const bytes = readFileSync(path)
      return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    }),
    options,
  )
}

export function makeCorpus(packed: readonly Uint32Array[], options: CorpusOptions = CORPUS_OPTIONS): Corpus {
  const repositories = packed.map(unpackPairs)
  const { words, idOf } = chooseWords(repositories, options)
  const ids: number[] = []
  const weights: number[] = []
  const ends: number[] = []
  const origin: number[] = []
  const kinds: number[] = []
  for (const [repository, { data, pairs }] of repositories.entries()) {
    const known = idOf[repository]!
    for (const { kind, sides } of pairs) {
      const kept = sides.map(([from, to]) =>
        data.subarray(from, to).filter((entry) => known[entry >>> 8]! >= 0),
      )
      if (kept.some((side) => side.length === 0)) continue
      for (const side of kept) {
        for (const entry of side) {
          ids.push(known[entry >>> 8]!)
          weights.push(Math.sqrt(entry & 255))
        }
        ends.push(ids.length)
      }
      origin.push(repository)
      kinds.push(kind)
    }
  }
  return {
    words,
    ids: Uint16Array.from(ids),
    weights: Float32Array.from(weights),
    ends: Uint32Array.from(ends),
    repositories: Uint16Array.from(origin),
    kinds: Uint8Array.from(kinds),
  }
}

type Known = { readonly low: number; readonly high: number; count: number; repositories: number; id: number }

/** The vocabulary, and for each repository the ids of its words in it, or -1. */
function chooseWords(repositories: readonly PackedPairs[], options: CorpusOptions) {
  const known = new Map<bigint, Known>()
  const own = repositories.map((repository) => {
    const counts = countWords(repository)
    return Array.from(counts, (count, i) => {
      const low = repository.hashes[2 * i]!
      const high = repository.hashes[2 * i + 1]!
      const key = (BigInt(high) << 32n) | BigInt(low)
      const word = known.get(key) ?? { low, high, count: 0, repositories: 0, id: -1 }
      known.set(key, word)
      word.count += count
      word.repositories++
      return word
    })
  })
  const chosen = [...known.values()]
    .filter(({ count, repositories }) => count >= options.minUses && repositories >= options.minRepositories)
    .sort((a, b) => b.count - a.count || a.high - b.high || a.low - b.low)
    .slice(0, options.maxWords)
  for (const [id, word] of chosen.entries()) word.id = id
  const words: Vocabulary = {
    hashes: Uint32Array.from(chosen.flatMap(({ low, high }) => [low, high])),
    counts: Float64Array.from(chosen, ({ count }) => count),
  }
  return { words, idOf: own.map((list) => Int32Array.from(list, ({ id }) => id)) }
}

function countWords({ data, hashes, pairs }: PackedPairs): Float64Array {
  const counts = new Float64Array(hashes.length / 2)
  for (const { sides } of pairs) {
    for (const [from, to] of sides)
      for (let at = from; at < to; at++) counts[data[at]! >>> 8]! += data[at]! & 255
  }
  return counts
}
