import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { isDocument } from "../../text/documents/document-text.ts"
import { lineRange } from "../../text/files/decode-lines.ts"
import { BLOCK_LINES, WordCounter, type WordCounts } from "../../text/terms/count-words.ts"
import type { ReadText } from "../query/phrases.ts"
import type { Scale } from "../query/query-scale.ts"
import { asksForTests, type CandidateFile } from "../rank/features.ts"

/** Number of files that are read; with twice as many results are not better. */
const MAX_FILES = 16
/** Number of chunks of a file that are compared. Whole files take longer, and results are not better. */
const MAX_CHUNKS = 4
/** Max characters of these chunks. */
const MAX_OF_FILE = 16_000
/** Max characters of all files together; no further file is read after it. */
const MAX_CHARACTERS = 2_000_000

// BM25's usual constants, and the average number of words in two blocks.
const K1 = 1.2
const B = 0.75
const AVERAGE_WORDS = 4 * BLOCK_LINES

/**
 * BM25 of the query's words as typed in the best two neighbouring blocks of a file, by file id, for the first MAX_FILES
 * of the given candidates that are code or pages. The index knows words by their stems only, so that "contributor" finds
 * CONTRIBUTING and "listed" finds list; in a large project many other files contain these.
 */
export function exactWords(
  candidates: readonly CandidateFile[],
  scale: Scale,
  readText: ReadText,
  check?: () => void,
): ReadonlyMap<number, number> {
  const { words, scored } = scale.query
  const counter = new WordCounter(words.slice(0, scored))
  const read: { readonly candidate: CandidateFile; readonly counts: WordCounts }[] = []
  let left = MAX_CHARACTERS
  for (const candidate of candidates.filter((each) => isReadable(each, scale)).slice(0, MAX_FILES)) {
    check?.()
    const text = left > 0 ? readText(candidate.hit.path) : null
    if (text === null) continue
    left -= text.length
    read.push({ candidate, counts: counter.in(bestChunks(text, candidate), MAX_OF_FILE) })
  }
  const rarity = rarities(read, scale)
  return new Map(read.map(({ candidate, counts }) => [candidate.hit.id, bestWindow(counts, rarity)]))
}

/** The text of a file's best chunks, in their order in the file. */
function bestChunks(text: string, { hit: { chunks } }: CandidateFile): string {
  return chunks
    .slice(0, MAX_CHUNKS)
    .sort((one, other) => one.ordinal - other.ordinal)
    .map(({ startLine, endLine }) => lineRange(text, startLine, endLine))
    .join("\n")
}

const NOT_WRITTEN_HERE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * False for data, generated files, and tests unless the query asks for them, because they repeat words of everything;
 * and for documents of office programs and PDF, whose text takes long to extract.
 */
function isReadable({ hit, facts: { content, flags } }: CandidateFile, scale: Scale): boolean {
  const others = asksForTests(scale) ? NOT_WRITTEN_HERE : NOT_WRITTEN_HERE | FILE_FLAG.test
  return content !== "data" && (flags & others) === 0 && !isDocument(hit.path)
}

/**
 * Inverse document frequency of each word as typed: that of its stem, plus what the files read say about how many of
 * the files with the stem have the word.
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

/** The highest score of two blocks that follow each other. */
function bestWindow({ blocks, lengths }: WordCounts, rarity: Float64Array): number {
  let best = 0
  for (let block = 0; block < lengths.length; block++) {
    const length = lengths[block]! + (lengths[block + 1] ?? 0)
    const norm = K1 * (1 - B + (B * length) / AVERAGE_WORDS)
    let score = 0
    for (let term = 0; term < rarity.length; term++) {
      const at = block * rarity.length + term
      const count = blocks[at]! + (blocks[at + rarity.length] ?? 0)
      score += (rarity[term]! * count * (K1 + 1)) / (count + norm)
    }
    best = Math.max(best, score)
  }
  return best
}
