import { familyOf } from "../languages/family.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { stemOf, stemsOf } from "./default-exports.ts"
import type { ImportSpan } from "./scan/use-scan.ts"
import { USE, type Use } from "./use-code.ts"

/** The module of a name that the file itself defines. */
export const OWN_MODULE = "."

/** Max characters of one import or export that are read. */
const MAX_CHARS = 1_000
/** Max number of renamed names that are recorded of one file. */
const MAX_RENAMED = 500

const EXPORT_FROM: Readonly<Record<string, RegExp>> = {
  js: /^export\b/,
  python: /^from\b/,
  rust: /^pub\b/,
}
const RENAMED = /([A-Za-z_$][\w$]*)\s+as\s+([A-Za-z_$][\w$]*)/g
/** Matches `export { a as b }` without a module, and `module.exports = { b: a }`. */
const OWN_EXPORTS = /\bexport\s*\{([^{}]{1,1000})\}(?!\s*from)|\bmodule\.exports\s*=\s*\{([^{}]{1,1000})\}/g
/** Matches `exports.b = a`. */
const MEMBER_EXPORT = /^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=\s*([A-Za-z_$][\w$]*)[ \t]*;?[ \t]*$/gm
const PAIR = /([A-Za-z_$][\w$]*)\s*:\s*([A-Za-z_$][\w$]*)\s*(?=,|$)/gm

/** Name of the use that records under which other name a file exports `name`. It contains a space, as no name in code does. */
export function renamedExport(name: string): string {
  return `renamed ${name}`
}

/** Name of the use that records for which name of a module `name` stands. */
export function originalOf(name: string): string {
  return `original of ${name}`
}

/** Matches `export * as shop`; the import has the module. */
const NAMESPACE = /^export\s*\*\s*as\s+([A-Za-z_$][\w$]*)/

/** Names of the uses that record under which name a file exports all of the file at a path. */
export function namespacesOf(path: string): readonly string[] {
  return stemsOf(path).map(namespaceOf)
}

function namespaceOf(stem: string): string {
  return `all of ${stem}`
}

/** Uses that record `export * as shop from "./shop"`, with the module, a space and the name as qualifier. */
function namespaceUses(text: string, lines: TextLines, imports: readonly ImportSpan[]): Use[] {
  return imports.flatMap(({ start, end, module }) => {
    const name = NAMESPACE.exec(text.slice(start, Math.min(end, start + MAX_CHARS)))?.[1]
    if (name === undefined) return []
    const line = rowAt(lines, start) + 1
    return [{ name: namespaceOf(stemOf(module)), line, flags: USE.import, qualifier: `${module} ${name}` }]
  })
}

/**
 * Uses that record the names which a file gives to what it exports: `export { open as start } from "./shop"`. Each is
 * recorded under the old name, with the module, a space and the new name as qualifier, and the other way round.
 */
export function renamedUses(
  language: string,
  text: string,
  lines: TextLines,
  imports: readonly ImportSpan[],
): Use[] {
  const family = familyOf(language)
  const isExport = EXPORT_FROM[family]
  if (isExport === undefined) return []
  const renamed = imports.flatMap(({ start, end, module }) => {
    const written = text.slice(start, Math.min(end, start + MAX_CHARS))
    if (!written.includes(" as ") || !isExport.test(written)) return []
    return Array.from(written.matchAll(RENAMED), ({ 1: name, 2: as, index }): Renamed => {
      return { name: name!, as: as!, at: start + index, module: moduleOf(module, name!) }
    })
  })
  const namespaces = family === "js" ? namespaceUses(text, lines, imports) : []
  const names = [...renamed, ...(family === "js" ? ownExports(text) : [])]
    .filter(({ name, as }) => name !== as && as !== "default" && as !== "_")
    .slice(0, MAX_RENAMED)
    .flatMap(({ name, as, at, module }) => {
      const line = rowAt(lines, at) + 1
      return [
        { name: renamedExport(name), line, flags: USE.import, qualifier: `${module} ${as}` },
        { name: originalOf(as), line, flags: USE.import, qualifier: `${module} ${name}` },
      ]
    })
  return [...names, ...namespaces].sort((one, other) => one.line - other.line)
}

/** The module without spaces. For Rust's `pub use shop::{menu::Row as Line}`, the name follows the outermost module. */
function moduleOf(module: string, name: string): string {
  const group = module.indexOf("{")
  return group < 0 ? module.replace(/\s+as\s.*$/, "") : module.slice(0, group) + name
}

type Renamed = { readonly name: string; readonly as: string; readonly at: number; readonly module: string }

/** The names that a file of JavaScript gives to its own definitions. */
function ownExports(text: string): Renamed[] {
  if (!text.includes("export {") && !text.includes("exports")) return []
  const members = Array.from(text.matchAll(MEMBER_EXPORT), ({ 1: as, 2: name, index: at }) => {
    return { name: name!, as: as!, at, module: OWN_MODULE }
  })
  const lists = Array.from(text.matchAll(OWN_EXPORTS)).flatMap(({ 1: list, 2: object, index: at }) => {
    const listed = Array.from(list?.matchAll(RENAMED) ?? [], ([, name, as]) => ({ name: name!, as: as! }))
    const kept = Array.from(object?.matchAll(PAIR) ?? [], ([, as, name]) => ({ name: name!, as: as! }))
    return [...listed, ...kept].map((names) => ({ ...names, at, module: OWN_MODULE }))
  })
  return [...lists, ...members]
}
