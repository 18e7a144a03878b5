import wordsPath from "../../models/encoder.bin" with { type: "file" }
import facts from "../../models/encoder.json"
import kernelPath from "../../models/encoder.wasm" with { type: "file" }
import memoryPath from "../../models/memory-layers.bin" with { type: "file" }
import memoryFacts from "../../models/memory-layers.json"
import readerPath from "../../models/reader.bin" with { type: "file" }
import readerFacts from "../../models/reader.json"
import { UnigramPieces } from "./unigram.ts"
import { WordPieces } from "./word-pieces.ts"

/**
 * Small BERTs with weights of 8 bits, computed by encoder.wasm with the same bits on every system. Two encoders give vectors
 * of sentences: one for code, one for memories, which share the table of words. The reader reads two notes together. In
 * order: the spaces of their vectors; the format of their files; the encoder; the reader.
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

/** Names the reader: readings of another one are made anew. */
export const READER = readerFacts.sha256.slice(0, 12)

/** True for the space of an encoder, of this or of another aman. */
export function isEncoderSpace({ provider }: { readonly provider: string }): boolean {
  return provider === ENCODER_SPACE.provider
}

let table: Promise<WordTable> | null = null
let forCode: Promise<Encoder> | null = null
let forMemories: Promise<Encoder> | null = null
let reader: Promise<PairReader> | null = null
let release: ReturnType<typeof setTimeout> | undefined

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

/** The reader of two notes, which takes 45 MB. It is kept for a minute after its last use. */
export function openReader(): Promise<PairReader> {
  reader ??= openPairReader()
  clearTimeout(release)
  release = setTimeout(() => {
    reader = null
  }, KEPT_MS)
  release.unref()
  return reader
}

const KEPT_MS = 60_000

async function openPairReader(): Promise<PairReader> {
  const [file, kernel] = await Promise.all([Bun.file(readerPath).bytes(), Bun.file(kernelPath).bytes()])
  return new PairReader(file, await WebAssembly.compile(kernel))
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
 *   "amanEnc2", then u32: hidden, inner, layers, heads, positions, words, bytes of the vocabulary, 1 for a reader
 *   the vocabulary, one piece per line
 *   only of a reader: a f32 for each word, its log probability; hidden + 1 f32, the weights and the bias of its judgement
 *   words × hidden numbers of 4 bits (the even one of two in the low half), each the number plus MIDDLE
 *   a f32 scale for each word
 *   positions × hidden f32, to which the vector of the first segment is added
 *   the layers as kernel.ts reads them
 *
 * models/memory-layers.bin has 0 positions, words and bytes of the vocabulary; models/reader.bin is a reader.
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
  readonly isReader: boolean
}

type Kernel = {
  readonly memory: WebAssembly.Memory
  readonly init: (hidden: number, inner: number, layers: number, heads: number, tokens: number) => number
  readonly prepare: () => void
  readonly input: () => number
  readonly positions: () => number
  readonly encode: (tokens: number) => number
}

/** The vectors of words and positions. */
class WordVectors {
  readonly shape: Shape
  readonly #words: Uint8Array
  readonly #scales: Float32Array
  readonly #positions: Float32Array

  constructor(shape: Shape, { words, scales, positions }: ReturnType<typeof partsOf>) {
    this.shape = shape
    this.#words = words
    this.#scales = scales
    this.#positions = positions
  }

  /** Writes the vectors of these words, and those of their places, into `rows` and `places`. */
  write(ids: readonly number[], rows: Float32Array, places: Float32Array): void {
    const { hidden } = this.shape
    for (const [row, id] of ids.entries()) {
      const scale = this.#scales[id]!
      for (let i = 0; i < hidden; i += 2) {
        const two = this.#words[(id * hidden + i) / 2]!
        rows[row * hidden + i] = ((two & 15) - MIDDLE) * scale
        rows[row * hidden + i + 1] = ((two >> 4) - MIDDLE) * scale
      }
    }
    places.set(this.#positions.subarray(0, rows.length))
  }
}

/** What encoders of sentences have in common: the vocabulary, and the vectors of words and positions. */
class WordTable {
  readonly pieces: WordPieces
  readonly vectors: WordVectors

