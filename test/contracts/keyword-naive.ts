import { inverseDocumentFrequency } from "../../src/base/ranking.ts"
import { decodeLength, encodeLength } from "../../src/index/keyword/codes.ts"
import {
  CHUNK_BM25,
  FILE_BM25,
  type Field,
  type KeywordFile,
  type KeywordQuery,
  lengthNorm,
  type QueryTerm,
  TOP_CHUNK_WEIGHTS,
} from "../../src/index/keyword/port.ts"
import { createTermBuffer } from "../../src/text/terms/term-buffer.ts"
import { tokenize } from "../../src/text/terms/tokenize.ts"

/** A file's expected result, computed as literally as possible from the definitions. Slow, for tests only. */
export type NaiveFile = {
  readonly path: string
  readonly score: number
  readonly bestChunk: number
  readonly topChunks: number
  readonly masks: Record<Field, number>
  readonly stemWords: number
  readonly dirWords: number
  readonly chunks: readonly { ordinal: number; score: number; body: number; doc: number; names: number }[]
}

export type NaiveAnswer = {
  readonly files: readonly NaiveFile[]
  readonly fileIdf: readonly number[]
  readonly chunkIdf: readonly number[]
}

export function naiveQuery(files: readonly KeywordFile[], { terms, accept }: KeywordQuery): NaiveAnswer {
  const documents = files.filter((file) => accept?.(file) ?? true).map(fileDocument)
  const chunks = documents.flatMap((document) => document.chunks)
  const fileIdf = terms.map((term) => idf(documents, (document) => scoredFields(document), term))
  const chunkIdf = terms.map((term) => idf(chunks, (chunk) => Object.values(chunk), term))
  const fileAverages = averages(documents, ["body", "doc", "names", "stem", "dirs"])
  const chunkAverages = averages(chunks, ["body", "doc", "names"])
  const answers = documents.map((document) => {
    const chunkHits = document.chunks.map((chunk, ordinal) => ({
      ordinal,
      score: bm25f(chunk, terms, chunkIdf, CHUNK_BM25, chunkAverages, quantised),
      body: mask(terms, chunk.body),
      doc: mask(terms, chunk.doc),
      names: mask(terms, chunk.names),
    }))
    const best = chunkHits.map(({ score }) => score).sort((a, b) => b - a)
    return {
      path: document.path,
      score: bm25f(document, terms, fileIdf, FILE_BM25, fileAverages, (length) => length),
      bestChunk: best[0] ?? 0,
      topChunks: TOP_CHUNK_WEIGHTS.reduce((sum, weight, i) => sum + weight * (best[i] ?? 0), 0),
      masks: {
        body: mask(terms, document.body),
        doc: mask(terms, document.doc),
        names: mask(terms, document.names),
        stem: mask(terms, document.stem),
        dirs: mask(terms, document.dirs),
        head: mask(terms, document.head),
      },
      stemWords: document.stem.words,
      dirWords: document.dirs.words,
      chunks: chunkHits.filter(({ score }) => score > 0),
    }
  })
  return { files: answers.filter(({ score }) => score > 0), fileIdf, chunkIdf }
}

/** How often each term occurs, and how many words there are. */
type Bag = { readonly counts: Map<bigint, number>; words: number }
type ChunkDocument = { readonly body: Bag; readonly doc: Bag; readonly names: Bag }
type FileDocument = ChunkDocument & {
  readonly path: string
  readonly stem: Bag
  readonly dirs: Bag
  readonly head: Bag
  readonly chunks: readonly ChunkDocument[]
}

function fileDocument(file: KeywordFile): FileDocument {
  const parts = file.path.split("/")
  const fileName = parts.pop()!
  const chunks = file.chunks.map((chunk) => ({
    body: bag(charactersOf(file, chunk.start, chunk.end, false)),
    doc: bag(charactersOf(file, chunk.start, chunk.end, true)),
    names: bag(chunk.symbols.map(({ name }) => name).join(" ")),
  }))
  const head = file.text.split("\n").slice(0, 30).join("\n").length
  return {
    path: file.path,
    stem: bag(fileName.slice(0, fileName.lastIndexOf("."))),
    dirs: bag(parts.join("/")),
    head: bag(charactersOf(file, 0, head, true)),
    body: sum(chunks.map((chunk) => chunk.body)),
    doc: sum(chunks.map((chunk) => chunk.doc)),
    names: sum(chunks.map((chunk) => chunk.names)),
    chunks,
  }
}

/**
 * The text of the range with comments blanked out, or with everything but comments blanked out if
 * `wantsComments`.
 */
function charactersOf(file: KeywordFile, start: number, end: number, wantsComments: boolean): string {
  let text = ""
  for (let at = start; at < end; at++) text += isComment(file, at) === wantsComments ? file.text[at] : " "
  return text
}

function isComment({ comments }: KeywordFile, at: number): boolean {
  for (let i = 0; i < comments.length; i += 2) if (comments[i]! <= at && at < comments[i + 1]!) return true
  return false
}

function bag(text: string): Bag {
  const terms = createTermBuffer()
  tokenize(text, 0, text.length, terms)
  const counts = new Map<bigint, number>()
  for (let i = 0; i < terms.count; i++) {
    const hash = (BigInt(terms.hi[i]!) << 32n) | BigInt(terms.lo[i]!)
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
  }
  return { counts, words: terms.words }
}

function sum(bags: readonly Bag[]): Bag {
  const counts = new Map<bigint, number>()
  for (const one of bags) for (const [hash, n] of one.counts) counts.set(hash, (counts.get(hash) ?? 0) + n)
  return { counts, words: bags.reduce((words, one) => words + one.words, 0) }
}

function scoredFields({ body, doc, names, stem, dirs }: FileDocument): Bag[] {
  return [body, doc, names, stem, dirs]
}

function idf<D>(documents: readonly D[], bagsOf: (document: D) => readonly Bag[], term: QueryTerm): number {
  const holding = documents.filter((document) => bagsOf(document).some((one) => frequency(one, term) > 0))
  return inverseDocumentFrequency(documents.length, holding.length)
}

function frequency({ counts }: Bag, term: QueryTerm): number {
  return term.variants.reduce((total, { hash, weight }) => total + weight * (counts.get(hash) ?? 0), 0)
}

function mask(terms: readonly QueryTerm[], one: Bag): number {
  return terms.reduce((bits, term, i) => (frequency(one, term) > 0 ? bits | (1 << i) : bits), 0)
}

function averages<F extends string>(
  documents: readonly Record<F, Bag>[],
  fields: readonly F[],
): Record<F, number> {
  const count = Math.max(1, documents.length)
  const entries = fields.map((field) => [
    field,
    documents.reduce((all, one) => all + one[field].words, 0) / count,
  ])
  return Object.fromEntries(entries) as Record<F, number>
}

const quantised = (length: number) => decodeLength(encodeLength(length))

function bm25f<F extends string>(
  document: Record<F, Bag>,
  terms: readonly QueryTerm[],
  idfs: readonly number[],
  { weights, b, k1 }: { weights: Record<F, number>; b: Record<F, number>; k1: number },
  average: Record<F, number>,
  lengthOf: (words: number) => number,
): number {
  return terms.reduce((score, term, i) => {
    const weighted = (Object.keys(weights) as F[]).reduce((all, field) => {
      const norm = lengthNorm(b[field], lengthOf(document[field].words), average[field])
      const found = frequency(document[field], term)
      return found === 0 ? all : all + weights[field] * found * norm
    }, 0)
    return score + idfs[i]! * (weighted / (k1 + weighted))
  }, 0)
}
