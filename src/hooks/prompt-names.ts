import { languageNamed } from "../code/languages.ts"
import { LEAST_NAME } from "./pattern-names.ts"

const MOST_NAMES = 6
const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$]*`
const NAME = String.raw`${IDENTIFIER}(?:(?:\.|::|#|->)${IDENTIFIER})*`
const QUOTED = /`([^`\n]+)`/g
const ONE_NAME = new RegExp(`^(${NAME})(?:\\([^()]*\\))?$`, "u")
const NAMES = new RegExp(NAME, "gu")
const BETWEEN = /\.|::|#|->/
/** No word has these. */
const SURE = /[\p{L}\p{N}]_+[\p{L}\p{N}]|::|->/u
/** Products and companies have these, too: GitHub, Node.js. */
const MAYBE = /\p{Ll}\p{N}*\p{Lu}|\p{Lu}[\p{L}\p{N}]*[.#]\p{L}/u
/** file(s), not a call. */
const PLURAL = /^\((?:e?s|n)\)/

/** What a prompt names as code does: `retry`, retry(), MAX_RETRIES; userService where `isSymbol` knows it. Its first ones. */
export function promptNames(prompt: string, isSymbol: (name: string) => boolean): string[] {
  return namesWritten(prompt, isSymbol).slice(0, MOST_NAMES)
}

/**
 * Names that stand alone between backticks, have a call's bracket, or a form that no word has. A command in backticks is
 * words, and a file's name is none of the code.
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
    // Part of a path or an address.
    if (/[/@]/.test(before) || /^[/@]/.test(after)) continue
    const isSure = SURE.test(name) || (after.startsWith("(") && !PLURAL.test(after))
    if (isSure || (MAYBE.test(name) && isNamed(name) && isSymbol(name))) found.add(name)
  }
  return [...found].filter(isNamed)
}

/** The name as it is compared: its qualifiers and itself, without case and underscores. */
export function partsOf(name: string): string[] {
  return name.split(BETWEEN).map((part) => part.toLowerCase().replaceAll("_", ""))
}

export function lastPart(name: string): string {
  return name.split(BETWEEN).at(-1)!
}

function isNamed(name: string): boolean {
  const last = lastPart(name)
  return last.length >= LEAST_NAME && !(name.includes(".") && languageNamed(last) !== null)
}
