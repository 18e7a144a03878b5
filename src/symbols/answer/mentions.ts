/*
 * Finds the names that occur as text, because something may use a name that occurs in a string, in a file whose uses are
 * not read, or in code that the parser did not understand.
 */

import { FILE_FLAG, firstNot } from "../../base/index.ts"
import { familyOf, rowAt, TEMPLATE_LANGUAGES, type TextLines, textLines } from "../../parse/index.ts"
import type { FileAmount } from "../../store/index.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { OutsideCaller } from "../outside-callers.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

/** Maximum number of characters of all files that are searched for the names. */
const MAX_TEXT_CHARS = 64_000_000

/** Maximum number of lines from the first line of a definition to its name. */
const MAX_HEAD_LINES = 12

export type Mentions = {
  /** Where the name of the definition, or of the type it belongs to, occurs as text; null if nowhere. */
  readonly reasonFor: (definition: SymbolDefinition) => OutsideCaller | null
  /** False if the project is too large, so that not every text was searched. */
  readonly isComplete: boolean
}

/**
 * Finds the names that occur as text: anywhere in files whose uses are not read and in type declarations, in strings of
 * the other files, and in code that is neither a recorded use nor a definition.
 */
export function mentionsOf(
  definitions: readonly SymbolDefinition[],
  files: readonly FileAmount[],
  graph: SymbolGraph,
  read: (path: string) => string | null,
): Mentions {
  const spellings = new Map<string, Set<string>>()
  for (const { symbol } of definitions) {
    const name = comparedName(symbol.name)
    spellings.set(name, (spellings.get(name) ?? new Set()).add(symbol.name))
  }
  const owners = new Set(definitions.flatMap(({ symbol }) => symbol.owner ?? [])).difference(
    new Set(spellings.keys()),
  )
  // A macro before a name reads as a type or a variable, where a parser does not know it.
  const macros = new Set(definitions.flatMap(({ symbol }) => (symbol.kind === "macro" ? [symbol.name] : [])))
  const words = new WordFinder([...spellings.keys(), ...owners])
  const isDefinedAt = (word: string, path: string, line: number) =>
    [...(spellings.get(word) ?? [])].some((name) =>
      graph
        .definitionsOf(name)
        .some(
          ({ symbol, file }) =>
            file.path === path &&
            (symbol.kind === "macro" || !macros.has(name)) &&
            line >= symbol.startLine &&
            line <= Math.min(symbol.endLine, symbol.startLine + MAX_HEAD_LINES),
        ),
    )
  const withUses = new Set(graph.store.uses.ids())
  const named: NamedWords = { owners, asText: new Set(), asPath: new Set(), inCode: new Set() }
  let left = definitions.length === 0 ? 0 : MAX_TEXT_CHARS
  let isComplete = true
  for (const { id, path, content, language, flags } of files) {
    const isCode =
      withUses.has(id) && !TEMPLATE_LANGUAGES.has(language) && (flags & FILE_FLAG.declaration) === 0
    if (content === "docs" && !withUses.has(id)) continue
    if (left <= 0) {
      isComplete = definitions.length === 0
      break
    }
    const text = read(path)
    if (text === null) continue
    left -= text.length
    const file: SearchedFile = { text, path, isCode, places: new TextPlaces(text, familyOf(language)) }
    words.each(text, (word, start) => noteWord(word, start, file, named, isDefinedAt))
  }
  return { reasonFor: (definition) => reasonAmong(definition, named), isComplete }
}

/**
 * Words that occur in a string or in a file whose uses are not read; as the last part of a dotted name in a string or a
 * configuration file; in code.
 */
type NamedWords = {
  /** Types that are not among the definitions; only dotted names of them count. */
  readonly owners: ReadonlySet<string>
  readonly asText: Set<string>
  readonly asPath: Set<string>
  readonly inCode: Set<string>
}

type SearchedFile = {
  readonly text: string
  readonly path: string
  readonly isCode: boolean
  readonly places: TextPlaces
}

function noteWord(
  word: string,
  start: number,
  { text, path, isCode, places }: SearchedFile,
  { owners, asText, asPath, inCode }: NamedWords,
  isDefinedAt: (word: string, path: string, line: number) => boolean,
): void {
  const isAfterMark = PATH_MARK.test(text[start - 1] ?? "")
  if (!isAfterMark && owners.has(word)) return
  const end = start + word.length
  if (!isCode || places.isInString(start, end)) {
    asText.add(word)
    if (isAfterMark && (isCode || CONFIGURATION.test(path))) asPath.add(word)
  } else if (!inCode.has(word) && !places.isInComment(start)) {
    if (!isDefinedAt(word, path, places.lineAt(start))) inCode.add(word)
  }
}

const PATH_MARK = /[.\\:]/
const CONFIGURATION = /\.(?:xml|ya?ml|json|toml|properties|conf|cfg|ini|neon)$/

