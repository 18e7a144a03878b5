import type { SymbolRow } from "../store/symbols.ts"
import type { FileView } from "./file-view.ts"

/** A symbol where it is defined. */
export type Definition = { readonly symbol: SymbolRow; readonly file: FileView }

export function keyOf({ symbol }: Definition): string {
  return `${symbol.fileId}:${symbol.ordinal}:${symbol.index}`
}

export function qualifiedName({ symbol }: { readonly symbol: Pick<SymbolRow, "name" | "owner"> }): string {
  return symbol.owner === null ? symbol.name : `${symbol.owner}.${symbol.name}`
}

type Rows = Pick<SymbolRow, "startLine" | "endLine">

export function isWithin(inner: Rows, outer: Rows): boolean {
  return inner.startLine >= outer.startLine && inner.endLine <= outer.endLine
}
