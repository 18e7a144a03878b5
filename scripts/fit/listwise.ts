import { minimize } from "./minimize.ts"

/** One query: a row of features per candidate, and which of them are right (shares adding up to 1). */
export type Example = {
  readonly rows: readonly Float64Array[]
  readonly target: Float64Array
  /** So that every repository counts the same, whatever its number of queries. */
  readonly weight: number
}

/**
 * Weights of a linear model by listwise softmax: the share of probability given to the right candidates is
 * maximised, over standardised features with an L2 penalty. Returned for unscaled features.
 */
export function fitListwise(examples: readonly Example[], l2: number, use: readonly boolean[]): Float64Array {
  const useful = examples.filter((example) => example.target.some((share) => share > 0))
  const width = use.length
  const { mean, deviation } = moments(useful, width)
  const columns = use.flatMap((used, index) => (used && deviation[index]! > 1e-9 ? [index] : []))
  const scaled = useful.map((example) => ({ ...example, rows: flatten(example, columns, mean, deviation) }))
  const total = useful.reduce((sum, example) => sum + example.weight, 0)
  const fitted = minimize(
    (w) => loss(w, scaled, columns.length, l2, useful.length / total),
    new Float64Array(columns.length),
  )
  const weights = new Float64Array(width)
  columns.forEach((column, index) => {
    weights[column] = fitted[index]! / deviation[column]!
  })
  return weights
}

type Scaled = { readonly rows: Float64Array; readonly target: Float64Array; readonly weight: number }

function loss(
  w: Float64Array,
  examples: readonly Scaled[],
  width: number,
  l2: number,
  norm: number,
): { value: number; gradient: Float64Array } {
  const gradient = w.map((x) => l2 * x)
  let value = (l2 / 2) * w.reduce((sum, x) => sum + x * x, 0)
  for (const example of examples) value += addLoss(w, example, width, norm, gradient)
  return { value, gradient }
}

/** One query's cross-entropy; its gradient is added to the sum. */
function addLoss(
  w: Float64Array,
  example: Scaled,
  width: number,
  norm: number,
  gradient: Float64Array,
): number {
  const { rows, target } = example
  const scale = example.weight * norm
  const scores = target.map((_, i) => {
    let score = 0
    for (let j = 0; j < width; j++) score += rows[i * width + j]! * w[j]!
    return score
  })
  const best = Math.max(...scores)
  const log = Math.log(scores.reduce((sum, score) => sum + Math.exp(score - best), 0)) + best
  let value = 0
  for (const [i, share] of target.entries()) {
    const error = scale * (share - Math.exp(scores[i]! - log))
    value -= scale * share * (scores[i]! - log)
    for (let j = 0; j < width; j++) gradient[j]! -= error * rows[i * width + j]!
  }
  return value
}

function moments(examples: readonly Example[], width: number) {
  const mean = new Float64Array(width)
  const square = new Float64Array(width)
  let count = 0
  for (const { rows } of examples) {
    for (const row of rows) {
      count++
      for (let j = 0; j < width; j++) {
        mean[j]! += row[j]!
        square[j]! += row[j]! * row[j]!
      }
    }
  }
  const deviation = square.map((sum, j) => Math.sqrt(Math.max(0, sum / count - (mean[j]! / count) ** 2)))
  return { mean: mean.map((sum) => sum / count), deviation }
}

function flatten(example: Example, columns: readonly number[], mean: Float64Array, deviation: Float64Array) {
  const rows = new Float64Array(example.rows.length * columns.length)
  example.rows.forEach((row, i) => {
    columns.forEach((column, j) => {
      rows[i * columns.length + j] = (row[column]! - mean[column]!) / deviation[column]!
    })
  })
  return rows
}