function reasonAmong(
  definition: SymbolDefinition,
  { asText, asPath, inCode }: NamedWords,
): OutsideCaller | null {
  const { owner } = definition.symbol
  const name = comparedName(definition.symbol.name)
  if (asText.has(name) || (owner !== null && asPath.has(owner)))
    return "named in a string, a template or a configuration file"
  return inCode.has(name) ? "named in code that is not understood" : null
}

/** The name without the signs that belong to no word. */
function comparedName(name: string): string {
  return name.replace(/^(?:r#|[#~])|[!?=]$/g, "")
}

/**
 * Finds words of a set in texts. Most other words are excluded by a key of their length, first and last letter,
 * without being copied from the text.
 */
class WordFinder {
  readonly #words: ReadonlySet<string>
  readonly #keys: ReadonlySet<number>

  constructor(words: readonly string[]) {
    this.#words = new Set(words)
    this.#keys = new Set(words.map((word) => wordKey(word, 0, word.length)))
  }

  each(text: string, found: (word: string, start: number) => void): void {
    let start = -1
    for (let at = 0; at <= text.length; at++) {
      const isWord = at < text.length && isWordCode(text.charCodeAt(at))
      if (isWord && start < 0) start = at
      if (isWord || start < 0) continue
      if (this.#holds(text, start, at)) found(text.slice(start, at), start)
      start = -1
    }
  }

  #holds(text: string, start: number, end: number): boolean {
    return this.#keys.has(wordKey(text, start, end)) && this.#words.has(text.slice(start, end))
  }
}

function wordKey(text: string, start: number, end: number): number {
  return (
    (((end - start) & 0xff) << 16) |
    ((text.charCodeAt(start) & 0xff) << 8) |
    (text.charCodeAt(end - 1) & 0xff)
  )
}

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code > 127
  )
}

const MAX_LINE_CHARS = 500

const OPEN_QUOTE = /["'`][^"'`]*$/
const COMMENT = /(?:^|\s)(?:\/\/|#(?!\[)|\/\*|--|;;)|^\s*\*/

/** Part of a text from the offset `from` up to `to`. */
type Range = { readonly from: number; readonly to: number }

/** Tells what stands at places of a source text. Lines and comments are found once for all places. */
export class TextPlaces {
  readonly #text: string
  readonly #family: string
  #lines: TextLines | null = null
  #comments: readonly Range[] | null = null

  constructor(text: string, family: string) {
    this.#text = text
    this.#family = family
  }

  /** Line number of the place, counted from 1. */
  lineAt(offset: number): number {
    this.#lines ??= textLines(this.#text)
    return rowAt(this.#lines, offset) + 1
  }

  /** True for a word in quotes, unless a comment begins before it on its line. */
  isInString(start: number, end: number): boolean {
    const before = this.#lineBefore(start)
    if (!OPEN_QUOTE.test(before) || COMMENT.test(before)) return false
    const [after = ""] = this.#text.slice(end, end + MAX_LINE_CHARS).split("\n", 1)
    return /["'`]/.test(after)
  }

  /** True for a place in a comment, or in a text of several lines that documents Python code. */
  isInComment(start: number): boolean {
    if (COMMENT.test(this.#lineBefore(start))) return true
    this.#comments ??= this.#family === "python" ? documentation(this.#text) : blockComments(this.#text)
    return isInRange(this.#comments, start)
  }

  #lineBefore(start: number): string {
    const before = this.#text.slice(Math.max(0, start - MAX_LINE_CHARS), start)
    return before.slice(before.lastIndexOf("\n") + 1)
  }
}

/** True if one of the ascending ranges contains the offset. */
function isInRange(ranges: readonly Range[], offset: number): boolean {
  const range = ranges[firstNot(0, ranges.length, (i) => ranges[i]!.to <= offset)]
  return range !== undefined && range.from <= offset
}

function blockComments(text: string): Range[] {
  const comments: Range[] = []
  for (let from = text.indexOf("/*"); from >= 0; ) {
    const close = text.indexOf("*/", from + 2)
    const to = close < 0 ? text.length : close
    comments.push({ from, to })
    from = text.indexOf("/*", to + 2)
  }
  return comments
}

/** The texts in three quotes with which a line begins. */
function documentation(text: string): Range[] {
  const texts: Range[] = []
  let open: { readonly at: number; readonly quotes: string } | null = null
  for (const { 0: quotes, index } of text.matchAll(/"""|'''/g)) {
    if (open === null) open = { at: index, quotes }
    else if (open.quotes === quotes) {
      if (beginsLine(text, open.at)) texts.push({ from: open.at, to: index })
      open = null
    }
  }
  if (open !== null && beginsLine(text, open.at)) texts.push({ from: open.at, to: text.length })
  return texts
}

function beginsLine(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*[rRuU]?$/.test(text.slice(Math.max(0, at - MAX_LINE_CHARS), at))
}
