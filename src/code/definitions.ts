import { firstNot } from "../base/sorted.ts"
import type { SymbolKind } from "./parsed-file.ts"

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

const TYPE_KINDS: ReadonlySet<SymbolKind | null> = new Set<SymbolKind | null>([
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "module",
])

export function isTypeLike(kind: SymbolKind | null): boolean {
  return TYPE_KINDS.has(kind)
}

/** True for functions and types, false for values. */
export function isMember(kind: SymbolKind | null): boolean {
  return kind === "function" || kind === "method" || kind === "section" || TYPE_KINDS.has(kind)
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
