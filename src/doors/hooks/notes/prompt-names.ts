import { languageNamed } from "../../../parse/index.ts"
import { MIN_NAME_CHARACTERS } from "./pattern-names.ts"

/**
 * Max length of a name. Longer sequences of letters are skipped, because testing their form takes time that
 * grows with the square of their length.
 */
const MAX_NAME_CHARS = 200

const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$]*`
const NAME = String.raw`${IDENTIFIER}(?:(?:\.|::|#|->)${IDENTIFIER})*`
const QUOTED = /`([^`\n]+)`/g
const ONE_NAME = new RegExp(`^(${NAME})(?:\\([^()]*\\))?$`, "u")
const NAMES = new RegExp(NAME, "gu")
const BETWEEN = /\.|::|#|->/
/** Forms that no ordinary word has: snake_case, a::b, a->b. */
const SURE = /[\p{L}\p{N}]_+[\p{L}\p{N}]|::|->/u
/** Forms of code names that product names have as well: GitHub, Node.js. */
const MAYBE = /\p{Ll}\p{N}*\p{Lu}|\p{Lu}[\p{L}\p{N}]*[.#]\p{L}/u
/** "(s)" after a word is a plural, as in file(s), and not a call. */
const PLURAL = /^\((?:e?s|n)\)/

/**
 * The first code names in a prompt: names in backticks, calls such as retry() and forms such as MAX_RETRIES; a form
 * that product names have as well, such as userService, only if `isSymbol` returns true.
 */
export function promptNames(prompt: string, isSymbol: (name: string) => boolean): string[] {
  return namesWritten(prompt, isSymbol).slice(0, 6)
}

/**
 * Names that are alone between backticks, are followed by a call's bracket, or have a form that no ordinary
 * word has. Commands in backticks and file names are left out.
 */
export function namesWritten(text: string, isSymbol: (name: string) => boolean): string[] {
  const found = new Set<string>()
  const rest = text.replace(QUOTED, (quoted, inner: string) => {
    const name = ONE_NAME.exec(inner.trim())?.[1]
    if (name !== undefined) found.add(name)
    return " ".repeat(quoted.length)
  })
  for (const { 0: name, index } of rest.matchAll(NAMES)) {
    const [before, after] = [rest[index - 1] ?? "", rest.slice(index + name.length, index + name.length + 4)]
    if (name.length > MAX_NAME_CHARS) continue
    // Skips parts of a path or an address.
    if (/[/@]/.test(before) || /^[/@]/.test(after)) continue
    const isSure = SURE.test(name) || (after.startsWith("(") && !PLURAL.test(after))
    if (isSure || (MAYBE.test(name) && isNamed(name) && isSymbol(name))) found.add(name)
  }
  return [...found].filter(isNamed)
}

/** Parts of a qualified name for comparison, in lower case without underscores. */
export function nameParts(name: string): string[] {
  return name.split(BETWEEN).map((part) => part.toLowerCase().replaceAll("_", ""))
}

export function lastPart(name: string): string {
  return name.split(BETWEEN).at(-1)!
}

function isNamed(name: string): boolean {
  const last = lastPart(name)
  return last.length >= MIN_NAME_CHARACTERS && !(name.includes(".") && languageNamed(last) !== null)
}
