import { rowAt } from "../text-lines.ts"
import { hasScopes, SCOPING, Scopes } from "./scopes.ts"
import { USE, type Use } from "./use-code.ts"
import type { UseScan, UseSource } from "./use-scan.ts"
import { codesEnd } from "./words.ts"

/** The scopes that the grammar's query captured in a file; null if it captures none, or only the names bound in them. */
export function scopesIn(text: string, source: UseSource): Scopes | null {
  return hasScopes(source.scoping ?? []) ? new Scopes(text, source.scoping!, source) : null
}

/**
 * Marks the uses of local variables, and the places that bind them. A plain use of a local variable tells nothing about
 * other names, so it is left out; in JavaScript the variable may hold a member that was taken out of an object.
 */
export function markLocals(scan: UseScan): void {
  const { text, source, uses, places, letters } = scan
  const scopes = scan.scopes ?? new Scopes(text, scopingOf(source, uses, places), source)
  for (const [at, use] of uses.entries()) {
    if (letters.has(use) || (use.flags & USE.import) !== 0) continue
    const marked = boundUse(use, places[at]!, scopes, scan) ?? markedUse(use, places[at]!, scopes, scan)
    if (marked === null) letters.add(use)
    else uses[at] = marked
  }
}

/** The use with its meaning in a scope; null if it is left out. */
function markedUse(use: Use, start: number, scopes: Scopes, scan: UseScan): Use | null {
  const meaning = meaningOf(use, start, scopes, scan)
  if (meaning === "local" && use.flags === 0 && scan.scopes !== null && !scan.hasDollars) return null
  return meaning === null ? use : { ...use, flags: use.flags | USE[meaning] }
}

/** The use with the last line of its scope if the name is bound at `start`; otherwise null. */
function boundUse(use: Use, start: number, scopes: Scopes, { lines, source }: UseScan): Use | null {
  const { flags } = use
  if ((flags & (USE.member | USE.declares)) === USE.member) return null
  const isTested = (flags & TESTED) === TESTED
  const end = isTested ? scopes.scopeEnd(start) : scopes.boundUntil(start)
  if (end === null) return null
  const taken = source.labels?.has(start) ? USE.member : 0
  return { ...use, flags: flags | USE.declares | USE.local | taken, until: rowAt(lines, end - 1) + 1 }
}

/** Flags of a binding by a test, such as an arm of a `switch` over types. */
const TESTED = USE.declares | USE.narrows

/** What a scope binds the name to. For a member, "local" if it binds the first name of its path to a variable. */
function meaningOf(
  { name, flags, path, qualifier }: Use,
  start: number,
  scopes: Scopes,
  { text, language }: UseScan,
): ReturnType<Scopes["meaningOf"]> {
  if ((flags & USE.member) !== 0) {
    const head = HEAD.exec(path ?? qualifier ?? "")?.[0]
    return head !== undefined && scopes.meaningOf(head, start) === "local" ? "local" : null
  }
  if (language === "php" && text[start - 1] === "$") return "local"
  if ((flags & USE.global) !== 0 || ((flags & USE.call) !== 0 && APART.has(language))) return null
  // A name that an import gives is stored under its original name.
  const written = text.slice(start, codesEnd(text, start, true))
  return scopes.meaningOf(written.endsWith(name) ? name : written, start)
}

/** The first name of a path. */
const HEAD = /^[\p{L}_$][\p{L}\p{N}_$]*/u

/** Languages in which a function and a variable of one name do not hide each other. */
const APART: ReadonlySet<string> = new Set(["java", "ruby", "php", "perl", "elixir", "erlang", "emacs-lisp"])

/** Scopes of a language whose query captures none: a name that a function binds is local in the whole function. */
function scopingOf(source: UseSource, uses: readonly Use[], places: readonly number[]): number[] {
  const { functions = [], scoping: bound = [] } = source
  if (functions.length === 0) return []
  const scoping = functions.flatMap(({ start, end }) => [SCOPING["block.function"], start, end])
  for (const each of bound) scoping.push(each)
  for (const [at, { name, flags }] of uses.entries())
    if ((flags & (USE.declares | USE.narrows)) === USE.declares)
      scoping.push(SCOPING["hoisted.function"], places[at]!, places[at]! + name.length)
  return scoping
}
