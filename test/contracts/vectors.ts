import type { VectorHit } from "../../src/index/vector/port.ts"

/**
 * Unit vectors around 40 centres, similar to those of texts; the same for the same seed. `stream` changes the
 * vectors, not the centres.
 */
export function clusteredVectors(
  count: number,
  dimensions: number,
  seed: number,
  stream = seed,
): Float32Array {
  const centre = randomNumbers(seed)
  const centres = Float32Array.from({ length: 40 * dimensions }, centre)
  const random = randomNumbers(stream * 7919 + 1)
  const vectors = new Float32Array(count * dimensions)
  for (let row = 0; row < count; row++) {
    const from = Math.floor(((random() + 1) / 2) * 40) * dimensions
    let squares = 0
    for (let i = 0; i < dimensions; i++) {
      const value = centres[from + i]! + 0.6 * random()
      vectors[row * dimensions + i] = value
      squares += value * value
    }
    for (let i = 0; i < dimensions; i++) vectors[row * dimensions + i]! /= Math.sqrt(squares)
  }
  return vectors
}

export function rowOf(vectors: Float32Array, row: number, dimensions: number): Float32Array {
  return vectors.slice(row * dimensions, (row + 1) * dimensions)
}

/** The nearest keys by cosines of unit vectors, computed by definition in double precision. */
export function nearestPlainly(
  keys: readonly number[],
  vectors: Float32Array,
  query: Float32Array,
  limit: number,
  accept: (key: number) => boolean = () => true,
): VectorHit[] {
  return keys
    .map((key, row) => {
      let score = 0
      for (let i = 0; i < query.length; i++) score += query[i]! * vectors[row * query.length + i]!
      return { key, score }
    })
    .filter((hit) => accept(hit.key))
    .sort((a, b) => b.score - a.score || a.key - b.key)
    .slice(0, limit)
}

/** Returns uniformly distributed numbers from −1 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}
