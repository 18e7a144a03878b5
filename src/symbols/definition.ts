import { compareTexts } from "../base/compare-texts.ts"
import { CALLABLES, TYPES } from "../code/links/defined-names.ts"
import type { SymbolRow } from "../store/index/symbols.ts"
import type { FileView } from "./file-view.ts"

/** A symbol and the file that defines it. */
export type SymbolDefinition = { readonly symbol: SymbolRow; readonly file: FileView }

export function definitionKey({ symbol }: SymbolDefinition): string {
  return `${symbol.fileId}:${symbol.ordinal}:${symbol.index}`
}

/** Default order of definitions: by path, then by position in the file. */
export function byPathAndPlace(one: SymbolDefinition, other: SymbolDefinition): number {
  if (one.file.path !== other.file.path) return compareTexts(one.file.path, other.file.path)
  return one.symbol.ordinal - other.symbol.ordinal || one.symbol.index - other.symbol.index
}

export function qualifiedName({ symbol }: { readonly symbol: Pick<SymbolRow, "name" | "owner"> }): string {
  return symbol.owner === null ? symbol.name : `${symbol.owner}.${symbol.name}`
}

type LineExtent = Pick<SymbolRow, "startLine" | "endLine">

export function isWithin(inner: LineExtent, outer: LineExtent): boolean {
  return inner.startLine >= outer.startLine && inner.endLine <= outer.endLine
}

export function isCallable({ kind }: Pick<SymbolRow, "kind">): boolean {
  return CALLABLES.has(kind)
}

export function isType({ kind }: Pick<SymbolRow, "kind">): boolean {
  return TYPES.has(kind)
}

/** True for a type in a JSDoc comment that only gives a name to the type of another file. */
export function isImportedType({ kind, signature }: Pick<SymbolRow, "kind" | "signature">): boolean {
  return kind === "type" && IMPORTED_TYPE.test(signature)
}

const IMPORTED_TYPE = /^type ([\w$]+) = import\([^()]*\)\.(?:\1|default)$/

/** True for a field of an anonymous type, such as a `struct { … }` inside another one. */
export function isAnonymousField({ kind, owner }: Pick<SymbolRow, "kind" | "owner">): boolean {
  return owner === null && (kind === "field" || kind === "property")
}

/** True for a method of a JavaScript object that has no name of its own, such as `play` in `{ deep: { play() {} } }`. */
export function isAnonymousMethod({ kind, owner }: Pick<SymbolRow, "kind" | "owner">): boolean {
  return owner === null && kind === "method"
}

/** True for a constructor that has the name of its type, as in Java and similar languages. */
export function isConstructor({ name, owner }: Pick<SymbolRow, "name" | "owner">): boolean {
  return name === owner
}

/** Kinds that code cannot refer to by name. */
export const NAMELESS: ReadonlySet<string> = new Set(["section", "key", "selector", "element", "route"])
