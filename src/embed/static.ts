import tablePath from "../../models/aman256.bin" with { type: "file" }
import { joinRows } from "./join-rows.ts"
import type { Embedder, EmbeddingInput, EmbeddingSpace } from "./port.ts"
import { QuestionWords } from "./question-words.ts"
import { isSameSpace } from "./same-space.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "./static768.ts"
import { WordSums } from "./word-sums.ts"
import { readWordTable } from "./word-table.ts"

/**
 * What is built in: our own table of word vectors (aman256, for memories), the first seed's hashed words and letters
 * (static768), and both in one row (aman512, for code): meanings, and what is spelled alike where no word is known.
 */
export type StaticModel = "aman512" | "aman256" | "static768"

/** Those that code can be found by. */
export type CodeModel = Exclude<StaticModel, "aman256">

/** `version` changes with the table's bytes: models/aman256.sha256. */
const SPACES: Readonly<Record<StaticModel, EmbeddingSpace>> = {
  aman512: { provider: "static", model: "aman512", dimensions: 512, version: 1 },
  aman256: { provider: "static", model: "aman256", dimensions: 256, version: 1 },
  static768: { provider: "static", model: "static768", dimensions: STATIC768_DIMENSIONS, version: 1 },
}

/** A name says more than a word of what it names, and a place is said but once. */
const NAME_TIMES = 2
const PATH_TIMES = 4

/** True of a space whose vectors are made here, without a server. */
export function isBuiltIn({ provider }: Pick<EmbeddingSpace, "provider">): boolean {
  return provider === SPACES.aman512.provider
}

/** The built-in model of code whose space that is. */
export function codeModelOf(space: EmbeddingSpace): CodeModel | null {
  return (["aman512", "static768"] as const).find((model) => isSameSpace(SPACES[model], space)) ?? null
}

/** A built-in embedder: a few microseconds a text, no network. */
export function createStaticEmbedder(model: StaticModel = "aman512"): Embedder {
  if (model === "aman512") return bothEmbedder(trainedEmbedder(), hashedEmbedder())
  return model === "aman256" ? trainedEmbedder() : hashedEmbedder()
}

/** Both in one row, half of the cosine each: fitted in docs/decisions/0023-word-table.md. */
function bothEmbedder(trained: Embedder, hashed: Embedder): Embedder {
  return {
    space: SPACES.aman512,
    embedChunks: async (inputs) =>
      joinRows(await trained.embedChunks(inputs), await hashed.embedChunks(inputs)),
    embedQuery: async (text) => joinRows(await trained.embedQuery(text), await hashed.embedQuery(text)),
  }
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
      const sums = await questionSums(text)
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
export function tellingPath(path: string): string {
  const parts = path.split("/")
  const name = parts.pop()!.replace(/\.[^.]+$/u, "")
  return [...parts.slice(-3), name].join(" ")
}

let loading: Promise<WordSums> | undefined

function wordSums(): Promise<WordSums> {
  loading ??= loadWordSums().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function loadWordSums(): Promise<WordSums> {
  return new WordSums(readWordTable(await Bun.file(tablePath).bytes()))
}

const asked = new QuestionWords(tablePath)

/** All of the table takes a question 3 ms and 4 MB; of no use where it is there already. */
function questionSums(text: string): Promise<WordSums> {
  return loading ?? asked.sumsFor(text)
}
