/*
 * Reads a query in the form that people and agents give to grep: `class Foo\b|def bar|_baz`, `^\s*def`, `foo\.bar\(`.
 * `readPattern` separates the alternatives, takes escapes and classes as syntax and not as words, and recognises the
 * look-up of a definition (`def X`, `class X`, `type X =`) and literal code of a word and an operator (`VERSION =`).
 */

import { words } from "../../text/index.ts"

export type GrepPattern = {
  /** The pattern as a regular expression in RE2's syntax; it may be invalid. */
  readonly regex: string
  readonly alternatives: readonly PatternAlternative[]
  /** The words of all alternatives, without syntax. */
  readonly text: string
  /** True if the query has the syntax of regular expressions or an operator; false for plain words such as `class Foo`. */
  readonly hasSyntax: boolean
}

export type PatternAlternative = {
  /** The words to search for; of a definition only its name. */
  readonly text: string
  /** The name whose definition is looked up; null if the alternative is no definition. */
  readonly name: string | null
  /** Identifiers that every line with a match contains as a whole. */
  readonly identifiers: readonly string[]
}

/** Maximum number of characters and of words of a pattern: a longer query is prose that quotes one. */
const MAX_CHARACTERS = 500
/** Maximum number of alternatives that are searched for, because each takes two searches. */
const MAX_ALTERNATIVES = 6

/** Reads a query as a pattern; null if it does not look like one. The last result is kept. */
export function readPattern(query: string): GrepPattern | null {
  if (last?.query !== query) last = { query, pattern: read(query.trim()) }
  return last.pattern
}

let last: { readonly query: string; readonly pattern: GrepPattern | null } | null = null

/** The query without the syntax of a pattern. */
export function withoutSyntax(query: string): string {
  return readPattern(query)?.text ?? query
}

