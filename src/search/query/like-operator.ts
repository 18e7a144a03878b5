import { AmanError } from "../../base/errors.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { CHUNK_KEY_STRIDE } from "../../vector/port.ts"
import type { SearchSources } from "../sources.ts"
import type { ReadText } from "./phrases.ts"

/**
 * What to search for when similar code is wanted: the most distinctive words of a place in the code, and its vector.
 */
export type LikeTarget = {
  readonly fileId: number
  readonly ordinal: number
  readonly text: string
  /** Vector of the place; null if it is not computed yet. The search then uses the words only. */
  readonly vector: Float32Array | null
}

const CONTENT_WORDS = 16
/** Maximum number of characters read of a chunk; this many contain enough distinctive words. */
const MAX_CHARACTERS = 20_000

/** Reads the chunk at "path:line" or "path:first-last" as a search target. Throws if there is no text. */
export function likeTarget(sources: SearchSources, like: string, readText: ReadText): LikeTarget {
  const { path, line } = parsePlace(like)
  const { store } = sources
  const file = store.files.byPath(path)
  if (file === null) {
    throw new AmanError("NOT_FOUND", `no indexed file is named ${path}`, {
      hint: "give the path of a search result and a line: src/app.ts:12",
    })
  }
  if (line < 1 || line > Math.max(1, file.lines)) {
    throw new AmanError("USAGE", `${path} has ${file.lines} lines; line ${line} does not exist`)
  }
  const chunks = store.chunks.ofFile(file.id)
  const chunk = chunks.findLast(({ startLine }) => startLine <= line) ?? chunks[0]
  const lines = (readText(path) ?? "").split(/\r\n|\n|\r/u)
  const text = chunk === undefined ? "" : lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")
  if (chunk === undefined || text.trim() === "") {
    throw new AmanError("NOT_FOUND", `line ${line} of ${path} is empty`, { hint: "choose another line" })
  }
  return {
    fileId: file.id,
    ordinal: chunk.ordinal,
    text: contentWords(sources, text.slice(0, MAX_CHARACTERS)).join(" "),
    vector: sources.vectors?.get(file.id * CHUNK_KEY_STRIDE + chunk.ordinal) ?? null,
  }
}

export function parsePlace(like: string): { path: string; line: number } {
  const found = /^(.+?)(?::|#L)(\d{1,9})(?:-L?\d+|:\d+)?$/u.exec(like.trim())
  if (found === null) {
    throw new AmanError("USAGE", `${JSON.stringify(like)} is not a place in a file`, {
      hint: "write path:line, for example src/app.ts:12",
    })
  }
  return { path: found[1]!.replaceAll("\\", "/").replace(/^(?:\.?\/)+/u, ""), line: Number(found[2]) }
}

/**
 * The words that are most frequent in a text and rare elsewhere in the project. A word that occurs nowhere else is left
 * out.
 */
function contentWords({ keyword, store }: SearchSources, text: string): string[] {
  const { chunks, files } = store.files.totals()
  const weights = new Map<string, number>()
  for (const word of text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []) {
    for (const { word: part, stem } of queryTerms(word)) {
      if (part.length < 3 || /^\d+$/u.test(part)) continue
      const hash = hashTerm(stem)
      const elsewhere = keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) - 1
      const rarity = elsewhere > 0 ? Math.log(1 + (chunks + files) / elsewhere) : 0
      // The weight of a word is its rarity × √(number of its occurrences in the text).
      const before = (weights.get(part) ?? 0) / (rarity || 1)
      weights.set(part, rarity * Math.sqrt(before * before + 1))
    }
  }
  const byWeight = [...weights].filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1])
  return byWeight.slice(0, CONTENT_WORDS).map(([word]) => word)
}
