/**
 * Writes models/encoder.bin and its checksum from a folder with model.safetensors and vocab.txt of a BERT:
 *
 *   bun packages/lab/train/encoder-file.ts --from DIR [--layers 0,1,2,3,4,5] [--positions 128] [--out FILE] [--beside FILE] [--reader]
 *
 * --beside   an encoder.bin, whose words, positions and first norm the layers use: only the layers are written
 * --reader   models/reader.bin: each line of vocab.txt ends with a tab and the piece's log probability, and model.safetensors
 *            has judgement.weight and judgement.bias
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { sha256 } from "../../../src/base/index.ts"
import { aligned, MAGIC, MIDDLE } from "../../encoder/index.ts"

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    layers: { type: "string", default: "0,1,2,3,4,5" },
    positions: { type: "string", default: "128" },
    beside: { type: "string" },
    reader: { type: "boolean", default: false },
    out: { type: "string", default: join(import.meta.dir, "../../../models/encoder.bin") },
  },
})
if (values.from === undefined) {
  console.error("encoder-file: --from DIR is needed")
  process.exit(2)
}
const tensor = readTensors(readFileSync(join(values.from, "model.safetensors")))
const { num_attention_heads: heads } = JSON.parse(readFileSync(join(values.from, "config.json"), "utf8"))
const lines = readFileSync(join(values.from, "vocab.txt"), "utf8").replaceAll("\r", "").trimEnd().split("\n")
const vocabulary = Buffer.from(lines.map((line) => line.split("\t")[0]).join("\n"))
const layers = values.layers.split(",").map(Number)
const positions = Number(values.positions)
const hidden = tensor("embeddings.LayerNorm.weight").length
const inner = tensor("encoder.layer.0.intermediate.dense.bias").length
const table = tensor("embeddings.word_embeddings.weight")
const words = table.length / hidden

const parts: Uint8Array[] = []
const header = new Uint8Array(48)
header.set(Buffer.from(MAGIC))
const own = values.beside === undefined ? [positions, words, vocabulary.length] : [0, 0, 0]
const shape = [hidden, inner, layers.length, heads, ...own, Number(values.reader)]
new Uint32Array(header.buffer, MAGIC.length, shape.length).set(shape)
addPart(header)
if (values.beside === undefined) {
  addPart(vocabulary)
  if (values.reader) {
    addPart(bytesOf(Float32Array.from(lines, (line) => Number(line.split("\t")[1]))))
    addPart(bytesOf(Float32Array.of(...tensor("judgement.weight"), ...tensor("judgement.bias"))))
  }
  addWords()
  const segment = tensor("embeddings.token_type_embeddings.weight")
  const places = tensor("embeddings.position_embeddings.weight").subarray(0, positions * hidden)
  addPart(bytesOf(places.map((value, i) => value + segment[i % hidden]!)))
  addNorm("embeddings.LayerNorm")
} else {
  const file = readFileSync(values.beside)
  const sizes = [vocabulary.length, (words * hidden) / 2, words * 4, positions * hidden * 4]
  const at = sizes.reduce((sum, size) => sum + aligned(size), aligned(header.length))
  parts.push(file.subarray(at, at + hidden * 8))
}
for (const layer of layers) {
  const name = `encoder.layer.${layer}`
  addLinear([`${name}.attention.self.query`, `${name}.attention.self.key`, `${name}.attention.self.value`])
  addLinear([`${name}.attention.output.dense`])
  addNorm(`${name}.attention.output.LayerNorm`)
  addLinear([`${name}.intermediate.dense`])
  addLinear([`${name}.output.dense`])
  addNorm(`${name}.output.LayerNorm`)
}
const file = Buffer.concat(parts)
writeFileSync(values.out, file)
writeFileSync(values.out.replace(/\.bin$/u, ".json"), `{ "sha256": "${sha256(file)}" }\n`)
console.log(`${values.out}: ${(file.length / 1e6).toFixed(2)} MB`)

/** Returns a function that reads a tensor of 32-bit numbers (https://huggingface.co/docs/safetensors). */
function readTensors(file: Buffer): (name: string) => Float32Array {
  const headBytes = Number(file.readBigUInt64LE(0))
  const head = JSON.parse(file.subarray(8, 8 + headBytes).toString())
  return (name) => {
    const entry = head[name] ?? head[`bert.${name}`]
    if (entry?.dtype !== "F32") throw new Error(`there is no tensor ${name} of 32-bit numbers`)
    const [start, end] = entry.data_offsets
    return new Float32Array(new Uint8Array(file.subarray(8 + headBytes + start, 8 + headBytes + end)).buffer)
  }
}

function addPart(part: Uint8Array): void {
  parts.push(part, new Uint8Array(aligned(part.length) - part.length))
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Four bits per number and one scale per word, of the scales tried that with the least squared error. */
function addWords(): void {
  const scales = new Float32Array(words)
  const steps = new Uint8Array((words * hidden) / 2)
  for (let word = 0; word < words; word++) {
    const row = table.subarray(word * hidden, (word + 1) * hidden)
    const scale = bestScale(row)
    scales[word] = scale
    for (let i = 0; i < hidden; i++) steps[(word * hidden + i) >> 1]! |= step(row[i]!, scale) << ((i & 1) * 4)
  }
  addPart(steps)
  addPart(bytesOf(scales))
}

function bestScale(row: Float32Array): number {
  const largest = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  let best = 0
  let min = Number.POSITIVE_INFINITY
  for (let share = 1; share > 0.3; share -= 0.05) {
    const scale = Math.fround((largest * share) / (MIDDLE - 0.5))
    const error = row.reduce((sum, value) => sum + (value - (step(value, scale) - MIDDLE) * scale) ** 2, 0)
    if (error < min) {
      min = error
      best = scale
    }
  }
  return best
}

function step(value: number, scale: number): number {
  return scale === 0 ? MIDDLE : Math.max(0, Math.min(15, Math.round(value / scale) + MIDDLE))
}

function addNorm(name: string): void {
  parts.push(bytesOf(tensor(`${name}.weight`)), bytesOf(tensor(`${name}.bias`)))
}

/** The rows of some linear layers together: 8 bits per number, then a scale and a bias per row. */
function addLinear(names: readonly string[]): void {
  const rows: Int8Array[] = []
  const scales: number[] = []
  const biases: number[] = []
  for (const name of names) {
    const weights = tensor(`${name}.weight`)
    const bias = tensor(`${name}.bias`)
    const width = weights.length / bias.length
    for (let at = 0; at < weights.length; at += width) {
      const row = weights.subarray(at, at + width)
      const scale = row.reduce((max, value) => Math.max(max, Math.abs(value)), 1e-20) / 127
      rows.push(Int8Array.from(row, (value) => Math.round(value / scale)))
      scales.push(scale)
    }
    biases.push(...bias)
  }
  for (const row of rows) parts.push(new Uint8Array(row.buffer))
  parts.push(bytesOf(Float32Array.from(scales)), bytesOf(Float32Array.from(biases)))
}
