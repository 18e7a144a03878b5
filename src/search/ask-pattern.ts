/*
 * Answers a query that has the form of a grep pattern (query/grep-pattern.ts). Each alternative is searched twice: among
 * the files that match the pattern, and by its words. The lists are merged by rank: definitions that match, other
 * definitions of the name, files that match, files that only share words.
 */

import { AmanError } from "../base/errors.ts"
import { lastName } from "../store/fold-name.ts"
import type { Store } from "../store/index/store.ts"
import { isDocument } from "../text/documents/document-text.ts"
import { matchingLines } from "./patterns/matching-lines.ts"
import { type TextPattern, textPattern } from "./patterns/text-pattern.ts"
import { type GrepPattern, type PatternAlternative, readPattern } from "./query/grep-pattern.ts"
import type { PhraseCheck, ReadText } from "./query/phrases.ts"
import type { FoundFile, RankedFiles } from "./search.ts"

/** The pattern of a query; null if the query has none, or is `class X` where nothing of this kind has the name. */
export function patternIn(store: Store, text: string): GrepPattern | null {
  const pattern = readPattern(text)
  if (pattern === null || pattern.hasSyntax) return pattern
  return pattern.alternatives.every(({ name }) => name !== null && isDefined(store, name)) ? pattern : null
}

function isDefined(store: Store, name: string): boolean {
  return store.symbols
    .findByFolded(name)
    .some((row) => DEFINED_KINDS.has(row.kind) && lastName(row.name) === name)
}

const DEFINED_KINDS: ReadonlySet<string> = new Set(
  "function method class interface struct enum trait type module macro component constant".split(" "),
)

/** Searches for a text, and only among the files that `check` accepts and that contain the identifiers. */
export type FindText<Found> = (
  text: string,
  limit: number,
  among?: { readonly check: PhraseCheck; readonly identifiers: readonly string[] },
) => Promise<Found>

/**
 * The files of each alternative's two searches, merged by rank. `readText` reads the files that are tested against the
 * pattern; the characters that are tested are limited.
 */
export async function findByPattern<Found extends RankedFiles>(
  store: Store,
  pattern: GrepPattern,
  page: { readonly offset: number; readonly limit: number },
  readText: ReadText,
  find: FindText<Found>,
): Promise<Found> {
  const compiled = await compiledPattern(pattern)
  const end = page.offset + page.limit
  const check = compiled === null ? null : new PatternCheck(store, compiled, readText)
  const groups: FoundFile[][][] = [[], [], [], []]
  const answers: Found[] = []
  for (const alternative of pattern.alternatives) {
    const { text, identifiers } = alternative
    const matching = check === null ? null : await find(text, end + 1, { check: check.accept, identifiers })
    const byWords = await find(text, end + 1)
    for (const [at, files] of grouped(alternative, matching?.files ?? [], byWords.files).entries())
      groups[at]!.push(files)
    answers.push(...(matching === null ? [] : [matching]), byWords)
  }
  const merged = [...new Map(groups.flatMap(interleaved).map((file) => [file.id, file])).values()]
  const files = merged
    .map((file, at) => placed(file, at, check?.linesOf(file.id) ?? []))
    .slice(page.offset, end)
  const first = answers.find(({ isEmpty }) => !isEmpty) ?? answers[0]!
  return {
    ...first,
    files,
    hasMatch: answers.some(({ hasMatch }) => hasMatch),
    hasMore: merged.length > end,
    isEmpty: merged.length === 0,
    isByFeatures: false,
    liftsPage: false,
  }
}

/** The compiled pattern; null if it is no valid regular expression, so that only its words count. */
async function compiledPattern({ regex }: GrepPattern): Promise<TextPattern | null> {
  try {
    return await textPattern({ pattern: regex, mode: "regex", ignoreCase: false, wholeWord: false })
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}

/** Maximum number of characters that are tested, for a small pattern; fewer for a large one. */
const MAX_CHARACTERS = 8_000_000
/** Maximum number of blocks (`TextPattern.block`) that are tested: 3·10⁸ steps. */
const MAX_BLOCKS = 150
/** Maximum number of files that are read. */
const MAX_READ = 400
/** Maximum number of matching lines of a file whose chunks may be shown. */
const MAX_LINES = 20

/** Tests files against a pattern, each once. Accepts no further file once the limits are reached. */
class PatternCheck {
  readonly #store: Store
  readonly #pattern: TextPattern
  readonly #readText: ReadText
  /** Matching lines by file id. */
  readonly #lines = new Map<number, readonly number[]>()
  #left: number

  constructor(store: Store, pattern: TextPattern, readText: ReadText) {
    this.#store = store
    this.#pattern = pattern
    this.#readText = readText
    this.#left = Math.min(MAX_CHARACTERS, pattern.block * MAX_BLOCKS)
  }

  /** The chunks of a file that have a line which matches; null if no line does. */
  readonly accept: PhraseCheck = (fileId, path) => {
    if (!this.#lines.has(fileId)) this.#lines.set(fileId, this.#matching(path))
    const matching = this.linesOf(fileId)
    if (matching.length === 0) return null
    const chunks = this.#store.chunks.ofFile(fileId)
    const holding = chunks.filter(({ startLine, endLine }) =>
      matching.some((line) => line >= startLine && line <= endLine),
    )
    return new Set((holding.length > 0 ? holding : chunks).map(({ ordinal }) => ordinal))
  }

  linesOf(fileId: number): readonly number[] {
    return this.#lines.get(fileId) ?? []
  }

  #matching(path: string): readonly number[] {
    if (this.#left <= 0 || this.#lines.size >= MAX_READ || isDocument(path)) return []
    const text = this.#readText(path)?.slice(0, this.#left) ?? ""
    this.#left -= text.length
    const { lines } = matchingLines(text, this.#pattern, LINE_OPTIONS)
    return lines().map(({ line }) => line)
  }
}

const LINE_OPTIONS = {
  ...{ invert: false, before: 0, after: 0, withSpans: false, maxCount: MAX_LINES },
  isOver: () => false,
}

/** The files of one alternative in the four groups, each in the order of its rank. */
function grouped(
  { name }: PatternAlternative,
  matching: readonly FoundFile[],
  byWords: readonly FoundFile[],
): FoundFile[][] {
  const ids = new Set(matching.map(({ id }) => id))
  const others = byWords.filter(({ id }) => !ids.has(id))
  if (name === null) return [[...matching], [], [], others]
  const isDefining = ({ ranked }: FoundFile) => ranked.candidate.exact > 0
  const [definitions, uses] = split(matching, isDefining)
  const [otherDefinitions, rest] = split(others, isDefining)
  return [definitions, otherDefinitions, uses, rest]
}

function split(files: readonly FoundFile[], is: (file: FoundFile) => boolean): [FoundFile[], FoundFile[]] {
  return [files.filter(is), files.filter((file) => !is(file))]
}

/** The first of each list, then the second of each, and so on. */
function interleaved(lists: readonly (readonly FoundFile[])[]): FoundFile[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}

/** How much less likely than the one before it a file of the merged list is taken to be. */
const STEP = 0.1

/** The file at a position of the merged list, whose sum and score follow the position alone. */
function placed(file: FoundFile, at: number, matchingLines: readonly number[]): FoundFile {
  const sum = -at * STEP
  const { places: _, ...rest } = Object.getOwnPropertyDescriptors(file)
  const copy = Object.defineProperties({}, rest) as Omit<FoundFile, "places">
  const get = {
    get places() {
      return file.places
    },
  }
  return Object.assign(get, copy, { matchingLines, score: Math.exp(sum), ranked: { ...file.ranked, sum } })
}
