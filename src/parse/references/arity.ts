import type { OpenBracket, UseScan } from "./use-scan.ts"
import { BRACE, backOverSpace, COMMA, isClosing, isOpening, PAREN } from "./words.ts"

/*
 * Numbers of arguments, by which calls tell the overloads of a name apart: of a call (`countedCall`, `argumentsOf`), and those
 * that a definition accepts (`arityOf`). A number that the text does not show for certain is unknown.
 */

/** Languages in which definitions of one name differ in the number of their parameters. */
const OVERLOADING: ReadonlySet<string> = new Set(
  "java kotlin csharp cpp swift scala groovy elixir erlang".split(" "),
)

/** A call whose arguments are counted: the index of its use, and the offset of its bracket. */
export type CountedCall = { readonly use: number; readonly at: number }

/** The call whose name ends at `end`; null if the language has no overloads, or no bracket follows. */
export function countedCall(
  { text, language, uses }: UseScan,
  end: number,
  behind: number,
): CountedCall | null {
  if (!OVERLOADING.has(language)) return null
  const at = behind < 0 ? nextAt(text, end) : behind - 1
  return text.charCodeAt(at) === PAREN ? { use: uses.length, at } : null
}

function nextAt(text: string, from: number): number {
  let at = from
  while (text[at] === " ") at++
  return at
}

/** The number in `run/1`, with which Erlang and Elixir name a function; undefined if there is none. */
export function statedArity({ text, language, pathStart }: UseScan, end: number): number | undefined {
  if (language !== "erlang" && !(language === "elixir" && text[pathStart - 1] === "&")) return undefined
  const stated = /^\/(\d+)/.exec(text.slice(end, end + 4))?.[1]
  return stated === undefined ? undefined : Number(stated)
}

/** Longer lists of arguments are not read. */
const MAX_ARGUMENTS_CHARS = 2000

/** Number of arguments of the call whose bracket closes at `end`; undefined if it is unknown. */
export function argumentsOf(
  { text, language }: UseScan,
  { at: start, commas }: OpenBracket,
  { at }: CountedCall,
  end: number,
): number | undefined {
  if (end - at > MAX_ARGUMENTS_CHARS) return undefined
  const inner = text.slice(at + 1, end)
  if (SPREAD[language]?.test(inner) || (commas > 0 && /<[^;]*>/.test(inner))) return undefined
  const last = inner.trimEnd().at(-1)
  const written = last === undefined ? 0 : commas + (last === "," ? 0 : 1)
  const more = furtherArguments(text, language, start, end)
  return more === null ? undefined : written + more
}

/** Spread arguments, whose number is unknown. */
const SPREAD: Readonly<Record<string, RegExp>> = {
  kotlin: /(?:^|,)\s*\*/,
  groovy: /(?:^|,)\s*\*/,
  scala: /:\s*_\*|\w\*\s*$/,
  cpp: /\.\.\./,
}

/** Number of arguments outside of the brackets: a block behind them, or a value that a pipe passes. Null if unknown. */
function furtherArguments(text: string, language: string, start: number, end: number): number | null {
  if (language === "elixir") {
    const piped = /\|>\s*$/.test(text.slice(Math.max(0, start - 40), start))
    return Number(piped) + Number(/^\s*do\b/.test(text.slice(end + 1, end + 40)))
  }
  if (!BLOCKS.has(language) || text.charCodeAt(nextAt(text, end + 1)) !== BRACE) return 0
  return language === "kotlin" && /[\p{Ll}_]/u.test(text[start] ?? "") ? 1 : null
}

/** Languages in which a block behind the brackets may be a further argument. */
const BLOCKS: ReadonlySet<string> = new Set(["kotlin", "groovy", "swift", "scala"])

/** Smallest and largest number of arguments; the largest is Infinity for a function that takes any number. */
export type Arity = { readonly min: number; readonly max: number }

