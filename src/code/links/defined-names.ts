import { compoundOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import type { CodeSymbol } from "../parsed-file.ts"
import { useHash } from "../references/use-code.ts"

/** Kinds of symbols that can be called. */
export const CALLABLES: ReadonlySet<string> = new Set(["function", "method", "macro"])

/** Kinds of symbols that can be extended, implemented or named as a type. A Ruby module counts as a class. */
export const TYPES: ReadonlySet<string> = new Set([
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "component",
  "module",
])

/** Kinds of values that other files may use by name. Fields are not among them, because they belong to an object. */
const VALUE: ReadonlySet<string> = new Set(["constant", "variable"])
const NAMED: ReadonlySet<string> = new Set([...CALLABLES, ...TYPES, ...VALUE])

/**
 * Hashes of the names by which other files may use this file: 32-bit unsigned integers, little-endian, ascending,
 * without duplicates.
 */
export function definedNames(symbols: readonly CodeSymbol[], locals: ReadonlySet<CodeSymbol>): Uint8Array {
  const hashes = new Set<number>()
  for (const symbol of symbols) {
    const { name, kind, owner } = symbol
    const isVisible = NAMED.has(kind) && !(VALUE.has(kind) && owner !== null) && !locals.has(symbol)
    if (isVisible && name.length > 1) hashes.add(useHash(name))
  }
  return new Uint8Array(Uint32Array.from(hashes).sort().buffer)
}

/**
 * Symbols inside a function that code outside of it cannot name. Members of a type are not among them, because code
 * that has an object of the type can use them.
 */
export function localsAmong(symbols: readonly CodeSymbol[]): ReadonlySet<CodeSymbol> {
  const inOrder = [...symbols].sort(
    (one, other) => one.startLine - other.startLine || other.endLine - one.endLine,
  )
  const locals = new Set<CodeSymbol>()
  let outer: CodeSymbol | null = null
  for (const symbol of inOrder) {
    const isInside = outer !== null && symbol.endLine <= outer.endLine && !isSamePlace(symbol, outer)
    if (isInside && symbol.owner === null) locals.add(symbol)
    const isFurther = outer === null || symbol.endLine > outer.endLine
    if (CALLABLES.has(symbol.kind) && isFurther) outer = symbol
  }
  return locals
}

/** True if both symbols have the same lines; lines alone then do not show which one contains the other. */
function isSamePlace(one: CodeSymbol, other: CodeSymbol): boolean {
  return one.startLine === other.startLine && one.endLine === other.endLine
}

/**
 * Minimum length of a name in characters. Shorter names (i, get, key) occur everywhere and do not show how much a file
 * is used.
 */
const MIN_NAME_LENGTH = 4
// Maximum number of names per file. Headers with register definitions have thousands; the first of them suffice.
const MAX_NAMES = 200

/**
 * Hashes of the first MAX_NAMES distinct names of at least MIN_NAME_LENGTH characters, as the keyword index uses them.
 * Each is two 32-bit unsigned integers, high and low, little-endian.
 */
export function nameHashes(names: Iterable<string>): Uint8Array {
  const compounds = new Set<string>()
  for (const name of names) {
    if (name.length >= MIN_NAME_LENGTH) compounds.add(compoundOf(name))
    if (compounds.size === MAX_NAMES) break
  }
  const halves = Array.from(compounds, hashTerm).flatMap((hash) => [
    Number(hash >> 32n),
    Number(hash & 0xffff_ffffn),
  ])
  return new Uint8Array(Uint32Array.from(halves).buffer)
}
