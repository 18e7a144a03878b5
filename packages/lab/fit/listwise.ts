import { minimize } from "./minimize.ts"

/**
 * A query: a row of features for each candidate, and each candidate's share in being right; the shares add up
 * to 1.
 */
export type Example = {
  readonly rows: readonly Float64Array[]
  readonly target: Float64Array
  /** Weight of the query, chosen so that every repository counts the same, whatever its number of queries. */
  readonly weight: number
}

/**
 * Options of a fit: unused features get the weight 0, the weights of the others are penalised for their
 * distance from the prior.
 */
export type FitOptions = {
  readonly l2: number
  readonly use: readonly boolean[]
  /** Prior weights, for unscaled features. */
  readonly prior: Float64Array
  /** For each feature, true if it keeps its prior weight; absent: none does. */
  readonly held?: readonly boolean[]
}

/**
 * Weights of a linear model, fitted by listwise softmax: maximises the probability of the right candidates over
 * standardised features, with an L2 penalty on the distance from the prior. The returned weights are for
 * unscaled features.
 */
export function fitListwise(
  examples: readonly Example[],
  { l2, use, prior, held = [] }: FitOptions,
): Float64Array {
  const useful = examples.filter((example) => example.target.some((share) => share > 0))
  const width = use.length
  const { mean, deviation } = moments(useful, width)
  const columns = use.flatMap((used, index) =>
    used && !held[index] && deviation[index]! > 1e-9 ? [index] : [],
  )
  const scaled = useful.map((example) => ({
    ...example,
    rows: flatten(example, columns, mean, deviation),
    heldSums: example.rows.map((row) =>
      row.reduce((sum, value, column) => sum + (held[column] ? value * prior[column]! : 0), 0),
    ),
  }))
  const total = useful.reduce((sum, example) => sum + example.weight, 0)
  const start = Float64Array.from(columns, (column) => prior[column]! * deviation[column]!)
  const norm = useful.length / total
  const fitted = minimize((w) => loss(w, scaled, { start, l2, norm }), start)
  // A feature that is held, or has the same value in all examples, keeps its prior weight.
  const weights = prior.map((weight, column) => (use[column] ? weight : 0))
  columns.forEach((column, index) => {
    weights[column] = fitted[index]! / deviation[column]!
  })
  return weights
}

type Scaled = {
  readonly rows: Float64Array
  readonly target: Float64Array
  readonly weight: number
  /** For each candidate the sum of the features that are held. */
  readonly heldSums: readonly number[]
}

type Penalty = { readonly start: Float64Array; readonly l2: number; readonly norm: number }

function loss(
  w: Float64Array,
  examples: readonly Scaled[],
  { start, l2, norm }: Penalty,
): { value: number; gradient: Float64Array } {
  const away = w.map((x, j) => x - start[j]!)
  const gradient = away.map((x) => l2 * x)
  let value = (l2 / 2) * away.reduce((sum, x) => sum + x * x, 0)
  for (const example of examples) value += addLoss(w, example, w.length, norm, gradient)
  return { value, gradient }
}

/** Cross-entropy of one query; adds its gradient to `gradient`. */
function addLoss(
  w: Float64Array,
  example: Scaled,
  width: number,
  norm: number,
  gradient: Float64Array,
): number {
  const { rows, target, heldSums } = example
  const scale = example.weight * norm
  const scores = target.map((_, i) => {
    let score = heldSums[i]!
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