function read(query: string): GrepPattern | null {
  if (query.length > MAX_CHARACTERS || /[\n\r"]/.test(query)) return null
  const hasSyntax = SYNTAX.test(query) && !isProse(query)
  const isDefinition = PLAIN_DEFINITION.test(query)
  if (!hasSyntax && !isDefinition && !LITERAL.test(query)) return null
  const regex = hasSyntax ? withAlternation(query) : literalPattern(query)
  const texts = hasSyntax ? expansions(regex) : [query]
  const alternatives = [...new Map(texts.flatMap(alternativeOf).map((each) => [each.text, each])).values()]
  if (alternatives.length === 0) return null
  const text = alternatives.map((each) => each.text).join(" ")
  return {
    regex,
    alternatives: alternatives.slice(0, MAX_ALTERNATIVES),
    text,
    hasSyntax: hasSyntax || !isDefinition,
  }
}

// In order: class and boundary escapes, except in names such as App\Shop; escaped punctuation; `.*`; an anchor; words
// separated by a bar without blanks; a repeated class or group.
const SYNTAX =
  /(?<![\w\\])\\[bsdw](?![a-z]*\\)|\\[bBsSdDwW](?=$|[^\w\\]|\\)|(?<!\w)\\[SDWB](?![A-Za-z])|\\[.()[\]{}|*+?^$<>/]|[\w)\].]\.[*+]|^\.[*+]|\.[*+]\??[\w\\(]|(?<=\S\s)\.[*+](?=\s\S)|^\^(?:\\|\w|\()|[\w)*]\|[\w(^\\]|\][*+?]|\)[*+?](?:\w|$|\s)|\(\?[:i]/

/** Matches a keyword and a name, as in code: `class Foo`, `def bar(`, `type X =`. */
const PLAIN_DEFINITION =
  /^(?:def|class|func|fn|function|type|struct|interface|trait|enum|module|defmodule|defp|protocol|object|record|const)\s+[\p{L}_$][\p{L}\p{N}_$]*\s*(?:[=({:<].{0,2})?$/u

/** Matches a word with an operator that prose does not have: `VERSION =`, `debug = true`, `a ?? b`, `@cached`. */
const LITERAL =
  /^[\p{L}\p{N}_$.'"[\]-]*[\p{L}_][\p{L}\p{N}_$.'"[\]-]*\s*(?:[-:+*/%|&^!<>?=]?={1,3}>?|\?\?|<-)(?:\s*\S+(?:\s+\S+){0,2})?$|^@[\p{L}_][\p{L}\p{N}_.]*$/u

/** The pattern of literal code; blanks beside an operator do not matter, and a word at an end is a whole word. */
function literalPattern(code: string): string {
  const tokens = code.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu) ?? []
  const escaped = tokens.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
  const isWord = (token = "") => /^[\p{L}\p{N}_]/u.test(token)
  const joined = escaped.reduce(
    (all, token, at) => all + (isWord(tokens[at]) && isWord(tokens[at - 1]) ? "\\s+" : "\\s*") + token,
  )
  const start = isWord(tokens[0]) ? "\\b" : ""
  const last = tokens.at(-1)!
  // An assignment is no comparison.
  return start + joined + (last === "=" ? "(?:[^=]|$)" : isWord(last) ? "\\b" : "")
}

function isProse(query: string): boolean {
  if (query.split(/\s+/u).length > 12) return true
  return /^(?:how|what|where|which|who|when|why|is|are|does|do|can|could)\s/i.test(query)
}

/** The pattern with the alternation of basic regular expressions (`a\|b`) as one of extended ones. */
function withAlternation(query: string): string {
  return query.replace(/(?<=[^\s|])\\\|(?=[^\s\\|])/g, "|")
}

/**
 * Stands for text that a pattern leaves open; the word beside it may be a part of a longer one. A blank stands for text
 * that has no word characters.
 */
const OPEN = "\u0001"

/** The texts that a pattern asks for, one for each of its alternatives, at most MAX_EXPANSIONS. */
function expansions(regex: string): string[] {
  return new PatternReader(regex).all()
}

const MAX_EXPANSIONS = 24

/** Reads a pattern from left to right. Recursion is bounded, because a pattern has at most MAX_CHARACTERS. */
class PatternReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  all(): string[] {
    const texts: string[] = []
    while (this.#at < this.#pattern.length) {
      texts.push(...this.#choices())
      // A closing bracket without an opening one is plain text.
      this.#at++
    }
    return texts
  }

  /** The texts of alternatives up to the end of the group. */
  #choices(): string[] {
    const done: string[] = []
    let open = [""]
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ")") {
      if (this.#pattern[this.#at] === "|") {
        this.#at++
        done.push(...open)
        open = [""]
        continue
      }
      const piece = this.#quantified(this.#atom())
      open = open.flatMap((text) => piece.map((each) => text + each)).slice(0, MAX_EXPANSIONS)
    }
    return [...done, ...open].slice(0, MAX_EXPANSIONS)
  }

  #atom(): string[] {
    const character = this.#pattern[this.#at++]!
    if (character === "\\") return [this.#escape()]
    if (character === "[") return [this.#characterClass()]
    if (character === "(") return this.#group()
    if (character === ".") return [OPEN]
    return [character === "^" || character === "$" ? " " : character]
  }

  #escape(): string {
    const escaped = this.#pattern[this.#at++] ?? ""
    if (/[bB<>AzZ]/.test(escaped)) return ""
    if (/[sWtnrvf]/.test(escaped)) return " "
    return /[wdSD]/.test(escaped) ? OPEN : escaped
  }

  #characterClass(): string {
    const found = /^\^?\]?(?:\\.|[^\]\\])*\]/.exec(this.#pattern.slice(this.#at))
    if (found === null) return "["
    this.#at += found[0].length
    return /^\^|\\[wdSD]|[\p{L}\p{N}]/u.test(found[0].replace(/\\[sWtnrvf]/g, "")) ? OPEN : " "
  }

  #group(): string[] {
    const opening = /^\?(?:P?<\w+>|[a-z-]*:|(<?[=!]))/i.exec(this.#pattern.slice(this.#at))
    const flags = /^\?[a-z-]+\)/i.exec(this.#pattern.slice(this.#at))
    if (flags !== null) {
      this.#at += flags[0].length
      return [""]
    }
    this.#at += opening?.[0].length ?? 0
    const texts = this.#choices()
    this.#at++
    return opening?.[1] === undefined ? texts : [""]
  }

  /** What remains of a piece with the quantifier after it: of an optional piece, only that there may be something. */
  #quantified(piece: string[]): string[] {
    const found = /^(?:[*+?]|\{\d{0,5}(?:,\d{0,5})?\})[?+]?/.exec(this.#pattern.slice(this.#at))
    if (found === null) return piece
    this.#at += found[0].length
    if (piece.every((each) => each === " ")) return piece
    if (/^[*?]|^\{0?,/.test(found[0])) return [OPEN]
    return piece.map((each) => each + OPEN)
  }
}

const MODIFIER =
  "(?:export|default|pub|public|private|protected|internal|static|abstract|async|final|unsafe|virtual|override|partial|sealed|data|inline)"
const KEYWORD =
  "(?:def|defp|defmodule|defmacro|class|func|fun|fn|function|type|struct|interface|trait|enum|module|namespace|protocol|extension|object|record|union|macro_rules!|const|let|var|val|#define|sub)"
const DEFINITION = new RegExp(
  `^[\\s\\u0001]*(?:${MODIFIER}[\\s\\u0001]+){0,5}${KEYWORD}(?:\\s[\\s\\u0001]*|[\\s\\u0001]*\\([^)]{0,80}\\)\\s*|[\\s\\u0001]*\\u0001[\\s\\u0001]*)(?:self\\.)?([\\p{L}_$][\\p{L}\\p{N}_$]*)(?!\\u0001?[\\p{L}\\p{N}_$.]|\\u0001)(.*)$`,
  "u",
)

const IDENTIFIER = /(?<![\p{L}\p{N}_\u0001])[\p{L}\p{N}_]+(?![\p{L}\p{N}_\u0001])/gu

/** The alternative that an expanded text asks for; none if it has no word. */
function alternativeOf(expanded: string): PatternAlternative[] {
  const definition = DEFINITION.exec(expanded)
  const identifiers = expanded.match(IDENTIFIER) ?? []
  if (definition !== null && words(definition[2]!).length === 0)
    return [{ text: definition[1]!, name: definition[1]!, identifiers: [definition[1]!] }]
  const text = expanded.replaceAll(OPEN, " ").replace(/\s+/gu, " ").trim()
  return words(text).length === 0 ? [] : [{ text, name: null, identifiers }]
}
