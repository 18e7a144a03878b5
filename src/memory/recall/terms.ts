import { termOf } from "../../text/terms/abbreviations.ts"
import { words } from "../../text/terms/identifiers.ts"
import { folded, isUnspaced, loneCharacters } from "../../text/terms/unicode.ts"
import { baseForm } from "./irregular.ts"

export type Terms = {
  /** One term per word, in text order. */
  readonly inOrder: readonly string[]
  /**
   * Additional terms that find the text: whole identifiers, words without their accents, single Han
   * characters.
   */
  readonly besides: readonly string[]
}

/** The terms of a text. Questions and entries are analysed the same way. */
export function analyseTerms(text: string): Terms {
  const found = words(text)
  const inOrder = found.map(termOfWord)
  const besides = identifiers(text)
  if (!ASCII.test(text)) besides.push(...otherForms(text, found))
  return { inOrder, besides }
}

/** The term of a word; cached, because conversations repeat the same words. */
export function termOfWord(word: string): string {
  let term = termCache.get(word)
  if (term === undefined) {
    term = termOf(LEADING_ZERO.test(word) ? word.slice(1) : baseForm(word))
    if (termCache.size >= MAX_CACHED) termCache.clear()
    termCache.set(word, term)
  }
  return term
}

/** The first term of a text of one or two words, or the text when it has none; cached. */
export function firstTermOf(text: string): string {
  let term = firsts.get(text)
  if (term === undefined) {
    term = analyseTerms(text).inOrder[0] ?? text
    if (firsts.size >= MAX_CACHED) firsts.clear()
    firsts.set(text, term)
  }
  return term
}

const termCache = new Map<string, string>()
const firsts = new Map<string, string>()
const MAX_CACHED = 50_000

/** Matches a number with a leading zero, such as 05 in a date; sentences write 5. */
const LEADING_ZERO = /^0\d$/

const ASCII = /^[\x00-\x7f]*$/
// Words with a dash, an underscore or an inner capital. The lookbehind makes matching start at a word's first
// character only; otherwise a long run of letters takes quadratic time.
const IDENTIFIERS =
  /(?<![A-Za-z0-9])(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*)/g

function identifiers(text: string): string[] {
  const found: string[] = []
  for (const name of text.match(IDENTIFIERS) ?? []) {
    const parts = words(name)
    if (parts.length > 1 && parts.some((part) => part > "a")) found.push(termOfWord(parts.join("")))
  }
  return found
}

function otherForms(text: string, found: readonly string[]): string[] {
  const forms = loneCharacters(text)
  for (const word of found) {
    const plain = isUnspaced(word) ? word : folded(word)
    if (plain !== word && plain !== "") forms.push(termOfWord(plain))
  }
  return forms
}
