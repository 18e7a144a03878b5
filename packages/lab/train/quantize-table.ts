import { encodeWordTable, MIDDLE } from "../../../src/index/embed/static.ts"

/**
 * Candidates for the largest representable number, as shares of the word's largest number: each number is
 * rounded to one of sixteen steps, and the best candidate is used.
 */
const REACHES = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6]

/** The file of a table: four bits per number and one scale per word, chosen for the least squared error. */
export function quantizeTable(table: Float32Array, hashes: Uint32Array, dimensions: number): Uint8Array {
  const words = hashes.length / 2
  const half = dimensions / 2
  const scale = new Float32Array(words)
  const steps = new Uint8Array(words * half)
  for (let word = 0; word < words; word++) {
    const row = table.subarray(word * dimensions, (word + 1) * dimensions)
    const step = bestStep(row)
    scale[word] = step
    for (let i = 0; i < half; i++)
      steps[word * half + i] = nearest(row[i]!, step) | (nearest(row[half + i]!, step) << 4)
  }
  return encodeWordTable(hashes, scale, steps, dimensions)
}

function bestStep(row: Float32Array): number {
  const largest = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  let best = 0
  let min = Number.POSITIVE_INFINITY
  for (const reach of REACHES) {
    const step = Math.fround((largest * reach) / MIDDLE)
    let error = 0
    for (const value of row) error += (value - (nearest(value, step) - MIDDLE) * step) ** 2
    if (error < min) {
      min = error
      best = step
    }
  }
  return best
}

function nearest(value: number, step: number): number {
  return step === 0 ? 7 : Math.max(0, Math.min(15, Math.round(value / step + MIDDLE)))
}
