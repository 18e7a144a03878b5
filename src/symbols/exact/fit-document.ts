import type { ExactPlace } from "../../store/index/exact-places.ts"
import type { ScipDocument, ScipEncoding, ScipOccurrence } from "./read-scip.ts"

/**
 * Two minimum shares of a document's named occurrences: those whose text is a whole word, and those whose text is the
 * symbol's name. Below either, the indexer read another version of the file. The second share is lower, because an
 * import may rename a symbol.
 */
const MIN_WORDS = 0.9
const MIN_NAMES = 0.5
/** Column encodings in the order in which they are tried if the indexer does not state one. */
const ENCODINGS: readonly Exclude<ScipEncoding, 0>[] = [2, 1, 3]

/**
 * The occurrences of a document, located in the text of its file; null if the indexer read another version of the text.
 * Columns are counted in the encoding that the document states, else in the encoding that fits best.
 */
export function exactPlaces(document: ScipDocument, text: string): ExactPlace[] | null {
  const lines = text.split(/\r\n|[\r\n]/)
  const encodings = document.encoding === 0 ? ENCODINGS : [document.encoding]
  const read = encodings.map((encoding) => readWith(document.occurrences, lines, encoding))
  const best = read.reduce((one, other) => (other.names > one.names ? other : one))
  return best.words < MIN_WORDS || best.names < MIN_NAMES ? null : best.places
}

function readWith(
  occurrences: readonly ScipOccurrence[],
  lines: readonly string[],
  encoding: Exclude<ScipEncoding, 0>,
): { readonly places: ExactPlace[]; readonly words: number; readonly names: number } {
  const places: ExactPlace[] = []
  let named = 0
  let words = 0
  let names = 0
  for (const { symbol, roles, line, start, end } of occurrences) {
    const text = lines[line]
    const name = nameOfSymbol(symbol)
    if (name === null || end === start) continue
    named++
    // A range that spans several lines or lies outside the file cannot be a name.
    const word = text === undefined || end === null ? null : wordAt(text, start, end, encoding)
    if (word === null) continue
    words++
    if (word === name) names++
    places.push({ symbol, name, line: line + 1, roles })
  }
  const share = (count: number) => (named === 0 ? 1 : count / named)
  return { places, words: share(words), names: share(names) }
}

/**
 * The last name in a SCIP symbol: `run` of "npm . . `a.ts`/Shop#run()."; null for parameters, type parameters and
 * generated names such as `<constructor>`, which do not occur in code.
 */
export function nameOfSymbol(symbol: string): string | null {
  const last = /(?:`((?:[^`]|``)+)`|([\p{L}\p{N}_$+-]+))(?:\([^()]*\)\.|[#.!])$/u.exec(symbol)
  const name = last?.[1]?.replaceAll("``", "`") ?? last?.[2]
  return name !== undefined && isWord(name) ? name : null
}

function isWord(text: string): boolean {
  return /^[\p{L}\p{N}_$@#!?'-]+$/u.test(text)
}

/** The text between two columns; null if the columns are outside the line or do not enclose a whole word. */
function wordAt(text: string, start: number, end: number, encoding: Exclude<ScipEncoding, 0>): string | null {
  const [from, to] = /^[\0-\x7f]*$/.test(text)
    ? [start, end]
    : [unitsBefore(text, start, encoding), unitsBefore(text, end, encoding)]
  if (from < 0 || to < from || to > text.length) return null
  const word = text.slice(from, to)
  const isWhole = !/[\p{L}\p{N}_$]$/u.test(text.slice(0, from)) && !/^[\p{L}\p{N}_$]/u.test(text.slice(to))
  return isWhole && isWord(word) ? word : null
}

/** Number of UTF-16 units before a column; -1 if the column is not in the line or splits a character. */
function unitsBefore(text: string, column: number, encoding: Exclude<ScipEncoding, 0>): number {
  if (encoding === 2) return column > text.length ? -1 : column
  let [units, count] = [0, 0]
  for (const character of text) {
    if (count >= column) break
    count += encoding === 3 ? 1 : Buffer.byteLength(character)
    units += character.length
  }
  return count === column ? units : -1
}
