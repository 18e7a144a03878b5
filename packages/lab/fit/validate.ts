import { mean, ndcg, samePath } from "../bench/labels.ts"
import type { LabelledExample, RepositoryExamples } from "./examples.ts"
import { type FitOptions, fitListwise } from "./listwise.ts"

export type Validation = {
  /** NDCG@10 of each repository, averaged over the seeds; by the repository's name. */
  readonly byRepository: ReadonlyMap<string, number>
  readonly byCategory: ReadonlyMap<string, number>
  readonly all: number
}

/**
 * Shares of queries with a right file in the first place (`first`) and among the first ten (`ten`), and the
 * mean reciprocal rank.
 */
export type Hits = {
  readonly count: number
  readonly first: number
  readonly ten: number
  readonly reciprocal: number
}

const FOLDS = 7

/** Cross-validation by repository: each repository is judged by weights that were fitted without it. */
export function crossValidate(
  repositories: readonly RepositoryExamples[],
  options: FitOptions,
  seeds: number,
  always: readonly RepositoryExamples[] = [],
): Validation {
  const scores = new Map<string, number[]>()
  const categories = new Map<string, number[]>()
  for (let seed = 0; seed < seeds; seed++) {
    const weights = heldOutWeights(repositories, options, always, seed)
    for (const { name, examples } of repositories) {
      const values = examples.map((example) => score(example, weights.get(name)!))
      push(scores, name, mean(values))
      for (const [i, example] of examples.entries()) push(categories, example.query.category, values[i]!)
    }
  }
  const byRepository = new Map(Array.from(scores, ([name, values]) => [name, mean(values)]))
  const byCategory = new Map(Array.from(categories, ([name, values]) => [name, mean(values)]))
  return { byRepository, byCategory, all: mean([...byRepository.values()]) }
}

/** How often a right file comes first; `weightsFor` returns the weights for judging a repository. */
export function hitsOf(
  repositories: readonly RepositoryExamples[],
  weightsFor: (name: string) => Float64Array,
): Hits {
  const ranks = repositories.flatMap(({ name, examples }) =>
    examples.map((example) => {
      const right = (path: string) => example.query.targets.some((target) => samePath(path, target.path))
      return ranking(example, weightsFor(name)).findIndex(right)
    }),
  )
  const share = (max: number) => mean(ranks.map((rank) => Number(rank >= 0 && rank < max)))
  const reciprocal = mean(ranks.map((rank) => (rank < 0 ? 0 : 1 / (rank + 1))))
  return { count: ranks.length, first: share(1), ten: share(10), reciprocal }
}

/**
 * Weights for each repository, fitted without the repositories of its fold. `always` are used for fitting in
 * every fold.
 */
export function heldOutWeights(
  repositories: readonly RepositoryExamples[],
  options: FitOptions,
  always: readonly RepositoryExamples[] = [],
  seed = 0,
): Map<string, Float64Array> {
  const order = shuffled(repositories, seed)
  const weights = new Map<string, Float64Array>()
  for (let fold = 0; fold < FOLDS; fold++) {
    const rest = [...order.filter((_, index) => index % FOLDS !== fold), ...always]
    const fitted = fitListwise(
      rest.flatMap((repository) => repository.examples),
      options,
    )
    for (const { name } of order.filter((_, index) => index % FOLDS === fold)) weights.set(name, fitted)
  }
  return weights
}

/** NDCG@10 of one query with these weights; ties are in the order of paths. */
export function score(example: LabelledExample, weights: Float64Array): number {
  return ndcg(ranking(example, weights), example.query.targets)
}

export function ranking(example: LabelledExample, weights: Float64Array): string[] {
  const sums = example.rows.map((row) => row.reduce((sum, value, index) => sum + value * weights[index]!, 0))
  return sums
    .map((sum, index) => ({ sum, index }))
    .sort((a, b) => b.sum - a.sum || a.index - b.index)
    .map(({ index }) => example.paths[index]!)
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/**
 * Shuffles by Fisher and Yates with a small linear congruential generator, so that the folds are the same
 * everywhere.
 */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items]
  let state = seed * 7919 + 17
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const j = state % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
