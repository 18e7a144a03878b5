import { foldName, lastName } from "../../store/index.ts"
import type { Entry } from "../entries/entry.ts"

type NamingEntry = Pick<Entry, "id" | "text" | "source">

/**
 * The names of code symbols in an entry, as written there, each with the index's symbols of that name, which `lookup`
 * returns.
 */
export function codeLinks<T>(entry: NamingEntry, lookup: (name: string) => readonly T[]) {
  return namesInEntry(entry)
    .map((name) => ({ name, symbols: lookup(name) }))
    .filter(({ symbols }) => symbols.length > 0)
}

/** Ids of the entries that mention one of these symbols, with the names they use. */
export function entriesNaming(
  entries: Iterable<NamingEntry>,
  symbols: Iterable<string>,
): Map<string, readonly string[]> {
  const wanted = new Set([...symbols].map(lookupKey))
  const found = new Map<string, readonly string[]>()
  if (wanted.size === 0) return found
  for (const entry of entries) {
    const names = namesInEntry(entry).filter((name) => wanted.has(lookupKey(name)))
    if (names.length > 0) found.set(entry.id, names)
  }
  return found
}

function namesInEntry({ text, source }: NamingEntry): string[] {
  const own = source?.symbol ?? null
  return own === null ? codeNames(text) : [...new Set([own, ...codeNames(text)])]
}

/** A name as the index looks it up: without qualifier, case and underscores. */
function lookupKey(name: string): string {
  return foldName(lastName(name))
}

/** Maximum names per text; a text with more is a listing. */
const MAX_NAMES = 100
/** Maximum characters of a name; a longer one is data. */
const MAX_NAME_LENGTH = 1000

/**
 * The distinct names in a text that are written like code: in backticks, with an opening bracket of a call, or in a
 * form that no word has (userService, user_service, Shop.Router, std::vec). As written, including qualifiers.
 */
export function codeNames(text: string): string[] {
  const found = new Set<string>()
  for (const match of text.matchAll(NAMES)) {
    const name = match[0]
    if (isCode(text, match.index, name)) found.add(name)
    if (found.size === MAX_NAMES) break
  }
  return [...found]
}

function isCode(text: string, start: number, name: string): boolean {
  const [before, after] = [text[start - 1], text[start + name.length]]
  // The name is part of a path, an address or a file name.
  if (before === "/" || before === "@" || after === "/" || after === "@") return false
  return (
    before === "`" || after === "`" || after === "(" || (name.length <= MAX_NAME_LENGTH && FORM.test(name))
  )
}

const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$]*`
const NAMES = new RegExp(`${IDENTIFIER}(?:(?:\\.|::|#|->)${IDENTIFIER})*`, "gu")

/** A capital after a small letter, an inner underscore, or a qualifier that does not occur in prose. */
const FORM = /\p{Ll}\p{N}*\p{Lu}|[\p{L}\p{N}]_+[\p{L}\p{N}]|::|->|\p{Lu}[\p{L}\p{N}]*[.#]\p{L}/u
