import { AmanError } from "../base/errors.ts"

/** Maximum of the setting embeddings.dimensions; an f16 row then takes 16 KB. */
const MAX_DIMENSIONS = 8192

/**
 * A server's vectors, checked and scaled to length 1, row by row in one array. Throws EMBEDDER if their
 * number, dimensions or values are invalid.
 */
export function toUnitRows(answer: unknown, count: number, dimensions: number | null): Float32Array {
  if (!Array.isArray(answer) || answer.length !== count) {
    const found = Array.isArray(answer) ? `${answer.length} vectors` : "no vectors"
    throw malformed(`${found} for ${count} texts`)
  }
  const width = dimensions ?? (Array.isArray(answer[0]) ? answer[0].length : 0)
  if (width < 1 || width > MAX_DIMENSIONS) throw malformed(`vectors of ${width} dimensions`)
  const rows = new Float32Array(count * width)
  for (const [i, vector] of answer.entries()) writeUnit(vector, rows, i * width, width)
  return rows
}

function writeUnit(vector: unknown, out: Float32Array, at: number, width: number): void {
  if (!Array.isArray(vector)) throw malformed("no vector where one should be")
  if (vector.length !== width) throw malformed(`a vector of ${vector.length} dimensions, not ${width}`)
  let squares = 0
  for (const value of vector) {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw malformed("a vector with what is no number")
    squares += value * value
  }
  if (!(squares > 0) || !Number.isFinite(squares)) throw malformed("a vector without direction")
  const scale = 1 / Math.sqrt(squares)
  for (let i = 0; i < width; i++) out[at + i] = vector[i] * scale
}

function malformed(what: string): AmanError {
  return new AmanError("EMBEDDER", `the embedder answered with ${what}`, {
    hint: "is that an embedding model? aman doctor tells",
  })
}
