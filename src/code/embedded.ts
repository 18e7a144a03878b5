import type { Node, Tree } from "web-tree-sitter"
import { type Captures, readCaptures } from "./captures.ts"
import { type Grammar, languageNamed, loadGrammar } from "./languages.ts"
import { errorChars, parseRange } from "./syntax-tree.ts"

/** Grammars by the id of their language. */
export type Grammars = ReadonlyMap<string, Grammar>

/** What the scripts and styles of a page hold; the nodes live until `trees` are deleted. */
export type Embedded = {
  readonly captures: readonly Captures[]
  /** Parts of a script or style by the id of the page's node that holds its text. */
  readonly parts: ReadonlyMap<number, readonly Node[]>
  readonly trees: readonly Tree[]
  /** Why one of them was left as plain text. */
  readonly degraded: string | null
}

/** More of them stand in generated pages only; the rest stays text. */
const MAX_EMBEDDED = 64

/** Above this share in errors, and nothing defined, it is another language than its tag says. */
const MAX_ERROR_SHARE = 0.5

const TAG = /<(script|style)\b([^<>]*)>/gi
const LANGUAGE = /\b(?:lang|type)\s*=\s*["']?(?:text\/|application\/)?(?:x-)?([\w+-]+)/i

/** Other words for what a tag holds. Templates and shaders, which scripts may hold too, are in no list. */
const SCRIPTS: Readonly<Record<string, string>> = {
  javascript: "javascript",
  js: "javascript",
  jsx: "javascript",
  module: "javascript",
  babel: "javascript",
  ecmascript: "javascript",
  typescript: "typescript",
  ts: "typescript",
  tsx: "tsx",
}
const STYLES: Readonly<Record<string, string>> = { css: "css", postcss: "css" }

/** The grammars that the tags of a page ask for; what cannot be loaded is left out. */
export async function embeddedGrammars(page: string): Promise<Grammars> {
  const ids = new Set(Array.from(page.matchAll(TAG), ([tag]) => languageOfTag(tag)))
  const loaded = new Map<string, Grammar>()
  for (const id of ids) {
    const language = id === null ? null : languageNamed(id)
    const grammar = language && (await loadGrammar(language))
    if (id !== null && grammar) loaded.set(id, grammar)
  }
  return loaded
}

/** Parses the text of scripts and styles where it stands, so that every offset and row is the page's. */
export function parseEmbedded(
  holders: readonly Node[],
  grammars: Grammars,
  page: string,
  isLate: () => boolean,
): Embedded {
  const captures: Captures[] = []
  const parts = new Map<number, readonly Node[]>()
  const trees: Tree[] = []
  let degraded: string | null = null
  for (const holder of holders.slice(0, MAX_EMBEDDED)) {
    const language = languageOfTag(holder.previousSibling?.text ?? "")
    const grammar = language === null ? undefined : grammars.get(language)
    const tree = grammar && holder.endIndex > holder.startIndex && parseRange(grammar, page, holder, isLate)
    if (!grammar || !tree) continue
    trees.push(tree)
    const found = readCaptures(grammar.query, tree.rootNode, isLate)
    const length = holder.endIndex - holder.startIndex
    if (found.definitions.length === 0 && errorChars(grammar, tree.rootNode) > MAX_ERROR_SHARE * length) {
      degraded = `the ${language} inside is not recognised`
      continue
    }
    captures.push(found)
    parts.set(holder.id, tree.rootNode.children)
  }
  return { captures, parts, trees, degraded }
}

/** `<script setup lang="ts">` → typescript; null for what has no grammar. */
function languageOfTag(tag: string): string | null {
  const isStyle = /^<style/i.test(tag)
  const named = LANGUAGE.exec(tag)?.[1]?.toLowerCase()
  if (named === undefined) return isStyle ? "css" : "javascript"
  return (isStyle ? STYLES : SCRIPTS)[named] ?? null
}
