import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { bm25 } from "../../base/ranking.ts"
import type { ChunkHit } from "../../keyword/port.ts"
import { isDocument } from "../../text/documents/document-text.ts"
import { BLOCK_LINES, WordCounter, type WordCounts } from "../../text/terms/count-words.ts"
import type { Scale } from "../query/query-scale.ts"
import { asksForTests, type CandidateFile } from "../rank/features.ts"
import type { ReadChunks } from "./chunk-texts.ts"

/** Maximum number of files that are read. With twice as many, the results are not better. */
const MAX_FILES = 16
/**
 * Maximum number of chunks of a file that are compared. Comparing whole files takes longer, and the results are not
 * better.
 */
const MAX_CHUNKS = 4
/** Maximum number of characters that are read of the chunks of one file. */
const MAX_OF_FILE = 16_000

/** Maximum size in bytes of all these files together. Once it is reached, no further file is read. */
const MAX_BYTES = 2_000_000

// The mean number of words in two blocks.
const AVERAGE_WORDS = 4 * BLOCK_LINES

/**
 * BM25 scores of the query's words as they were typed, by file id. A file has the score of its best two neighbouring
 * blocks. Only the first MAX_FILES of the given candidates that are code or documents are scored. This is needed
 * because the index contains only the stems of words: "contributor" finds CONTRIBUTING and "listed" finds list, and in
 * a large project many other files contain these.
 */
export function exactWords(
  candidates: readonly CandidateFile[],
  scale: Scale,
  readChunks: ReadChunks,
  check?: () => void,
): ReadonlyMap<number, number> {
  const { words, scored } = scale.query
  const counter = new WordCounter(words.slice(0, scored))
  const read: { readonly candidate: CandidateFile; readonly counts: WordCounts }[] = []
  let left = MAX_BYTES
  for (const candidate of candidates.filter((each) => isReadable(each, scale)).slice(0, MAX_FILES)) {
    check?.()
    if (left <= 0) break
    left -= candidate.facts.size
    const texts = readChunks(candidate.hit, bestChunks(candidate))
    if (texts !== null) read.push({ candidate, counts: counter.in(texts.join("\n"), MAX_OF_FILE) })
  }
  const rarity = rarities(read, scale)
  return new Map(read.map(({ candidate, counts }) => [candidate.hit.id, bestWindow(counts, rarity)]))
}

/** A file's best chunks, in their order in the file. */
function bestChunks({ hit: { chunks } }: CandidateFile): ChunkHit[] {
  return chunks.slice(0, MAX_CHUNKS).sort((one, other) => one.ordinal - other.ordinal)
}

const NOT_WRITTEN_HERE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * True if the words of a file may be compared. False for data, generated files, and tests (unless the query asks for
 * tests), because they repeat all kinds of words; and for office documents and PDF files, whose text takes long to
 * extract.
 */
function isReadable({ hit, facts: { content, flags } }: CandidateFile, scale: Scale): boolean {
  const excludedFlags = asksForTests(scale) ? NOT_WRITTEN_HERE : NOT_WRITTEN_HERE | FILE_FLAG.test
  return content !== "data" && (flags & excludedFlags) === 0 && !isDocument(hit.path)
}

/**
 * Inverse document frequency of each word as it was typed: that of its stem, plus a part that is larger the fewer of the
 * read files with the stem contain the word in this form.
 */
function rarities(
  read: readonly { readonly candidate: CandidateFile; readonly counts: WordCounts }[],
  { query, answer }: Scale,
): Float64Array {
  return Float64Array.from({ length: query.scored }, (_, term) => {
    let [withStem, withWord] = [0, 0]
    for (const { candidate, counts } of read) {
      const { body, doc, names, stem, dirs } = candidate.hit.masks
      if (((body | doc | names | stem | dirs) >>> term) & 1) withStem++
      for (let at = term; at < counts.blocks.length; at += query.scored) {
        if (counts.blocks[at] === 0) continue
        withWord++
        break
      }
    }
    const weight = query.terms[term]!.weight ?? 1
    return Math.max(0, answer.fileIdf[term]! + weight * Math.log((withStem + 1) / (withWord + 0.5)))
  })
}

/** The highest score of any two blocks that follow each other. */
function bestWindow({ blocks, lengths }: WordCounts, rarity: Float64Array): number {
  let best = 0
  for (let block = 0; block < lengths.length; block++) {
    const length = lengths[block]! + (lengths[block + 1] ?? 0)
    let score = 0
    for (let term = 0; term < rarity.length; term++) {
      const at = block * rarity.length + term
      const count = blocks[at]! + (blocks[at + rarity.length] ?? 0)
      score += rarity[term]! * bm25(count, length / AVERAGE_WORDS)
    }
    best = Math.max(best, score)
  }
  return best
}
