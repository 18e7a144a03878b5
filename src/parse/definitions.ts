import { firstNot } from "../base/index.ts"
import { compoundOf, hashTerm } from "../text/index.ts"
import type { CodeSymbol, SymbolKind } from "./parsed-file.ts"
import { useHash } from "./references/use-code.ts"

/**
 * A definition in a file; or a container, such as a Rust `impl`, which defines nothing itself but contains definitions.
 */
export type Definition = {
  /** Null for a container without a name. */
  readonly name: string | null
  /** Null for a container. */
  readonly kind: SymbolKind | null
  /** UTF-16 offsets, end exclusive. */
  readonly start: number
  readonly end: number
  /** Offset where the signature ends and the body begins; null if there is no body. */
  readonly bodyStart: number | null
  /** The owner as the source names it; null if the owner is known only from the enclosing definition. */
  readonly owner: string | null
  /**
   * True if the definition consists of several adjacent nodes, such as the signature and the equations of a Haskell
   * function.
   */
  readonly isSpread: boolean
}

export type NestedDefinition = Definition & {
  readonly parent: NestedDefinition | null
  /**
   * Names from the outermost enclosing definition to this one, joined by "."; the scope of the parts of the definition.
   */
  readonly path: string | null
  /** True if functions or types are defined inside it. */
  hasMembers: boolean
}

export function isTypeLike(kind: SymbolKind | null): boolean {
  return kind !== null && kind !== "component" && TYPES.has(kind)
}

/** True for functions and types, false for values. */
export function isMember(kind: SymbolKind | null): boolean {
  return kind === "function" || kind === "method" || kind === "section" || isTypeLike(kind)
}

/**
 * Maximum nesting depth. A deeper definition is attached to the innermost one that is allowed. Hand-written code stays
 * below this limit, which bounds the length of paths.
 */
const MAX_NESTED = 32

/** Sorts definitions by position, outer before inner, and links each to the definition that encloses it. */
export function nestDefinitions(found: readonly Definition[]): NestedDefinition[] {
  const sorted = [...found].sort(byPlace)
  const open: NestedDefinition[] = []
  return sorted.map((definition) => {
    while (open.length > 0 && !encloses(open.at(-1)!, definition)) open.pop()
    const parent = open.at(-1) ?? null
    const nested = { ...definition, parent, path: pathOf(definition, parent), hasMembers: false }
    if (isMember(definition.kind)) for (const outer of open) outer.hasMembers = true
    if (open.length < MAX_NESTED) open.push(nested)
    return nested
  })
}

/** Index of the first definition that starts at or after `offset`. */
export function firstFrom(definitions: readonly Definition[], offset: number): number {
  return firstNot(0, definitions.length, (i) => definitions[i]!.start < offset)
}

function byPlace(one: Definition, other: Definition): number {
  return (
    one.start - other.start || other.end - one.end || Number(one.kind !== null) - Number(other.kind !== null)
  )
}

/**
 * True if `outer` encloses `inner`. Two definitions with the same range do not enclose each other, because one
 * declaration may define two names. A container encloses a definition with the same range.
 */
function encloses(outer: Definition, inner: Definition): boolean {
  if (inner.start >= outer.end || inner.end > outer.end) return false
  return outer.kind === null || outer.start !== inner.start || outer.end !== inner.end
}

function pathOf({ name, owner }: Definition, parent: NestedDefinition | null): string | null {
  const outer = parent?.path ?? null
  const isNamed = outer === owner || outer?.endsWith(`.${owner}`)
  const path = owner === null || (isNamed && name !== null) ? outer : pathWithName(outer, owner)
  return name === null ? path : pathWithName(path, name)
}

function pathWithName(outer: string | null, name: string): string {
  return outer === null ? name : `${outer}.${name}`
}

/** Kinds of symbols that can be called. */
export const CALLABLES: ReadonlySet<string> = new Set(["function", "method", "macro"])

/** Kinds of symbols that can be extended, implemented or named as a type. A Ruby module counts as a class. */
const TYPE_WORDS = "class interface struct enum trait type component module"
export const TYPES: ReadonlySet<string> = new Set(TYPE_WORDS.split(" "))

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
    const isInside = outer !== null && symbol.startLine > outer.startLine && symbol.endLine <= outer.endLine
    if (symbol.isLocal ?? (isInside && symbol.owner === null)) locals.add(symbol)
    const isFurther = outer === null || symbol.endLine > outer.endLine
    if (CALLABLES.has(symbol.kind) && isFurther) outer = symbol
  }
  return locals
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

/**
 * For some kinds, the maximum number of different names in a file that become symbols. A file with more of them is a
 * table of data.
 */
const MAX_LISTED: ReadonlyMap<SymbolKind | null, number> = new Map<SymbolKind | null, number>([
  ["key", 100],
  ["element", 100],
  ["selector", 1000],
])

/**
 * Limits the definitions of the kinds in MAX_LISTED, of which a file may have thousands. Keeps the first definition of
 * each name. If there are still too many, keeps those of the outermost level; if that level alone has too many, keeps
 * none.
 */
export function listedNames(definitions: readonly Definition[]): readonly Definition[] {
  if (!definitions.some(({ kind }) => MAX_LISTED.has(kind))) return definitions
  const listed = new Set(Array.from(MAX_LISTED, ([kind, max]) => listedOf(kind, max, definitions)).flat())
  return definitions.filter((definition) => !MAX_LISTED.has(definition.kind) || listed.has(definition))
}

function listedOf(kind: SymbolKind | null, max: number, definitions: readonly Definition[]): Definition[] {
  const all = new Map<string, Definition>()
  for (const definition of definitions) {
    if (definition.kind !== kind) continue
    const name = JSON.stringify([definition.owner, definition.name])
    const known = all.get(name)
    if (!known || definition.start < known.start) all.set(name, definition)
  }
  if (all.size <= max) return [...all.values()]
  const outer = [...all.values()].filter(({ owner }) => owner === null)
  return outer.length <= max ? outer : []
}
