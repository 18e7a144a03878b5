import { familyOf } from "../languages/family.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { importBindings, OWN_MODULE, WHOLE } from "./import-list.ts"
import { USE, type Use } from "./use-code.ts"
import type { ImportSpan } from "./use-scan.ts"

/**
 * Name of the use that records a block `declare global { … }`, whose types every file sees; the qualifier is the line
 * where the block ends.
 */
export const DECLARED_GLOBAL = "declare global"

/** Name of the use that records that the scripts of a Vue file have no default export, so that no options have methods. */
export const WITHOUT_OPTIONS = "without options"

const LOADED = /\bimport\s*\(/

/**
 * Uses that record which imports of a file of JavaScript bind defaults of other files, under whatever name, and its `declare
 * global` blocks. `records`: the file's import statements.
 */
export function defaultUses(
  text: string,
  lines: TextLines,
  records: readonly Use[],
  imports: readonly ImportSpan[],
): Use[] {
  const loaded = imports.filter(({ start, end }) => LOADED.test(text.slice(start, end)))
  const lineOf = ({ start }: ImportSpan) => rowAt(lines, start) + 1
  const loads = new Set(loaded.map(lineOf))
  const taken = importBindings(records).filter(
    ({ name, as, module, line }) =>
      module !== OWN_MODULE && (name === "default" || (name === WHOLE && as !== WHOLE && !loads.has(line))),
  )
  const nameless = loaded
    .filter(({ start, end }) => takesDefault(text, start, end))
    .map((each) => ({ module: each.module, as: "", line: lineOf(each) }))
  const defaults = [...taken, ...nameless].map(({ module, as, line }) => {
    return { name: importOfDefault(module), line, flags: USE.import, qualifier: `${module} ${as}` }
  })
  const blocks = globalBlocks(text).map(({ start, end }) => {
    const qualifier = `${rowAt(lines, end) + 1}`
    return { name: DECLARED_GLOBAL, line: rowAt(lines, start) + 1, flags: 0, qualifier }
  })
  const isSetup = SETUP.test(text) && !/\bexport\s+default\b/.test(text)
  const setup = isSetup ? [{ name: WITHOUT_OPTIONS, line: 1, flags: 0, qualifier: null }] : []
  return [...defaults, ...blocks, ...setup]
}

const SETUP = /^<script\b[^>]*\ssetup\b/m

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

/** Name of the use that records an import of the default of a module: "default of store" for "../shop/store.ts". */
export function importOfDefault(module: string): string {
  return `default of ${stemOf(module)}`
}

/** Names of the uses by which other files may import the default of the file at a path. */
export function importsOfDefault(path: string): readonly string[] {
  return stemsOf(path).map((stem) => `default of ${stem}`)
}

/** The words with which an import of the file at a path may end: the file's name, or its folder's for an index file. */
function stemsOf(path: string): readonly string[] {
  const stem = stemOf(path)
  const parts = path.split("/")
  const isIndex = stem === "index"
  const folder = isIndex ? parts.at(-2) : undefined
  return [stem, ...(folder === undefined ? [] : [folder.toLowerCase()]), ...(isIndex ? ["."] : [])]
}

/** The last part of a path or module, without its extension, in lower case; "." for a folder such as "..". */
function stemOf(path: string): string {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? ""
  if (/^\.*$/.test(last)) return "."
  return last.replace(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, "").toLowerCase()
}

/** Max characters around an `import()` that are read. */
const NEAR_CHARS = 300

const BOUND = /^(?:[\w$]+\.)*(\{[^{}]*\}|[A-Za-z_$][\w$]*)\s*=(?![=>])/
const MEMBER = /\)\s*\??\.\s*([A-Za-z_$][\w$]*)$/
const THEN = /^\s*\(\s*(?:async\s*)?\(?\s*(\{[^{}]*\}|[A-Za-z_$][\w$]*)[^=(]{0,100}=>/
const AS_STATEMENT = /^(?:void\s+|await\s+)*import\s*\(/
const RETURNED = /=>\s*(?:await\s+)?\(?\s*import\s*\(|^return\b/

/**
 * True if code with `import("./module")` takes the default export without a name of its own, or gives the whole module
 * to a caller that may take it, as `lazy(() => import("./Page"))` does.
 */
function takesDefault(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end)
  const after = text.slice(end, end + NEAR_CHARS)
  const bound = BOUND.exec(written)?.[1]
  if (bound !== undefined) return isDefaultOf(bound, text)
  const member = MEMBER.exec(written)?.[1]
  if (member === "then") {
    const taken = THEN.exec(after)?.[1]
    return taken === undefined || /^\{.*\bdefault\b/s.test(taken) || isDefaultOf(taken, after)
  }
  if (member !== undefined) return member === "default"
  if (RETURNED.test(written)) return true
  if (AS_STATEMENT.test(written)) return false
  return /\bdefault\b/.test(text.slice(Math.max(0, start - NEAR_CHARS), end) + after)
}

/** True if the text takes the default of a module with this name. */
function isDefaultOf(bound: string, text: string): boolean {
  const name = RegExp.escape(bound)
  return new RegExp(
    `(?<![\\w$])${name}\\s*\\??\\.\\s*default\\b|\\bdefault\\b[^{}]*\\}\\s*=\\s*${name}(?![\\w$])`,
  ).test(text)
}

/** Name of the use that records that a file gives `name` another name. It contains a space, as no name in code does. */
export function renamedExport(name: string): string {
  return `renamed ${name}`
}

/** Name of the use that records that a file gives something the name `name`. */
export function originalOf(name: string): string {
  return `original of ${name}`
}

/** Language families whose imports can give a name of their own. */
const RENAMING = /^(?:js|python|rust|jvm|csharp|php|elixir|ruby)$/

/**
 * Uses that record the names which a file gives to what it exports: `export { open as start } from "./shop"`, and, for
 * `isKept`, to what it only imports. They are found by the old name and by the new one.
 */
export function renamedUses(
  language: string,
  records: readonly Use[],
  isKept: (alias: string) => boolean,
): Use[] {
  const family = familyOf(language)
  if (!RENAMING.test(family)) return []
  const isShared = family === "python"
  return importBindings(records).flatMap(({ name, as, isExported, line }): Use[] => {
    const old = name.slice(name.lastIndexOf(":") + 1)
    if (old === as || old === WHOLE || as === WHOLE || as === "default" || old === "default") return []
    if (!isExported && !isShared && !isKept(as)) return []
    return [renamedExport(old), originalOf(as)].map((marker) => {
      return { name: marker, line, flags: USE.import, qualifier: null }
    })
  })
}
