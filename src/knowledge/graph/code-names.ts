/** More of one text is a listing, not a mention. */
const MOST = 100
/** A longer name is data. */
const LONGEST = 1000

/**
 * The names in a text that are written as code is: between backticks, with a call's bracket, or with a form that no
 * word has (userService, user_service, Shop.Router, std::vec). Each once, as written, qualifiers included.
 */
export function codeNames(text: string): string[] {
  const found = new Set<string>()
  for (const match of text.matchAll(NAMES)) {
    const name = match[0]
    if (isCode(text, match.index, name)) found.add(name)
    if (found.size === MOST) break
  }
  return [...found]
}

function isCode(text: string, start: number, name: string): boolean {
  const [before, after] = [text[start - 1], text[start + name.length]]
  // Part of a path, an address or a file's name.
  if (before === "/" || before === "@" || after === "/" || after === "@") return false
  return before === "`" || after === "`" || after === "(" || (name.length <= LONGEST && FORM.test(name))
}

const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$]*`
const NAMES = new RegExp(`${IDENTIFIER}(?:(?:\\.|::|#|->)${IDENTIFIER})*`, "gu")

/** An inner capital after a small letter, an inner underscore, or a qualifier that no sentence has. */
const FORM = /\p{Ll}\p{N}*\p{Lu}|[\p{L}\p{N}]_+[\p{L}\p{N}]|::|->|\p{Lu}[\p{L}\p{N}]*[.#]\p{L}/u
