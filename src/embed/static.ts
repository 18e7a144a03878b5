import tablePath from "../../models/aman256.bin" with { type: "file" }
import type { Embedder, EmbeddingInput, EmbeddingSpace } from "./port.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "./static768.ts"
import { WordSums } from "./word-sums.ts"
import { readWordTable } from "./word-table.ts"

/**
 * What is built in: the first seed's hashed words and letters, and our own table of word vectors. Code is found by the
 * former: it forgives slips of the pen, and beside the ranking by words the table adds nothing to it that could be
 * measured (docs/decisions/0023-word-table.md). Memories are found by the table.
 */
export type StaticModel = "static768" | "aman256"

/** `version` changes with the table's bytes: models/aman256.sha256. */
const SPACES: Readonly<Record<StaticModel, EmbeddingSpace>> = {
  aman256: { provider: "static", model: "aman256", dimensions: 256, version: 1 },
  static768: { provider: "static", model: "static768", dimensions: STATIC768_DIMENSIONS, version: 1 },
}

/** A name says more than a word of what it names, and a place is said but once. */
const NAME_TIMES = 2
const PATH_TIMES = 4

/** A built-in embedder: a few microseconds a text, no network. */
export function createStaticEmbedder(model: StaticModel = "static768"): Embedder {
  return model === "aman256" ? trainedEmbedder() : hashedEmbedder()
}

function trainedEmbedder(): Embedder {
  const space = SPACES.aman256
  return {
    space,
    embedChunks: async (inputs) => {
      const sums = await wordSums()
      const vectors = new Float32Array(inputs.length * space.dimensions)
      for (const [i, { text, names, path }] of inputs.entries()) {
        sums.add(text)
        for (const name of names) sums.add(name, NAME_TIMES)
        sums.add(tellingPath(path), PATH_TIMES)
        sums.take("root", vectors, i * space.dimensions)
      }
      return vectors
    },
    embedQuery: async (text) => {
      const sums = await wordSums()
      const vector = new Float32Array(space.dimensions)
      sums.add(text)
      sums.take("plain", vector)
      return vector
    },
  }
}

/** What of a chunk is hashed: its text as it stands. A prefix of path or names is known to cost there, not help. */
function hashedEmbedder(): Embedder {
  return {
    space: SPACES.static768,
    embedChunks: async (inputs) => hashAll(inputs.map(({ text }: EmbeddingInput) => text)),
    embedQuery: async (text) => hashAll([text]),
  }
}

function hashAll(texts: readonly string[]): Float32Array {
  const vectors = new Float32Array(texts.length * STATIC768_DIMENSIONS)
  for (const [i, text] of texts.entries()) embedStatic768(text, vectors, i * STATIC768_DIMENSIONS)
  return vectors
}

/** The last folders and the name without its extension: what tells files of one project apart. */
function tellingPath(path: string): string {
  const parts = path.split("/")
  const name = parts.pop()!.replace(/\.[^.]+$/u, "")
  return [...parts.slice(-3), name].join(" ")
}

let loading: Promise<WordSums> | undefined

function wordSums(): Promise<WordSums> {
  loading ??= loadWordSums()
  return loading
}

async function loadWordSums(): Promise<WordSums> {
  return new WordSums(readWordTable(await Bun.file(tablePath).bytes()))
}
