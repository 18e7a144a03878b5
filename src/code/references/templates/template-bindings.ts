import { backOverSpace, isClosing, isOpening } from "../name-chars.ts"
import { nextCode } from "../scan/use-binding.ts"

/**
 * Which part of a text binds names: all of it (`pattern`, `let:name={…}`), the part before `in` or `of` (`loop`), the
 * part after `then` or `catch` (`await`), or the part before `=` (`const`).
 */
export type BindingKind = "pattern" | "loop" | "await" | "const" | "let"

/**
 * The text in an element or block of a page that binds names, and the scope of these names. Offsets count UTF-16 units.
 */
export type Binding = {
  readonly kind: BindingKind
  readonly start: number
  readonly end: number
  readonly scopeStart: number
  readonly scopeEnd: number
}

/** The names that elements of a template bind. Inside their scope, such a name does not refer to the script. */
export type Bound = {
  /** The texts that bind names, as pairs of offsets. */
  readonly binding: readonly number[]
  /** Offsets of the names, inside these ranges of code, that an enclosing scope binds. */
  within(code: readonly number[]): number[]
  /** Those of the given names that no enclosing scope binds. */
  unbound<Named extends { readonly name: string; readonly at: number }>(named: readonly Named[]): Named[]
}

export function boundBy(bindings: readonly Binding[], text: string): Bound {
  const scopes = bindings.map((binding) => ({ ...binding, ...partOf(binding, text) }))
  scopes.sort((one, other) => one.scopeStart - other.scopeStart)
  const binding = scopes.flatMap(({ from, to }) => [from, to])
  return {
    binding,
    within: (code) => (scopes.length === 0 ? [] : boundWithin(code, text, isBoundBy(scopes))),
    unbound: (named) => {
      const isBound = isBoundBy(scopes)
      return named.toSorted((one, other) => one.at - other.at).filter(({ name, at }) => !isBound(name, at))
    },
  }
}

type BindingScope = Binding & { readonly names: readonly string[] }

/**
 * Returns a function that tells whether a name is bound at an offset. It must be called with ascending offsets. Because
 * scopes are nested, a name is bound if the farthest end among its scopes that have begun is after the offset.
 */
function isBoundBy(scopes: readonly BindingScope[]): (name: string, at: number) => boolean {
  const ends = new Map<string, number>()
  let next = 0
  return (name, at) => {
    for (; next < scopes.length && scopes[next]!.scopeStart <= at; next++) {
      const { names, scopeEnd } = scopes[next]!
      for (const bound of names) ends.set(bound, Math.max(ends.get(bound) ?? 0, scopeEnd))
    }
    return (ends.get(name) ?? 0) > at
  }
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const [BRACE, COMMA, COLON, DOT] = [123, 44, 58, 46]

function boundWithin(
  code: readonly number[],
  text: string,
  isBound: (name: string, at: number) => boolean,
): number[] {
  const starts = Array.from({ length: code.length / 2 }, (_, index) => index * 2)
  starts.sort((one, other) => code[one]! - code[other]!)
  const found: number[] = []
  for (const pair of starts)
    for (const { index, 0: name } of text.slice(code[pair], code[pair + 1]).matchAll(NAME)) {
      const at = code[pair]! + index
      if (isBound(name, at) && !isMember(text, at, at + name.length)) found.push(at)
    }
  return found
}

/** True for the name of a member: `.name` (but not `...name`), and a key as in `{ name: `. */
function isMember(text: string, start: number, end: number): boolean {
  const before = backOverSpace(text, start)
  const last = text.charCodeAt(before - 1)
  if (last === DOT) return text.charCodeAt(before - 2) !== DOT
  return (last === BRACE || last === COMMA) && nextCode(text, end) === COLON
}

type BindingText = { readonly from: number; readonly to: number; readonly names: readonly string[] }

const LOOP = /^([\s\S]*?)\s(?:in|of)\s/
const AWAIT = /\s(?:then|catch)\s([\s\S]*)$/
const CONST = /^([^=]*)=/
const LET = /^let:([^=]*)(?:=\{?([\s\S]*?)\}?)?$/

/** The part of a binding's text that binds names, and these names. */
function partOf({ kind, start, end }: Binding, text: string): BindingText {
  const written = text.slice(start, end)
  const part = (from: number, length: number, pattern = "") => ({
    from: start + from,
    to: start + from + length,
    names: namesBound(pattern),
  })
  if (kind === "pattern") return part(0, written.length, written)
  if (kind === "let") {
    const [, own, renamed] = LET.exec(written) ?? []
    return part(0, written.length, renamed ?? own)
  }
  const patterns = { loop: LOOP, await: AWAIT, const: CONST }
  const match = patterns[kind].exec(written)
  if (match) return part(match.index, match[0].length, match[1])
  return kind === "loop" ? part(0, written.length, written) : part(0, 0)
}

const TOKEN = /[\p{L}_$][\p{L}\p{N}_$]*|=>|'[^']*'|"[^"]*"|\S/gu
const START = /^[\p{L}_$]/u

type Pattern = {
  readonly names: string[]
  readonly open: string[]
  /** Bracket depth at which a type or default value began; -1 outside of one. Names in it are not bound. */
  passed: number
  last: string
}

/**
 * The names that a pattern binds: `(item, at)`, `{ a, b: c = d, ...e }` or `row: Row, at`. The key in parentheses after
 * the pattern of a Svelte loop is not part of it.
 */
function namesBound(written: string): string[] {
  const pattern: Pattern = { names: [], open: [], passed: -1, last: "" }
  for (const { index, 0: token } of written.matchAll(TOKEN)) {
    if (token === "(" && index > 0 && pattern.open.length === 0 && pattern.passed < 0) break
    readToken(pattern, token)
  }
  return pattern.names
}

function readToken(pattern: Pattern, token: string): void {
  const { open } = pattern
  if (isOpening(token.charCodeAt(0))) open.push(token)
  else if (isClosing(token.charCodeAt(0))) open.pop()
  const isNext = token === "," && pattern.passed === open.length
  if (isNext || pattern.passed > open.length) pattern.passed = -1
  else if (pattern.passed < 0) bind(pattern, token)
}

function bind(pattern: Pattern, token: string): void {
  const { names, open, last } = pattern
  if (token === ":" && open.at(-1) === "{") {
    if (names.at(-1) === last) names.pop()
  } else if (token === ":" || token === "=") pattern.passed = open.length
  else if (START.test(token)) names.push(token)
  pattern.last = token
}
