import { termOf } from "../../text/abbreviations.ts"
import { words } from "../../text/identifiers.ts"
import { folded, isUnspaced, loneCharacters } from "../../text/unicode.ts"
import { baseForm } from "./irregular.ts"

export type Terms = {
  /** One a word, in order. */
  readonly inOrder: readonly string[]
  /** What the text is found by besides: whole identifiers, words without their accents, single Han characters. */
  readonly besides: readonly string[]
}

/** The terms of a piece of text; questions and entries are read alike. */
export function termsOf(text: string): Terms {
  const found = words(text)
  const inOrder = found.map(termOfWord)
  const besides = identifiers(text)
  if (!ASCII.test(text)) besides.push(...otherForms(text, found))
  return { inOrder, besides }
}

/** Conversations say the same words again and again: a word's term is worked out once. */
export function termOfWord(word: string): string {
  let term = known.get(word)
  if (term === undefined) {
    term = termOf(LEADING_ZERO.test(word) ? word.slice(1) : baseForm(word))
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, term)
  }
  return term
}

/** The first term of a text of a word or two, worked out once as well. */
export function firstTermOf(text: string): string {
  let term = firsts.get(text)
  if (term === undefined) {
    term = termsOf(text).inOrder[0] ?? text
    if (firsts.size >= MOST_KNOWN) firsts.clear()
    firsts.set(text, term)
  }
  return term
}

const known = new Map<string, string>()
const firsts = new Map<string, string>()
const MOST_KNOWN = 50_000

/** 05 in a date is 5 in a sentence. */
const LEADING_ZERO = /^0\d$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is
const ASCII = /^[\x00-\x7f]*$/
// What has a dash, an underscore or a capital inside; from its start only, or a long run of letters takes its square.
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
