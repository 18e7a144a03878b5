import { readFileSync } from "node:fs"
import path from "../../models/message-questions.bin" with { type: "file" }

/**
 * models/message-questions.bin, little-endian: a f32 scale for each of two matrices, then these, of RANK numbers of 8 bits for each
 * dimension. The question's vector is multiplied by the first, the result by the second, and the sum of both is the question's
 * vector for messages.
 */
const RANK = 32
const HEADER_BYTES = 8

let file: Uint8Array<ArrayBuffer> | null = null

/** The unit vector by which a question to memories is compared with messages of conversations. */
export function towardsMessages(question: Float32Array): Float32Array {
  file ??= new Uint8Array(readFileSync(path))
  const [inScale, outScale] = new Float32Array(file.buffer.slice(0, HEADER_BYTES))
  const numbers = new Int8Array(file.buffer, HEADER_BYTES)
  const inner = new Float64Array(RANK)
  for (const [i, value] of question.entries())
    for (let k = 0; k < RANK; k++) inner[k]! += value * numbers[i * RANK + k]!
  const scale = inScale! * outScale!
  const moved = question.map((value, i) => {
    let sum = 0
    for (let k = 0; k < RANK; k++) sum += inner[k]! * numbers[(question.length + i) * RANK + k]!
    return value + sum * scale
  })
  const length = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0))
  return moved.map((value) => value / length)
}
