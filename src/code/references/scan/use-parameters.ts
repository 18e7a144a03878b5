import { backOverSpace } from "../name-chars.ts"
import { IN_CALLBACK, USE, type Use } from "../use-code.ts"
import type { OpenBracket, UseScan } from "./use-scan.ts"

const [PAREN, BRACE, BRACKET, COMMA, COLON, EQUALS, DOT, STAR, AND] = [40, 123, 91, 44, 58, 61, 46, 42, 38]

/**
 * Languages in which a parameter may have no type, each with what stands before the bracket of a function's parameters.
 * Null for JavaScript, where the text after the bracket tells.
 */
const UNTYPED: Readonly<Record<string, RegExp | null>> = {
  javascript: null,
  typescript: null,
  tsx: null,
  vue: null,
  svelte: null,
  python: /\bdef\s+\w+$/,
  ruby: /\bdef\s+(?:self\.)?\w+[?!=]?$/,
  lua: /\bfunction\b\s*[\w.:]*$/,
}

const MAX_HEAD_CHARS = 120
const MAX_PARAMETERS = 50

/**
 * Stores a name without a type in the frame of its bracket. It is a parameter if the text after the closing bracket
 * shows that the bracket is the list of a function's parameters; see `bindParameters`.
 */
export function noteParameter(scan: UseScan, start: number, end: number, next: number): void {
  const frame = scan.open.at(-1)
  if (frame === undefined || frame.code === 0 || frame.path !== null || !(scan.language in UNTYPED)) return
  if (frame.code === BRACE && (!scan.hasDollars || isType(scan))) return
  if (!ENDS.has(next) || (next === EQUALS && scan.text.charCodeAt(end + 1) === EQUALS)) return
  const previous = scan.text.charCodeAt(backOverSpace(scan.text, start) - 1)
  if (previous !== frame.code && !BEFORE.has(previous)) return
  if (previous === COLON && frame.code !== BRACE) return
  frame.parameters ??= []
  if (frame.parameters.length < MAX_PARAMETERS) frame.parameters.push(scan.uses.length)
}

/** Max number of nested braces that are followed outwards. */
const MAX_NESTED = 8

/** True inside the braces of a type of a parameter: `options: { size: Size }`. */
function isType({ text, open }: UseScan): boolean {
  const last = Math.max(0, open.length - 1 - MAX_NESTED)
  for (let at = open.length - 1; at > last && open[at]!.code === BRACE; at--)
    if (text.charCodeAt(backOverSpace(text, open[at]!.at) - 1) !== COLON) return false
    else if (open[at - 1]!.code === PAREN) return true
  return false
}

/** `,`, `)`, `}`, `]`, `=` */
const ENDS: ReadonlySet<number> = new Set([COMMA, 41, 125, 93, EQUALS])
/** `,`, the `...` and `*` before a list of arguments, Ruby's `&`, and the colon of a pattern. */
const BEFORE: ReadonlySet<number> = new Set([COMMA, DOT, STAR, AND, COLON])

/**
 * Called when a bracket closes at `at`. If it is the list of a function's parameters, the names in it become local
 * variables. If it is a pattern such as `{ a, b }`, its names are passed on to the enclosing bracket.
 */
export function bindParameters(scan: UseScan, frame: OpenBracket, at: number): void {
  const { parameters, code } = frame
  if (parameters === null) return
  const outer = scan.open.at(-1)
  if (code !== PAREN) {
    if (scan.hasDollars && outer && outer.code !== 0 && outer.path === null) passOn(frame, outer)
    return
  }
  const kind = scan.hasDollars ? kindOf(scan.text, frame.at, at) : kindOfHead(scan, frame.at)
  if (kind === null) return
  const names = boundBy(scan, parameters, kind === "callback" ? IN_CALLBACK : null)
  if (kind === "callback" && outer && names.size > 0)
    scan.callbacks.push({ names, depth: scan.open.length, commas: outer.commas })
}

function kindOfHead(scan: UseScan, at: number): "function" | null {
  return isHead(scan, at) ? "function" : null
}

/** Adds the names of a pattern to those of the enclosing bracket. */
function passOn({ code, parameters }: OpenBracket, outer: OpenBracket): void {
  const names = parameters ?? []
  outer.parameters = [...(outer.parameters ?? []), ...(code === BRACE ? names.map(asTaken) : names)]
}

/** The index of a name that a pattern takes out of an object: negative, so that it differs from others. */
function asTaken(index: number): number {
  return index < 0 ? index : -1 - index
}

/** Makes the uses at some indexes bindings of locals, and returns their names. */
function boundBy({ uses }: UseScan, indexes: readonly number[], qualifier: string | null): Set<string> {
  const names = new Set<string>()
  for (const index of indexes.slice(0, MAX_PARAMETERS)) {
    const at = index < 0 ? -1 - index : index
    const use = uses[at]
    if (use === undefined || use.flags !== 0) continue
    names.add(use.name)
    uses[at] =
      index < 0
        ? { ...use, flags: USE.declares | USE.member, qualifier: null }
        : { ...use, flags: USE.declares, qualifier }
  }
  return names
}

function isHead({ text, language }: UseScan, open: number): boolean {
  return UNTYPED[language]?.test(text.slice(Math.max(0, open - MAX_HEAD_CHARS), open)) ?? false
}

const ARROW_BEHIND = /^\s*(?::[^=;{}()]{1,120})?=>/
const BODY_BEHIND = /^\s*(?::[^=;()]{1,120})?\{/
const WORD_BEFORE = /([\w$]+)\s*$/
const CONTROL: ReadonlySet<string> = new Set([
  "if",
  "for",
  "while",
  "switch",
  "with",
  "case",
  "return",
  "await",
])

/**
 * The kind of function whose parameters are in the bracket from `open` to `at`: "callback" for an arrow function that
 * is an argument, an element or the value of a key, "function" for any other. Null if the bracket contains no
 * parameters.
 */
function kindOf(text: string, open: number, at: number): "function" | "callback" | null {
  let next = at + 1
  while (text.charCodeAt(next) <= 32) next++
  const sign = text.charCodeAt(next)
  if (sign !== EQUALS && sign !== BRACE && sign !== COLON) return null
  const behind = text.slice(at + 1, at + 1 + MAX_HEAD_CHARS)
  if (ARROW_BEHIND.test(behind))
    return VALUE_BEFORE.has(text.charCodeAt(backOverSpace(text, open) - 1)) ? "callback" : "function"
  if (!BODY_BEHIND.test(behind)) return null
  const word = WORD_BEFORE.exec(text.slice(Math.max(0, open - 40), open))?.[1]
  return word !== undefined && !CONTROL.has(word) ? "function" : null
}

/** `(`, `[`, `,`, `:` */
const VALUE_BEFORE: ReadonlySet<number> = new Set([PAREN, BRACKET, COMMA, COLON])

/** True for a name that is a parameter of an arrow function around it. */
export function isOfCallback(scan: UseScan, use: Use): boolean {
  const { callbacks, open } = scan
  while (callbacks.length > 0) {
    const { depth, commas } = callbacks.at(-1)!
    if (open.length > depth || (open.length === depth && open.at(-1)!.commas === commas)) break
    callbacks.pop()
  }
  if (use.flags !== 0 && use.flags !== USE.call) return false
  return callbacks.some(({ names }) => names.has(use.name))
}
