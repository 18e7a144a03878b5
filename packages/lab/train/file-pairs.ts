import { firstNot } from "../../../src/base/index.ts"
import type { CodeSymbol, ParsedFile } from "../../../src/parse/index.ts"
import { bagOf, bagOfStretches, type Stretch, sizeOf } from "./bag.ts"
import type { Pair } from "./pair.ts"

const MAX_LINES = 45
const BODY_WORDS = 160
const HEAD_LINES = 40
const LICENCE = /licen[cs]e|copyright/iu
const TEST_TITLE =
  /\b(?:it|test|describe|should|scenario|context|specify|it_behaves_like|TEST_CASE|@test)\b[\s(]*["'`]([^"'`]{8,120})["'`]/u

/**
 * Max pairs of a file: hundreds of similar definitions (getters, cases) would teach the same again and again.
 */
const MAX_OF_FILE = 60

/** Pairs of the comments and names in a file and the code that they describe. */
export function codePairs(path: string, parsed: ParsedFile, random: () => number): Pair[] {
  const source = new Source(parsed)
  const symbols = parsed.chunks.flatMap((chunk) => chunk.symbols)
  const place = placeOf(path)
  const pairs = symbols.slice(0, MAX_OF_FILE).flatMap((symbol) => symbolPairs(symbol, source, place, random))
  const names = bagOf(
    symbols.map((symbol) => symbol.name),
    120,
  )
  const head = source.headComment()
  if (sizeOf(head) >= 6 && symbols.length >= 3)
    pairs.push({ kind: "head comment → names", left: head, right: names })
  if (sizeOf(names) >= 6) pairs.push({ kind: "path → names", left: bagOf([place], 8), right: names })
  return [...pairs, ...titlePairs(source)]
}

/** The part of a path that describes the file: the last folders and the name without extension. */
export function placeOf(path: string): string {
  return path
    .replace(/\.[^./]+$/u, "")
    .split("/")
    .slice(-3)
    .join(" ")
}

function symbolPairs(symbol: CodeSymbol, source: Source, place: string, random: () => number): Pair[] {
  const pairs: Pair[] = []
  const signature = symbol.signature
  const body = source.code(symbol.startLine + 1, Math.min(symbol.endLine, symbol.startLine + MAX_LINES))
  const doc = bagOf([symbol.doc ?? ""], 60)
  if (sizeOf(doc) >= 4) {
    const right = bagOfStretches(source.text, body, BODY_WORDS, signature)
    if (sizeOf(right) >= 6) pairs.push({ kind: "doc → body", left: doc, right })
    pairs.push({ kind: "doc → name and path", left: doc, right: bagOf([symbol.name, place], 20) })
  }
  const isTaken = random() < 0.6
  const withPlace = random() < 0.4
  const alone = bagOfStretches(source.text, body, BODY_WORDS)
  if (isTaken && sizeOf(alone) >= 10) {
    const left = bagOf(withPlace ? [symbol.name, place] : [symbol.name], 12)
    if (left.size > 0) pairs.push({ kind: "name → body", left, right: alone })
  }
  return pairs
}

/** Pairs of a test's title and the code of the test. */
function titlePairs(source: Source): Pair[] {
  const pairs: Pair[] = []
  for (let line = 1; line <= source.lines && pairs.length < MAX_OF_FILE; line++) {
    const title = TEST_TITLE.exec(source.line(line))?.[1]
    if (title === undefined) continue
    const left = bagOf([title], 24)
    const right = bagOfStretches(source.text, source.code(line + 1, line + 20), 100)
    if (sizeOf(left) >= 3 && sizeOf(right) >= 10) pairs.push({ kind: "test title → body", left, right })
  }
  return pairs
}

/** A text by lines, and the parts of it that are no comments. */
class Source {
  readonly text: string
  readonly #comments: Uint32Array
  readonly #starts: number[] = [0]

  constructor(parsed: ParsedFile) {
    this.text = parsed.text
    this.#comments = parsed.comments
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1))
      this.#starts.push(at + 1)
  }

  get lines(): number {
    return this.#starts.length
  }

  line(line: number): string {
    return this.text.slice(this.#starts[line - 1], Math.min(this.#end(line), this.#starts[line - 1]! + 200))
  }

  /** The parts of these lines that are no comments; lines are 1-based and inclusive. */
  code(from: number, to: number): Stretch[] {
    if (from > to || from > this.lines) return []
    const end = this.#end(Math.min(to, this.lines))
    const stretches: Stretch[] = []
    let at = this.#starts[from - 1]!
    for (let i = this.#after(at); i < this.#comments.length && this.#comments[i]! < end; i += 2) {
      if (this.#comments[i]! > at) stretches.push([at, this.#comments[i]!])
      at = Math.max(at, this.#comments[i + 1]!)
    }
    if (at < end) stretches.push([at, end])
    return stretches
  }

  /** Words of the comments in the first lines; none if they are a licence. */
  headComment() {
    const end = this.#end(Math.min(HEAD_LINES, this.lines))
    const stretches: Stretch[] = []
    for (let i = 0; i < this.#comments.length && this.#comments[i]! < end; i += 2)
      stretches.push([this.#comments[i]!, this.#comments[i + 1]!])
    const isLicence = stretches.some(([from, to]) => LICENCE.test(this.text.slice(from, to)))
    return bagOfStretches(this.text, isLicence ? [] : stretches, 50)
  }

  #end(line: number): number {
    return this.#starts[line] ?? this.text.length
  }

  /** Index of the first comment that ends after an offset. */
  #after(offset: number): number {
    return 2 * firstNot(0, this.#comments.length / 2, (i) => this.#comments[i * 2 + 1]! <= offset)
  }
}
