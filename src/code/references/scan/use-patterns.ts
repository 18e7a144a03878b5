import { backOverSpace } from "../name-chars.ts"
import { USE, type Use } from "../use-code.ts"
import { extended, pathAhead, pathOfType, type ValuePath } from "../value-path.ts"
import type { OpenBracket, PatternName, UseScan } from "./use-scan.ts"

const [PAREN, BRACE, BRACKET, COMMA, COLON, EQUALS] = [40, 123, 91, 44, 58, 61]

/**
 * Stores a name in the frame of its bracket, because the bracket may turn out to be a pattern that binds the name;
 * that, and the type of the name, is known only after the closing bracket. Returns false if the bracket cannot bind it.
 */
export function noteName(
  scan: UseScan,
  start: number,
  next: number,
  use: Use,
  as: PatternName["as"] | null = null,
): boolean {
  const frame = scan.open.at(-1)
  if (!frame || (use.flags & USE.import) !== 0 || !mayBind(frame, next)) return false
  const previous = scan.text.charCodeAt(backOverSpace(scan.text, start) - 1)
  const isRenamed = previous === COLON && frame.code === BRACE && frame.key !== null
  if (previous !== frame.code && previous !== COMMA && !isRenamed) return false
  const isLocal = frame.code !== BRACE || isRenamed
  frame.named ??= []
  frame.named.push({
    use: scan.uses.length,
    name: use.name,
    as: as ?? (isLocal ? "local" : next === COLON ? "key" : "both"),
    member: isLocal ? (stepTo(frame) ?? "") : "",
  })
  return true
}

/** True if the text after the name (`,`, `}`, `)`, `]`, `=`, or the colon of a key) allows the bracket to bind it. */
function mayBind({ code, path, expected, isPattern }: OpenBracket, next: number): boolean {
  if (path !== null || (expected !== null && code !== PAREN && !isPattern)) return false
  return ENDS.has(next) || (next === COLON && code === BRACE)
}

const ENDS: ReadonlySet<number> = new Set([COMMA, 125, 41, 93, EQUALS])

/**
 * Called when a bracket closes at `at`. Stores the paths of their values with the names that the bracket binds, or
 * passes the names on to the enclosing bracket.
 */
export function setNamedPaths(scan: UseScan, frame: OpenBracket, at: number): void {
  if (frame.named === null) return
  if (frame.code === PAREN) {
    if (scan.arrow !== null) for (const named of frame.named) tell(scan, named, scan.arrow)
    return
  }
  const path = pathBehind(scan.text, at + 1)
  if (path !== null) {
    for (const named of frame.named) tell(scan, named, path)
    return
  }
  const outer = scan.open.at(-1)
  if (!outer || outer.path !== null) return
  const step = stepTo(outer)
  if (step === null) return
  outer.named ??= []
  for (const named of frame.named) outer.named.push({ ...named, member: step + named.member })
}

/** Gives the names in a function's list of parameters the types that a JSDoc comment before the function states. */
export function setDocumentedPaths(scan: UseScan, { at, named }: OpenBracket): void {
  const described = named === null ? undefined : scan.source.jsdoc?.parameters.get(at)
  if (described === undefined) return
  for (const each of named!) {
    const step = POSITION.exec(each.member)
    if (step === null) continue
    const isWhole = each.as === "local" && each.member === step[0]
    const byName = isWhole ? described.find(({ name }) => name === each.name) : undefined
    const path = (byName ?? (isWhole ? undefined : described[Number(step[1])]))?.path ?? null
    if (path !== null) tell(scan, { ...each, member: each.member.slice(step[0].length) }, path)
  }
}

const POSITION = /^@(\d+)/

function stepTo({ code, commas, key }: OpenBracket): string | null {
  if (code === PAREN) return `@${commas}`
  if (code === BRACKET) return "[]"
  return key === null ? null : `.${key}`
}

const TYPE_BEHIND = /^\s*(?::|\bas\b|\bsatisfies\b)\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^=(){};,<>\n])+)/
/**
 * Maximum length of a type in characters. Without a limit, an unclosed bracket would be searched to the end of the
 * text.
 */
const MAX_LOOKAHEAD = 160
const VALUE_BEHIND = /\s*(=(?![=>])|of\b)/y

/**
 * The path of the value that a pattern destructures, read from the text after the pattern: `{ a }: Options`, `{ a } =
 * options`, `{ a } of all`, `{ a: 1 } as Options`.
 */
function pathBehind(text: string, at: number): ValuePath | null {
  const type = TYPE_BEHIND.exec(text.slice(at, at + MAX_LOOKAHEAD))?.[1]
  if (type !== undefined) return pathOfType(type)
  VALUE_BEHIND.lastIndex = at
  const sign = VALUE_BEHIND.exec(text)?.[1]
  if (sign === undefined) return null
  const path = pathAhead(text, VALUE_BEHIND.lastIndex)
  return sign === "of" ? extended(path, "[]") : path
}

function tell({ uses }: UseScan, { use: at, name, as, member }: PatternName, of: ValuePath): void {
  const use = uses[at]
  const path = extended(of, member)
  if (use?.name !== name || path === null) return
  if (as === "local") uses[at] = { ...use, flags: (use.flags & ~USE.member) | USE.declares, qualifier: path }
  else if (as === "key") uses[at] = { ...use, flags: use.flags | USE.member, qualifier: null, path }
  else uses[at] = { ...use, flags: use.flags | USE.member | USE.declares, qualifier: null, path }
}
