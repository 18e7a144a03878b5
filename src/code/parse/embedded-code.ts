import type { Node, Tree } from "web-tree-sitter"
import { type Grammar, languageNamed, loadGrammar } from "../languages/languages.ts"
import { listedNames } from "../listed-names.ts"
import type { RuleSet } from "../rules/rule.ts"
import { ruleDefinitions } from "../rules/rule-definitions.ts"
import { rulesOf } from "../rules/table.ts"
import { textLines } from "../text-lines.ts"
import { type Captures, readCaptures } from "./captures.ts"
import { errorChars, parseRange } from "./syntax-tree.ts"

/** Grammars by the id of their language. */
export type Grammars = ReadonlyMap<string, Grammar>

/** The scripts and styles of a page. Their nodes are valid until `trees` are deleted. */
export type Embedded = {
  readonly captures: readonly Captures[]
  /** The nodes into which a script or style was parsed, by the id of the page's node that contains its text. */
  readonly parts: ReadonlyMap<number, readonly Node[]>
  readonly trees: readonly Tree[]
  /** Why a script or style was left as plain text; null if none was left. */
  readonly degraded: string | null
}

/** Maximum number of scripts and styles in a page. Only generated pages have more; the others are left as text. */
const MAX_EMBEDDED = 64

/**
 * If more than this share of a text is in error nodes and it defines nothing, it is assumed to be in another language
 * than its tag says.
 */
const MAX_ERROR_SHARE = 0.5

const TAG = /<(script|style)\b([^<>]*)>/gi
const LANGUAGE = /\b(?:lang|type)\s*=\s*["']?(?:text\/|application\/)?(?:x-)?([\w+-]+)/i

/**
 * Languages by the names that tags use for them. Templates and shaders, which a script element may also contain, are
 * missing.
 */
const SCRIPTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    javascript: "javascript",
    js: "javascript",
    jsx: "javascript",
    module: "javascript",
    babel: "javascript",
    ecmascript: "javascript",
    typescript: "typescript",
    ts: "typescript",
    tsx: "tsx",
  }),
)
const STYLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    css: "css",
    postcss: "css",
    scss: "scss",
    sass: "scss",
    less: "scss",
    stylus: "scss",
  }),
)

/** Style languages that are cut by rules, because they have no grammar. */
const BY_RULES: ReadonlySet<string> = new Set(["scss"])

/** Loads the grammars of the languages that the page's tags name. Grammars that cannot be loaded are left out. */
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

/**
 * Parses the text of scripts and styles without copying it out of the page, so that all offsets and rows are those of
 * the page.
 */
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
    const found = language === null ? null : readHolder(language, holder, { grammars, page, isLate })
    if (found?.tree) trees.push(found.tree)
    if (found?.captures) captures.push(withoutSelectors(found.captures))
    else if (found) degraded = `the ${language} inside is not recognised`
    if (found?.captures && found.tree) parts.set(holder.id, found.tree.rootNode.children)
  }
  return { captures, parts, trees, degraded }
}

type PageContext = { readonly grammars: Grammars; readonly page: string; readonly isLate: () => boolean }
type ParsedHolder = { readonly tree: Tree | null; readonly captures: Captures | null }

/**
 * Reads a script or style. Null if its language has neither a grammar nor rules. `captures` is null if the grammar
 * recognizes too little of the text.
 */
function readHolder(
  language: string,
  holder: Node,
  { grammars, page, isLate }: PageContext,
): ParsedHolder | null {
  const length = holder.endIndex - holder.startIndex
  const grammar = grammars.get(language)
  if (!grammar) {
    const rules = BY_RULES.has(language) ? rulesOf(language) : null
    return rules && { tree: null, captures: capturesByRules(rules, holder, page) }
  }
  const tree = length === 0 ? null : parseRange(grammar, page, holder, isLate)
  if (!tree) return null
  const captures = readCaptures(grammar.query, tree.rootNode, isLate)
  const isOther =
    captures.definitions.length === 0 && errorChars(tree.rootNode, isLate) > MAX_ERROR_SHARE * length
  return { tree, captures: isOther ? null : captures }
}

/**
 * Removes the selectors from the captures, because the classes of a page are local to it, as local variables are to a
 * function.
 */
function withoutSelectors(captures: Captures): Captures {
  return { ...captures, definitions: captures.definitions.filter(({ kind }) => kind !== "selector") }
}

/** Finds captures by rules. The rest of the page is replaced by blanks, so that offsets stay the same. */
function capturesByRules(rules: RuleSet, { startIndex, endIndex }: Node, page: string): Captures {
  const blank = (text: string) => text.replace(/[^\n]/g, " ")
  const style = page.slice(startIndex, endIndex)
  const lines = textLines(blank(page.slice(0, startIndex)) + style + blank(page.slice(endIndex)))
  const { definitions, comments } = ruleDefinitions(lines, rules)
  const none = {
    docs: new Uint32Array(0),
    literals: [],
    quoted: [],
    imports: [],
    importSpans: [],
    names: [],
    package: null,
    embedded: [],
    expressions: [],
    tags: [],
    bindings: [],
  }
  return { ...none, definitions: listedNames(definitions), comments }
}

/** The language of a tag: `<script setup lang="ts">` means typescript. Null if there is no grammar for it. */
function languageOfTag(tag: string): string | null {
  const isStyle = /^<style/i.test(tag)
  const named = LANGUAGE.exec(tag)?.[1]?.toLowerCase()
  if (named === undefined) return isStyle ? "css" : "javascript"
  return (isStyle ? STYLES : SCRIPTS).get(named) ?? null
}
