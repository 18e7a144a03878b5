import { type Kernels, transpose } from "./kernels.ts"
import { portableExp } from "./portable-exp.ts"

const TEMPERATURE = 0.07
/**
 * Factor of the gradients. Adagrad divides by the root of the sums of squares, so the factor matters only in relation
 * to the initial value of these sums.
 */
const SCALE = 0.02

/** How many numbers a contrast stores, the caller's sums included. */
export function contrastNumbers(size: number, dimensions: number): number {
  return 6 * size * dimensions + 2 * size * size
}

/**
 * Symmetric InfoNCE loss of a batch (van den Oord et al. 2018; CLIP): each text must be nearer to its partner
 * than to every other text of the batch, in both directions. Takes the sums of word vectors and returns their
 * gradients.
 */
export class Contrast {
  readonly #kernels: Kernels
  readonly #size: number
  readonly #dimensions: number
  readonly #units: readonly [Float32Array, Float32Array]
  readonly #lengths: readonly [Float64Array, Float64Array]
  readonly #turned: readonly [Float32Array, Float32Array]
  readonly #near: Float32Array
  readonly #nearTurned: Float32Array
  readonly #byColumn: Float64Array
  readonly #columnBest: Float64Array

  /** The arrays of sums must come from the same kernels. */
  constructor(kernels: Kernels, size: number, dimensions: number) {
    const units = () => kernels.array(size * dimensions)
    this.#kernels = kernels
    this.#size = size
    this.#dimensions = dimensions
    this.#units = [units(), units()]
    this.#turned = [units(), units()]
    this.#lengths = [new Float64Array(size), new Float64Array(size)]
    this.#near = kernels.array(size * size)
    this.#nearTurned = kernels.array(size * size)
    this.#byColumn = new Float64Array(size)
    this.#columnBest = new Float64Array(size)
  }

  /**
   * Overwrites the sums of both sides with their gradients; returns the mean loss of the left side, in nats.
   */
  step(sums: readonly [Float32Array, Float32Array]): number {
    const size = this.#size
    const dimensions = this.#dimensions
    for (const side of [0, 1] as const) this.#normalise(sums[side], side)
    this.#kernels.timesTransposed(this.#units[0], this.#units[1], this.#near, size, size, dimensions)
    const loss = this.#toGradients()
    for (const side of [0, 1] as const) transpose(this.#units[side], this.#turned[side], size, dimensions)
    this.#kernels.timesTransposed(this.#near, this.#turned[1], sums[0], size, dimensions, size)
    transpose(this.#near, this.#nearTurned, size, size)
    this.#kernels.timesTransposed(this.#nearTurned, this.#turned[0], sums[1], size, dimensions, size)
    for (const side of [0, 1] as const) this.#throughLength(sums[side], side)
    return loss
  }

  #normalise(sums: Float32Array, side: 0 | 1): void {
    const units = this.#units[side]
    for (let row = 0; row < this.#size; row++) {
      const at = row * this.#dimensions
      let squares = 0
      for (let i = at; i < at + this.#dimensions; i++) squares += sums[i]! * sums[i]!
      const length = Math.sqrt(squares) + 1e-6
      this.#lengths[side][row] = length
      for (let i = at; i < at + this.#dimensions; i++) units[i] = sums[i]! / length
    }
  }

  /** Replaces the cosines by the gradients of the loss with respect to them; returns the loss. */
  #toGradients(): number {
    const size = this.#size
    const near = this.#near
    const { best, sums } = this.#columns()
    let loss = 0
    const scale = SCALE / (2 * TEMPERATURE)
    for (let i = 0; i < size; i++) {
      const at = i * size
      let top = -1
      for (let j = 0; j < size; j++) if (near[at + j]! > top) top = near[at + j]!
      let sum = 0
      for (let j = 0; j < size; j++) sum += portableExp((near[at + j]! - top) / TEMPERATURE)
      loss += Math.log(sum) - (near[at + i]! - top) / TEMPERATURE
      for (let j = 0; j < size; j++) {
        const cosine = near[at + j]!
        const byRow = portableExp((cosine - top) / TEMPERATURE) / sum
        const byColumn = portableExp((cosine - best[j]!) / TEMPERATURE) / sums[j]!
        near[at + j] = scale * (byRow + byColumn)
      }
      near[at + i]! -= 2 * scale
    }
    return loss / size
  }

  /**
   * For each column, the largest cosine, and the sum of the exponentials of all cosines' differences from it.
   */
  #columns(): { readonly best: Float64Array; readonly sums: Float64Array } {
    const size = this.#size
    const near = this.#near
    const sums = this.#byColumn.fill(0)
    const best = this.#columnBest.fill(-1)
    for (let at = 0; at < size * size; at++) best[at % size] = Math.max(best[at % size]!, near[at]!)
    for (let at = 0; at < size * size; at++)
      sums[at % size]! += portableExp((near[at]! - best[at % size]!) / TEMPERATURE)
    return { best, sums }
  }

  /**
   * Converts gradients with respect to unit vectors to gradients with respect to the sums from which these were
   * made.
   */
  #throughLength(gradients: Float32Array, side: 0 | 1): void {
    const units = this.#units[side]
    for (let row = 0; row < this.#size; row++) {
      const at = row * this.#dimensions
      let along = 0
      for (let i = at; i < at + this.#dimensions; i++) along += gradients[i]! * units[i]!
      const length = this.#lengths[side][row]!
      for (let i = at; i < at + this.#dimensions; i++)
        gradients[i] = (gradients[i]! - along * units[i]!) / length
    }
  }
}
