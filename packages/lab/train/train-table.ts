import { batchesOf } from "./batches.ts"
import { Contrast, contrastNumbers } from "./contrast.ts"
import type { Corpus } from "./corpus.ts"
import { Kernels } from "./kernels.ts"
import { PAIR_KINDS, type PairKind } from "./pair.ts"
import { randomFrom } from "./random.ts"

export type TrainOptions = {
  readonly dimensions: number
  /**
   * Training runs over all pairs first, then over those whose right side is code, so that code has more
   * influence than prose.
   */
  readonly broadEpochs: number
  readonly codeEpochs: number
  readonly rate: number
  readonly batch: number
  /** Number of pairs of a batch that come from one repository; these are harder to tell apart. */
  readonly together: number
  readonly seed: number
  readonly onStep?: (step: number, steps: number, loss: number) => void
}

export const TRAIN_OPTIONS = {
  dimensions: 256,
  broadEpochs: 1,
  codeEpochs: 3,
  rate: 0.05,
  batch: 512,
  together: 128,
  seed: 1,
} as const satisfies TrainOptions

/** Common words get small initial vectors: a/(a + p), the smooth inverse frequency of Arora et al. (2017). */
const COMMON = 1e-3

const CODE_KINDS: ReadonlySet<PairKind> = new Set([
  "doc → body",
  "name → body",
  "commit → change",
  "doc → name and path",
  "head comment → names",
  "path → names",
])
const MIN_RATE = 0.05

/**
 * A vector for each word, row by row. Texts are the sums of their words, and training brings the sums of the
 * two texts of a pair together.
 */
export function trainTable(corpus: Corpus, options: TrainOptions): Float32Array {
  const { dimensions, batch } = options
  const numbers = corpus.words.counts.length * dimensions
  const kernels = new Kernels(3 * numbers + contrastNumbers(batch, dimensions) + 64)
  const learner = new Learner(corpus, kernels, options)
  const contrast = new Contrast(kernels, batch, dimensions)
  const sums = [kernels.array(batch * dimensions), kernels.array(batch * dimensions)] as const
  const phases = phasesOf(corpus, options)
  const steps = phases.reduce((sum, phase) => sum + phase.steps, 0)
  let step = 0
  let running = 0
  for (const pairs of batchesOfPhases(corpus, phases, options)) {
    for (const side of [0, 1] as const) learner.addUp(pairs, side, sums[side])
    const loss = contrast.step(sums)
    for (const side of [0, 1] as const) learner.gather(pairs, side, sums[side])
    learner.apply(options.rate * Math.max(MIN_RATE, 1 - step / steps))
    step++
    running = step === 1 ? loss : 0.98 * running + 0.02 * loss
    options.onStep?.(step, steps, running)
  }
  return learner.table.slice()
}

type Phase = { readonly pairs: readonly number[]; readonly steps: number }

function phasesOf({ kinds }: Corpus, { broadEpochs, codeEpochs, batch }: TrainOptions): Phase[] {
  const all = [...kinds.keys()]
  const code = all.filter((pair) => CODE_KINDS.has(PAIR_KINDS[kinds[pair]!]!))
  const stepsOf = (pairs: readonly number[], epochs: number) => Math.floor((pairs.length * epochs) / batch)
  return [
    { pairs: all, steps: stepsOf(all, broadEpochs) },
    { pairs: code, steps: stepsOf(code, codeEpochs) },
  ]
}

function* batchesOfPhases(
  corpus: Corpus,
  phases: readonly Phase[],
  options: TrainOptions,
): Generator<Uint32Array> {
  for (const [i, { pairs, steps }] of phases.entries())
    yield* batchesOf(corpus, pairs, steps, { ...options, seed: options.seed + 1 + i })
}

/**
 * The table, trained by Adagrad: the steps of each number shrink with the squares of its gradients so far
 * (Duchi et al., 2011).
 */
class Learner {
  readonly table: Float32Array
  readonly #corpus: Corpus
  readonly #kernels: Kernels
  readonly #dimensions: number
  readonly #squares: Float32Array
  readonly #gradients: Float32Array
  readonly #isTouched: Uint8Array
  readonly #touched: number[] = []

  constructor(corpus: Corpus, kernels: Kernels, options: TrainOptions) {
    const numbers = corpus.words.counts.length * options.dimensions
    this.#corpus = corpus
    this.#kernels = kernels
    this.#dimensions = options.dimensions
    this.table = kernels.array(numbers)
    this.#squares = kernels.array(numbers).fill(1e-6)
    this.#gradients = kernels.array(numbers)
    this.#isTouched = new Uint8Array(corpus.words.counts.length)
    begin(this.table, corpus, options)
  }

  /** Writes the sum of the word vectors of each text. */
  addUp(pairs: Uint32Array, side: 0 | 1, out: Float32Array): void {
    const { ids, weights } = this.#corpus
    out.fill(0)
    for (let row = 0; row < pairs.length; row++) {
      const [from, to] = this.#entries(2 * pairs[row]! + side)
      for (let m = from; m < to; m++) this.#add(out, row, this.table, ids[m]!, weights[m]!)
    }
  }

  /** Adds to each word its share of the texts' gradients. */
  gather(pairs: Uint32Array, side: 0 | 1, by: Float32Array): void {
    const { ids, weights } = this.#corpus
    for (let row = 0; row < pairs.length; row++) {
      const [from, to] = this.#entries(2 * pairs[row]! + side)
      for (let m = from; m < to; m++) {
        const word = ids[m]!
        if (this.#isTouched[word] === 0) {
          this.#isTouched[word] = 1
          this.#touched.push(word)
        }
        this.#add(this.#gradients, word, by, row, weights[m]!)
      }
    }
  }

  apply(rate: number): void {
    const dimensions = this.#dimensions
    for (const word of this.#touched) {
      const at = word * dimensions
      this.#kernels.adagrad(this.table, this.#squares, at, this.#gradients, at, rate, dimensions)
      this.#isTouched[word] = 0
    }
    this.#touched.length = 0
  }

  #add(to: Float32Array, toRow: number, from: Float32Array, fromRow: number, by: number): void {
    const dimensions = this.#dimensions
    this.#kernels.addTimes(to, toRow * dimensions, from, fromRow * dimensions, by, dimensions)
  }

  #entries(text: number): [number, number] {
    const { ends } = this.#corpus
    return [text === 0 ? 0 : ends[text - 1]!, ends[text]!]
  }
}

function begin(table: Float32Array, { words }: Corpus, { dimensions, seed }: TrainOptions): void {
  const random = randomFrom(seed)
  const total = words.counts.reduce((sum, count) => sum + count, 0)
  // The sum of four uniformly distributed numbers is close to normally distributed, and the same on every
  // machine.
  const spread = Math.sqrt(3 / dimensions)
  for (let word = 0; word < words.counts.length; word++) {
    const scale = (spread * COMMON) / (COMMON + words.counts[word]! / total)
    for (let i = 0; i < dimensions; i++)
      table[word * dimensions + i] = (random() + random() + random() + random() - 2) * scale
  }
}