  /** `file`: the bytes of models/encoder.bin. */
  constructor(file: Uint8Array) {
    const shape = readShape(file)
    const parts = partsOf(file, shape)
    this.pieces = new WordPieces(linesOf(parts.vocabulary))
    this.vectors = new WordVectors(shape, parts)
  }
}

/** Layers in their kernel, which compute the unit vector of a list of pieces. */
class Layers {
  readonly #vectors: WordVectors
  readonly #kernel: Kernel

  /** `module`: encoder.wasm, compiled. Throws if the layers do not fit the vectors. */
  constructor(vectors: WordVectors, count: number, layers: Uint8Array, module: WebAssembly.Module) {
    const { hidden, inner, heads, positions } = vectors.shape
    const kernel = new WebAssembly.Instance(module, { env: { abort } }).exports as Kernel
    const at = kernel.init(hidden, inner, count, heads, positions)
    new Uint8Array(kernel.memory.buffer, at).set(layers)
    kernel.prepare()
    this.#vectors = vectors
    this.#kernel = kernel
  }

  vectorOf(ids: readonly number[]): Float32Array {
    const { hidden } = this.#vectors.shape
    const { memory, encode, input, positions } = this.#kernel
    const of = (at: number) => new Float32Array(memory.buffer, at, ids.length * hidden)
    this.#vectors.write(ids, of(input()), of(positions()))
    return new Float32Array(memory.buffer, encode(ids.length), hidden).slice()
  }
}

/** Computes unit vectors of short texts, on the calling thread. */
export class Encoder {
  readonly dimensions: number
  readonly #table: WordTable
  readonly #layers: Layers

  /** `file`: the bytes of a file with layers; `module`: encoder.wasm, compiled. Throws if they do not fit together. */
  constructor(table: WordTable, file: Uint8Array, module: WebAssembly.Module) {
    const shape = readShape(file)
    this.#table = table
    this.dimensions = table.vectors.shape.hidden
    this.#layers = new Layers(table.vectors, shape.layers, partsOf(file, shape).layers, module)
  }

  /** The unit vector of a text, of which at most `tokens` word pieces count. */
  encode(text: string, tokens: number): Float32Array {
    const { pieces, vectors } = this.#table
    return this.#layers.vectorOf(pieces.idsOf(text, Math.min(tokens, vectors.shape.positions)))
  }
}

/** Reads two notes of one person or team, in any of ten languages. */
export class PairReader {
  readonly #pieces: UnigramPieces
  readonly #layers: Layers
  readonly #judgement: Float32Array
  readonly #limit: number

  /** `file`: the bytes of models/reader.bin; `module`: encoder.wasm, compiled. */
  constructor(file: Uint8Array, module: WebAssembly.Module) {
    const shape = readShape(file)
    const parts = partsOf(file, shape)
    this.#pieces = new UnigramPieces(linesOf(parts.vocabulary), parts.chances, UNKNOWN)
    this.#layers = new Layers(new WordVectors(shape, parts), shape.layers, parts.layers, module)
    this.#judgement = parts.judgement
    this.#limit = shape.positions
  }

  /** The log odds that the newer note makes the older one untrue. Of a long note the beginning is read. */
  odds(older: string, newer: string): number {
    const first = this.#pieces.idsOf(older, MAX_OLDER)
    const both = [
      START,
      ...first,
      END,
      END,
      ...this.#pieces.idsOf(newer, this.#limit - first.length - 4),
      END,
    ]
    const vector = this.#layers.vectorOf(both)
    const bias = this.#judgement[vector.length]!
    return vector.reduce((sum, value, i) => sum + value * this.#judgement[i]!, bias)
  }
}

/** Ids of the pieces that the reader's vocabulary begins with: the start, a filler, the end of a text, an unknown piece. */
const [START, END, UNKNOWN] = [0, 2, 3]
/** Pieces that are read of the older note. */
const MAX_OLDER = 60

function linesOf(vocabulary: Uint8Array): string[] {
  return new TextDecoder().decode(vocabulary).split("\n")
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
    isReader: number(7) === 1,
  }
}

function partsOf(model: Uint8Array, shape: Shape) {
  const { hidden, positions, words, vocabularyBytes, isReader } = shape
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
    chances: floats(isReader ? words : 0),
    judgement: floats(isReader ? hidden + 1 : 0),
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
