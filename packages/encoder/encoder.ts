import wordsPath from "../../models/encoder.bin" with { type: "file" }
import facts from "../../models/encoder.json"
import kernelPath from "../../models/encoder.wasm" with { type: "file" }
import memoryPath from "../../models/memory-layers.bin" with { type: "file" }
import memoryFacts from "../../models/memory-layers.json"
import { WordPieces } from "./word-pieces.ts"

/**
 * The sentence encoders: small BERTs with weights of 8 bits, computed by encoder.wasm with the same bits on every system. One is
 * for code, one for memories; they share the table of words. In order: the spaces of their vectors; the format of their files; the
 * encoder.
 */

/** The space of the vectors of code: another file of weights, or other texts (`version`), make another space. */
export const ENCODER_SPACE = {
  provider: "encoder",
  model: `encoder@${facts.sha256.slice(0, 12)}`,
  dimensions: 384,
  version: 3,
} as const

/** The space of the vectors of memories; another table of models/gloss.bin makes another one (`version`). */
export const MEMORY_SPACE = {
  provider: "encoder",
  model: `memory@${memoryFacts.sha256.slice(0, 12)} of ${ENCODER_SPACE.model}`,
  dimensions: 384,
  version: 3,
} as const

/** True for the space of an encoder, of this or of another aman. */
export function isEncoderSpace({ provider }: { readonly provider: string }): boolean {
  return provider === ENCODER_SPACE.provider
}

let table: Promise<WordTable> | null = null
let forCode: Promise<Encoder> | null = null
let forMemories: Promise<Encoder> | null = null

/** The encoder of code, which takes 18 MB. It is kept. */
export function openEncoder(): Promise<Encoder> {
  forCode ??= open(wordsPath)
  return forCode
}

/** The encoder of memories, which takes 24 MB, or 12 beside that of code. It is kept. */
export function openMemoryEncoder(): Promise<Encoder> {
  forMemories ??= open(memoryPath)
  return forMemories
}

async function open(layersPath: string): Promise<Encoder> {
  const layers = Bun.file(layersPath).bytes()
  table ??= (layersPath === wordsPath ? layers : Bun.file(wordsPath).bytes()).then(
    (file) => new WordTable(file),
  )
  const module = await WebAssembly.compile(await Bun.file(kernelPath).bytes())
  return new Encoder(await table, await layers, module)
}

/** A stored number is the vector's number times this; larger ones than 127 ÷ SCALE are cut. */
export const SCALE = 400

/** A unit vector as stored: i8. */
export function toRow(vector: Float32Array): Uint8Array {
  const row = Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * SCALE))))
  return new Uint8Array(row.buffer)
}

/**
 * The file models/encoder.bin, little-endian. Each part begins at a multiple of 16 bytes:
 *
 *   "amanEnc2", then u32: hidden, inner, layers, heads, positions, words, bytes of the vocabulary
 *   the vocabulary, one piece per line
 *   words × hidden numbers of 4 bits (the even one of two in the low half), each the number plus MIDDLE
 *   a f32 scale for each word
 *   positions × hidden f32, to which the vector of the first segment is added
 *   the layers as kernel.ts reads them
 *
 * models/memory-layers.bin has 0 positions, words and bytes of the vocabulary.
 */
export const MAGIC = "amanEnc2"
const HEADER_BYTES = 48
/** Stored for 0 in the table of words. */
export const MIDDLE = 8

export type Shape = {
  readonly hidden: number
  readonly inner: number
  readonly layers: number
  readonly heads: number
  readonly positions: number
  readonly words: number
  readonly vocabularyBytes: number
}

type Kernel = {
  readonly memory: WebAssembly.Memory
  readonly init: (hidden: number, inner: number, layers: number, heads: number, tokens: number) => number
  readonly prepare: () => void
  readonly input: () => number
  readonly positions: () => number
  readonly encode: (tokens: number) => number
}

