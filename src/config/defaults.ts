/** How a vector's numbers are kept: 4, 2 or 1 bytes each. */
export const QUANTIZATIONS = ["f32", "f16", "i8"] as const

/** More parsing threads than this only cost memory: the thread that commits cannot keep up. */
const MOST_WORKERS = 8

export const DEFAULTS = {
  maxFileBytes: 1024 * 1024,
  chunkTokens: 1500,
  mergeTokens: 500,
  quantization: "f16",
  indexDirName: ".aman",
} as const

/** Parsing threads for a machine with so many processors. */
export function defaultWorkers(processors: number): number {
  return Math.max(1, Math.min(MOST_WORKERS, processors))
}
