import { rowAt, type TextLines } from "../text-lines.ts"
import { loadedDefault } from "./loaded-default.ts"
import type { ImportSpan } from "./scan/use-scan.ts"
import { USE, type Use } from "./use-code.ts"

/**
 * Name of the use by which a file of JavaScript records what it exports as its default; the qualifier is the exported
 * name. It contains a space, so that no name in code equals it.
 */
export const DEFAULT_EXPORT = "default export"

/**
 * Name of the use that records a block `declare global { … }`, whose types every file sees; the qualifier is the line
 * where the block ends.
 */
export const DECLARED_GLOBAL = "declare global"

/** Max characters of an import that are read. */
const MAX_IMPORT_CHARS = 1_000
const MAX_EXPORTS = 8

const EXPORTED =
  /\b(?:export\s+default|module\.exports\s*=)\s+(?:(?:async\s+)?function\s*\*?\s*|(?:abstract\s+)?class\s+|new\s+)?((?:[\w$.]+\s*\(\s*){0,3})([A-Za-z_$][\w$]*)/g

/** Patterns of the name that an import binds to the default export of its module. */
const BINDING = [
  /^import\s+(?:type\s+)?([A-Za-z_$][\w$]*)\s*(?:,|=|\bfrom\b)/,
  /\bdefault\s+as\s+([A-Za-z_$][\w$]*)/,
  /(?:^|\s)([A-Za-z_$][\w$]*)\s*=\s*(?:await\s+)?require\s*\(/,
]
const REEXPORTED = /^export\s*\{[^}]*\bdefault\s*[,}]/
const LOADED = /\bimport\s*\(/

/** The name in the record of an import that exports the default again: `export { default } from "./a"`. */
export const REEXPORTED_DEFAULT = "default"

/**
 * Uses that record the default exports of a file of JavaScript or TypeScript, and the names that its imports bind to
 * defaults of other files: such a name need not be that of the definition.
 */
export function defaultUses(text: string, lines: TextLines, imports: readonly ImportSpan[]): Use[] {
  const uses: Use[] = []
  for (const { start, end, module } of imports) {
    const written = text.slice(start, Math.min(end, start + MAX_IMPORT_CHARS))
    const name = LOADED.test(written) ? loadedDefault(text, start, end) : boundIn(written)
    if (name === null) continue
    const qualifier = `${module} ${name}`
    uses.push({ name: importOfDefault(module), line: rowAt(lines, start) + 1, flags: USE.import, qualifier })
  }
  for (const block of globalBlocks(text)) {
    const qualifier = `${rowAt(lines, block.end) + 1}`
    uses.push({ name: DECLARED_GLOBAL, line: rowAt(lines, block.start) + 1, flags: 0, qualifier })
  }
  if (!text.includes("export default") && !text.includes("module.exports")) return uses
  let left = MAX_EXPORTS
  for (const match of text.matchAll(EXPORTED)) {
    if (left-- === 0) break
    uses.push({
      name: DEFAULT_EXPORT,
      line: rowAt(lines, match.index) + 1,
      flags: 0,
      qualifier: match[2]!,
    })
  }
  return uses
}

/** Max characters of a `declare global` block. */
const MAX_BLOCK_CHARS = 50_000

/** The `declare global` blocks of a text; brackets in comments and strings may end a block too early or too late. */
function globalBlocks(text: string): { readonly start: number; readonly end: number }[] {
  const blocks: { start: number; end: number }[] = []
  for (let start = text.indexOf(DECLARED_GLOBAL); start >= 0; ) {
    let depth = 0
    let end = text.indexOf("{", start)
    if (end < 0) break
    for (const last = Math.min(text.length, end + MAX_BLOCK_CHARS); end < last; end++) {
      const char = text[end]
      if (char === "{") depth++
      else if (char === "}" && --depth === 0) break
    }
    blocks.push({ start, end: Math.min(end, text.length - 1) })
    start = text.indexOf(DECLARED_GLOBAL, end)
  }
  return blocks
}

/** The name to which an import binds the default; "" if the import binds no name; null if it takes no default. */
function boundIn(written: string): string | null {
  for (const pattern of BINDING) {
    const name = pattern.exec(written)?.[1]
    if (name !== undefined && name !== "type") return name
  }
  return REEXPORTED.test(written) ? REEXPORTED_DEFAULT : null
}

/** Name of the use that records an import of the default of a module: "default of store" for "../shop/store.ts". */
export function importOfDefault(module: string): string {
  return `default of ${stemOf(module)}`
}

/** Names of the uses by which other files may import the default of the file at a path. */
export function importsOfDefault(path: string): readonly string[] {
  return stemsOf(path).map((stem) => `default of ${stem}`)
}

/** The words with which an import of the file at a path may end: the file's name, or its folder's for an index file. */
export function stemsOf(path: string): readonly string[] {
  const stem = stemOf(path)
  const parts = path.split("/")
  const isIndex = stem === "index"
  const folder = isIndex ? parts.at(-2) : undefined
  return [stem, ...(folder === undefined ? [] : [folder.toLowerCase()]), ...(isIndex ? ["."] : [])]
}

/** The last part of a path or module, without its extension, in lower case; "." for a folder such as "..". */
export function stemOf(path: string): string {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? ""
  if (/^\.*$/.test(last)) return "."
  return last.replace(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, "").toLowerCase()
}
