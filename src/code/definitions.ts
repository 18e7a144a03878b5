import type { SymbolKind } from "./parsed-file.ts"

/** A definition found in a file, or a container: a stretch such as a Rust impl whose children stand alone. */
export type Definition = {
  /** Null for a container without a name. */
  readonly name: string | null
  /** Null for a container. */
  readonly kind: SymbolKind | null
  /** UTF-16 offsets, end exclusive. */
  readonly start: number
  readonly end: number
  /** Where its signature ends; null where it has no body. */
  readonly bodyStart: number | null
  /** The owner as the source writes it; null if only the enclosing definition tells it. */
  readonly owner: string | null
  /** Made of neighbouring nodes, such as the signature and the equations of a Haskell function. */
  readonly isSpread: boolean
}

export type NestedDefinition = Definition & {
  readonly parent: NestedDefinition | null
  /** Names from the outermost to its own, joined by "."; what its parts have as scope. */
  readonly path: string | null
  /** Functions or types inside it. */
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

/** A function or a type, as opposed to a value. */
export function isMember(kind: SymbolKind | null): boolean {
  return kind === "function" || kind === "method" || kind === "section" || TYPE_KINDS.has(kind)
}

/**
 * Maximum nesting; deeper definitions belong to the innermost one. Hand-written code stays below, and each
 * path holds all names above it.
 */
const MAX_NESTED = 32

/** Sorts by place, outer before inner, and links each one to what encloses it. */
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

/** The first definition that starts at or after `offset`, as an index. */
export function firstFrom(definitions: readonly Definition[], offset: number): number {
  let low = 0
  let high = definitions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (definitions[middle]!.start < offset) low = middle + 1
    else high = middle
  }
  return low
}

function byPlace(one: Definition, other: Definition): number {
  return (
    one.start - other.start || other.end - one.end || Number(one.kind !== null) - Number(other.kind !== null)
  )
}

/** Two names of one declaration are neighbours; a container may coincide with what it holds. */
function encloses(outer: Definition, inner: Definition): boolean {
  if (inner.start >= outer.end || inner.end > outer.end) return false
  return outer.kind === null || outer.start !== inner.start || outer.end !== inner.end
}

function pathOf({ name, owner }: Definition, parent: NestedDefinition | null): string | null {
  const outer = parent?.path ?? null
  const isNamed = outer === owner || outer?.endsWith(`.${owner}`)
  const path = owner === null || (isNamed && name !== null) ? outer : joined(outer, owner)
  return name === null ? path : joined(path, name)
}

function joined(outer: string | null, name: string): string {
  return outer === null ? name : `${outer}.${name}`
}
