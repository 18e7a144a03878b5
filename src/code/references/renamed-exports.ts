import { familyOf } from "../languages/family.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
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
}
const RENAMED = /([A-Za-z_$][\w$]*)\s+as\s+([A-Za-z_$][\w$]*)/g
/** Matches `export { a as b }` without a module, and `module.exports = { b: a }`. */
const OWN_EXPORTS = /\bexport\s*\{([^{}]{1,1000})\}(?!\s*from)|\bmodule\.exports\s*=\s*\{([^{}]{1,1000})\}/g
const PAIR = /([A-Za-z_$][\w$]*)\s*:\s*([A-Za-z_$][\w$]*)\s*(?=,|$)/gm

/** Name of the use that records under which other name a file exports `name`. It contains a space, as no name in code does. */
export function renamedExport(name: string): string {
  return `renamed ${name}`
}

/**
 * Uses that record the names which a file gives to what it exports: `export { open as start } from "./shop"`. The
 * qualifier is the module, a space and the new name.
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
      return { name: name!, as: as!, at: start + index, module }
    })
  })
  return [...renamed, ...(family === "js" ? ownExports(text) : [])]
    .filter(({ name, as }) => name !== as && name !== "default" && as !== "default")
    .slice(0, MAX_RENAMED)
    .map(({ name, as, at, module }) => {
      const line = rowAt(lines, at) + 1
      return { name: renamedExport(name), line, flags: USE.import, qualifier: `${module} ${as}` }
    })
    .sort((one, other) => one.line - other.line)
}

type Renamed = { readonly name: string; readonly as: string; readonly at: number; readonly module: string }

/** The names that a file of JavaScript gives to its own definitions. */
function ownExports(text: string): Renamed[] {
  if (!text.includes("export {") && !text.includes("module.exports")) return []
  return Array.from(text.matchAll(OWN_EXPORTS)).flatMap(({ 1: list, 2: object, index: at }) => {
    const listed = Array.from(list?.matchAll(RENAMED) ?? [], ([, name, as]) => ({ name: name!, as: as! }))
    const kept = Array.from(object?.matchAll(PAIR) ?? [], ([, as, name]) => ({ name: name!, as: as! }))
    return [...listed, ...kept].map((names) => ({ ...names, at, module: OWN_MODULE }))
  })
}