/** The numbers of arguments that a definition accepts, from its signature; null if they are unknown. */
export function arityOf(name: string, signature: string, language: string): Arity | null {
  const parameters = parametersOf(name, signature, language)
  if (parameters === null) return null
  let [min, max] = [0, 0]
  for (const parameter of parameters) {
    const isAny = ANY_NUMBER.test(parameter)
    max += isAny ? Number.POSITIVE_INFINITY : 1
    if (!isAny && !OPTIONAL.test(parameter)) min++
  }
  return language === "csharp" && /^this\s/.test(parameters[0] ?? "") ? { min: min - 1, max } : { min, max }
}

/** The parameters of a definition as its signature writes them; null if they are unknown. */
function parametersOf(name: string, signature: string, language: string): string[] | null {
  if (!OVERLOADING.has(language) || signature.endsWith("…")) return null
  const at = signature.search(
    new RegExp(`(?<!\\w)${RegExp.escape(name)}\\s*(?:<[^()]*>|\\[[^()]*\\])?\\s*\\(`, "u"),
  )
  if (at < 0) return language === "elixir" ? [] : null
  return parametersFrom(signature, signature.indexOf("(", at + name.length))
}

/** True if a member cannot override another one of its name: the numbers or the types of their parameters differ. */
export function isOtherOverload(name: string, signatures: readonly string[], language: string): boolean {
  const [mine, theirs] = signatures.map((signature) =>
    parametersOf(name, signature, language)?.map((parameter) => parameterType(parameter, language)),
  )
  if (!mine || !theirs) return false
  const isSame = (type: string, at: number) =>
    type === theirs[at] || TYPE_PARAMETER.test(type) || TYPE_PARAMETER.test(theirs[at]!)
  return mine.length !== theirs.length || !mine.every(isSame)
}

/** The name of a parameter's type without modules and type arguments; empty if it is not read. */
function parameterType(parameter: string, language: string): string {
  let bare = parameter
  for (let before = ""; before !== bare; )
    [before, bare] = [bare, bare.replace(/<[^<>]*>|@[\w.]+\([^()]*\)/, "")]
  const [, name = "", many = ""] = TYPE_BEHIND[language]?.exec(bare) ?? []
  return many === "" ? name : `${name}[]`
}

/** Match the last part of a type's name and the signs of an array or of any number of arguments behind it. */
const TYPE_BEHIND: Readonly<Record<string, RegExp>> = {
  java: /([\w$]+)\s*((?:\[\s*\]|\.\.\.)*)\s+[\w$]+$/,
  csharp: /(\w+)\??((?:\[[\s,]*\])*)\??\s+\w+(?:\s*=.*)?$/,
  kotlin: /:\s*(?:\w+\.)*(\w+)\??(?:\s*=.*)?$/,
}

/** Matches the usual names of type parameters, which stand for any type; and a type that is not read. */
const TYPE_PARAMETER = /^(?:(?:\p{Lu}\d?|T\p{Lu}\w*|\w*\p{Ll}T)(?:\[\])*)?$/u

/** Matches a parameter that takes any number of arguments. */
const ANY_NUMBER = /\.\.\.|^(?:@\w+\s+)*(?:vararg|params)\s|\*$/
/** Matches a parameter with a default value. */
const OPTIONAL = /(?<![=!<>])=(?![=>])|\\\\/

/** The parameters in the brackets that open at `at`; null if they do not close. */
function parametersFrom(signature: string, at: number): string[] | null {
  const parameters: string[] = []
  let depth = 0
  let from = at + 1
  for (let next = at; next < signature.length; next++) {
    const code = signature.charCodeAt(next)
    depth += depthOf(signature, next, code)
    if (depth === 0 || (depth === 1 && code === COMMA)) {
      const parameter = signature.slice(from, next).trim()
      if (parameter !== "" && parameter !== "void") parameters.push(parameter)
      from = next + 1
    }
    if (depth === 0) return parameters
  }
  return null
}

/** 1 for an opening bracket, -1 for a closing one; the end of an arrow is no bracket. */
function depthOf(text: string, at: number, code: number): number {
  if (isOpening(code) || text[at] === "<") return 1
  if (isClosing(code)) return -1
  return text[at] === ">" && !/[-=]/.test(text[backOverSpace(text, at) - 1] ?? "") ? -1 : 0
}