/** What encoders have in common: the vocabulary, and the vectors of words and positions. */
class WordTable {
  readonly shape: Shape
  readonly pieces: WordPieces
  readonly words: Uint8Array
  readonly scales: Float32Array
  readonly positions: Float32Array

  /** `file`: the bytes of models/encoder.bin. */
  constructor(file: Uint8Array) {
    this.shape = readShape(file)
    const { vocabulary, words, scales, positions } = partsOf(file, this.shape)
    this.pieces = new WordPieces(new TextDecoder().decode(vocabulary).split("\n"))
    this.words = words
    this.scales = scales
    this.positions = positions
  }
}

/** Computes unit vectors of short texts, on the calling thread. */
export class Encoder {
  readonly dimensions: number
  readonly #table: WordTable
  readonly #kernel: Kernel

  /** `file`: the bytes of a file with layers; `module`: encoder.wasm, compiled. Throws if they do not fit together. */
  constructor(table: WordTable, file: Uint8Array, module: WebAssembly.Module) {
    const { hidden, inner, heads, positions } = table.shape
    const shape = readShape(file)
    this.#table = table
    this.dimensions = hidden
    const kernel = new WebAssembly.Instance(module, { env: { abort } }).exports as Kernel
    const at = kernel.init(hidden, inner, shape.layers, heads, positions)
    new Uint8Array(kernel.memory.buffer, at).set(partsOf(file, shape).layers)
    kernel.prepare()
    this.#kernel = kernel
  }

  /** The unit vector of a text, of which at most `tokens` word pieces count. */
  encode(text: string, tokens: number): Float32Array {
    const { shape, pieces, words, scales } = this.#table
    const { hidden, positions } = shape
    const ids = pieces.idsOf(text, Math.min(tokens, positions))
    const { memory, encode, input, positions: positionsAt } = this.#kernel
    const rows = new Float32Array(memory.buffer, input(), ids.length * hidden)
    for (const [row, id] of ids.entries()) {
      const scale = scales[id]!
      for (let i = 0; i < hidden; i += 2) {
        const two = words[(id * hidden + i) / 2]!
        rows[row * hidden + i] = ((two & 15) - MIDDLE) * scale
        rows[row * hidden + i + 1] = ((two >> 4) - MIDDLE) * scale
      }
    }
    new Float32Array(memory.buffer, positionsAt(), rows.length).set(
      this.#table.positions.subarray(0, rows.length),
    )
    return new Float32Array(memory.buffer, encode(ids.length), hidden).slice()
  }
}

function readShape(model: Uint8Array): Shape {
  const view = new DataView(model.buffer, model.byteOffset, model.byteLength)
  if (new TextDecoder().decode(model.subarray(0, MAGIC.length)) !== MAGIC)
    throw new Error("this is not an encoder of this format")
  const number = (place: number) => view.getUint32(MAGIC.length + place * 4, true)
  return {
    hidden: number(0),
    inner: number(1),
    layers: number(2),
    heads: number(3),
    positions: number(4),
    words: number(5),
    vocabularyBytes: number(6),
  }
}

function partsOf(model: Uint8Array, { hidden, positions, words, vocabularyBytes }: Shape) {
  let at = HEADER_BYTES
  const take = (bytes: number) => {
    if (at + bytes > model.length) throw new Error("the encoder's file is cut off")
    const part = model.subarray(at, at + bytes)
    at = aligned(at + bytes)
    return part
  }
  const floats = (count: number) => {
    const { buffer, byteOffset } = take(count * 4)
    return new Float32Array(buffer, byteOffset, count).slice()
  }
  return {
    vocabulary: take(vocabularyBytes),
    // Copies, so that the bytes of the layers, which the kernel has, can be released.
    words: take((words * hidden) / 2).slice(),
    scales: floats(words),
    positions: floats(positions * hidden),
    layers: model.subarray(at),
  }
}

/** The start of the part that follows one that ends at `end`. */
export function aligned(end: number): number {
  return Math.ceil(end / 16) * 16
}

function abort(): never {
  throw new Error("the encoder's kernel stopped")
}
