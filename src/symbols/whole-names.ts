/**
 * The whole names of modules and types in languages that nest them in blocks: `Shop.Cart.Row` for `class Row` inside
 * `module Shop::Cart`. The index has each with its last name, or with the name as it is written.
 */

import type { OutlineRow } from "../store/index.ts"
import { isType, type SymbolDefinition } from "./definition.ts"
import { AROUND, type FileView } from "./file-view.ts"

/** True for a language family in which equal whole names are one thing, wherever the parts are written. */
export function hasWholeNames(family: string): boolean {
  return family === "elixir" || family === "ruby" || family === "c"
}

/** The whole name of a definition. */
export function wholeName(definition: SymbolDefinition): string {
  const { symbol, file } = definition
  if (file.family !== "elixir") return joined(outerName(definition), written(symbol, symbol.signature, file))
  const { name, owner, startLine, endLine } = symbol
  const around = file.outline.moduleAround(startLine, endLine)
  // The functions of an implementation belong to the type that it is for.
  if (around !== null && owner !== around.name) return joined(owner ?? "", name)
  return joined(modulePathAt(startLine, endLine, file) ?? owner ?? "", name)
}

/** The whole name of the module or type that has a symbol; "" if none has it. */
export function outerName({ symbol, file }: { readonly symbol: Place; readonly file: FileView }): string {
  if (symbol.owner === null) return ""
  const row = file.outline.ownerOf(symbol)
  if (row !== null && !isSame(row, symbol)) return nameOf(row, file)
  // A member of C++ may be defined outside of its type, in the same namespace.
  const around = file.family === "c" ? file.outline.moduleAround(symbol.startLine, symbol.endLine) : null
  const owner = symbol.owner.replaceAll("::", ".")
  return around === null || isSame(around, symbol) ? owner : joined(nameOf(around, file), owner)
}

/** The whole name of the module or type around a line; "" if there is none. */
export function nameAround(line: number, file: FileView): string {
  if (file.family === "elixir") return modulePathAt(line, line, file) ?? ""
  const at = file.outline.innermost(line, AROUND.typeOrMember)
  const row = at < 0 ? null : file.outline.at(at)
  if (row === null) return ""
  return isType(row) && row.kind !== "type" ? nameOf(row, file) : outerName({ symbol: row, file })
}

function nameOf(row: OutlineRow, file: FileView): string {
  return joined(outerName({ symbol: row, file }), written(row, file.outline.signatureOf(row), file))
}

/** The namespace of C++ around a definition that is no member of a type; else null. */
export function namespaceOf({ symbol, file }: SymbolDefinition): string | null {
  if (file.family !== "c" || symbol.owner === null) return null
  return file.outline.ownerOf(symbol)?.kind === "module" ? symbol.owner : null
}

export function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}

type Place = Pick<OutlineRow, "owner" | "startLine" | "endLine">

function isSame(one: Place, other: Place): boolean {
  return one.startLine === other.startLine && one.endLine === other.endLine && one.owner === other.owner
}

/** The name as a declaration has it: `Shop::Cart` of `class Shop::Cart`. */
function written(
  { name }: { readonly name: string },
  signature: string | null,
  { family }: FileView,
): string {
  const path = family === "ruby" ? DECLARED.exec(signature ?? "")?.[1] : undefined
  return (path ?? name).replaceAll("::", ".")
}

const DECLARED = /^(?:class|module)\s+(?:::)?(\p{Lu}[\w:]*\w)/u

/** The whole path of the innermost module of Elixir around some lines; null at the top of a file. */
function modulePathAt(first: number, last: number, file: FileView): string | null {
  const module = file.outline.moduleAround(first, last)
  return module && joined(modulePathAt(module.startLine, module.endLine, file) ?? "", module.name)
}
