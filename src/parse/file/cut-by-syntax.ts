import type { Node, Tree } from "web-tree-sitter"
import { firstNot } from "../../base/index.ts"
import { type ChunkSizes, partChars, type RowRange, type Unit } from "../chunk/chunk.ts"
import { type Cut, cutUnits } from "../chunk/cut.ts"
import { lineUnits } from "../chunk/line-units.ts"
import {
  CALLABLES,
  type Definition,
  firstFrom,
  isMember,
  isTypeLike,
  listedNames,
  type NestedDefinition,
  nestDefinitions,
} from "../definitions.ts"
import { type Grammar, languageNamed, loadGrammar } from "../languages/languages.ts"
import { GRAMMAR_ERRORS, limitNote, MAX_IMPORTS } from "../parsed-file.ts"
import { hasScopes } from "../references/scopes.ts"
import { NO_TEMPLATE, readTemplate } from "../references/templates.ts"
import type { UseSource } from "../references/use-scan.ts"
import type { RuleSet } from "../rules/rule.ts"
import { ruleDefinitions } from "../rules/rule-definitions.ts"
import { headRulesOf, rulesOf } from "../rules/table.ts"
import { isInSpan, mergeSpans, type Spans, startOfSpan } from "../spans.ts"
import { isCommentBeyondBlank, isSpace, rowAt, type TextLines, textLines } from "../text-lines.ts"
import { type Captures, joinLists, readCaptures } from "./captures.ts"
import { errorChars, errorSizes, type NoTree, parseRange, withSyntaxTree } from "./syntax-tree.ts"

type CutOptions = ChunkSizes & { readonly timeoutMs: number }

/** If more than this share of a file is in error nodes and the file defines nothing, the tree is not used. */
const MAX_ERROR_SHARE = 0.5

/**
 * A file with a longer error node, in characters, is marked with GRAMMAR_ERRORS. In 15 repositories with 11,300 code files,
 * at least 19 files have one.
 */
const MAX_ERROR_CHARS = 500

const NO_GRAMMARS: Grammars = new Map()

/** Cuts a file into chunks along its syntax tree. Embedded scripts and styles are cut along trees of their own. */
export async function cutBySyntax(
  languageId: string,
  grammar: Grammar,
  lines: TextLines,
  options: CutOptions,
): Promise<Cut | NoTree> {
  const { text } = lines
  const grammars = grammar.holdsOthers ? await embeddedGrammars(text) : NO_GRAMMARS
  return withSyntaxTree(grammar, text, options.timeoutMs, (root, isLate) => {
    const own = withMacros(languageId, readCaptures(grammar.query, root, isLate), lines)
    if (own.definitions.length === 0 && errorChars(root, isLate) > MAX_ERROR_SHARE * text.length) {
      return { reason: "the grammar does not recognise most of it" }
    }
    const embedded = parseEmbedded(own.embedded, grammars, text, isLate)
    try {
      const { captures, isUnclear } = grammar.holdsOthers
        ? { captures: joinCaptures([own, ...embedded.captures]), isUnclear: false }
        : withLost(languageId, root, own, lines, isLate)
      const useSource = useSourceOf(captures, grammar.holdsOthers ? own : null, lines)
      return cutTree(root, { captures, embedded, useSource, isUnclear }, lines, options)
    } finally {
      for (const tree of embedded.trees) tree.delete()
    }
  })
}

/** Adds the macros of templates to what a page, or a chart of Helm, defines. */
function withMacros(languageId: string, own: Captures, lines: TextLines): Captures {
  if (!(languageId === "html" || languageId === "yaml") || !/\{[{%]/.test(lines.text)) return own
  const { definitions } = ruleDefinitions(lines, rulesOf("template")!)
  return { ...own, definitions: [...own.definitions, ...definitions] }
}

/**
 * Adds the definitions that only rows show, if the tree has errors or an expression with an annotation at the top level,
 * for which the grammar of Kotlin takes some declarations. `isUnclear` is true if further ones may be missing.
 */
function withLost(languageId: string, root: Node, own: Captures, lines: TextLines, isLate: () => boolean) {
  const isMisread =
    root.hasError ||
    (languageId === "kotlin" && root.children.some(({ type }) => type === "annotated_expression"))
  const rules = isMisread ? headRulesOf(languageId) : null
  const lost = rules === null ? [] : lostDefinitions(rules, own, lines)
  const isUnclear = lost.length > 0 || errorSizes(root, isLate).some((chars) => chars > MAX_ERROR_CHARS)
  const moved = own.definitions.filter(({ start }) => MACRO_CALL.test(headAt(start, lines)))
  if (lost.length + moved.length === 0) return { captures: own, isUnclear }
  const names = [...lost, ...moved].flatMap(({ name, start }) => {
    const at = headAt(start, lines).search(new RegExp(`\\b${RegExp.escape(name ?? "")}\\b`))
    return at < 0 ? [] : [start + at]
  })
  const definitions = [...own.definitions, ...lost]
  return { captures: { ...own, definitions, names: [...own.names, ...names] }, isUnclear }
}

/** Matches a macro that defines the function in its arguments, such as `TEST(A, b)`, which is parsed as that function. */
const MACRO_CALL = /^[A-Z][A-Z0-9_]*\(/

function headAt(start: number, { text }: TextLines): string {
  return text.slice(start, start + MAX_LITERAL_CHARS)
}

/**
 * The definitions that rows show and the tree lacks. A grammar that fails on one row may lose all definitions after it,
 * without an error there, so all rows are read.
 */
function lostDefinitions(rules: RuleSet, own: Captures, lines: TextLines): Definition[] {
  const { text } = lines
  const { definitions } = ruleDefinitions(lines, rules)
  const functions = definitions.filter(({ kind }) => kind === "function")
  const bodies = mergeSpans(functions.flatMap(({ bodyStart, end }) => [bodyStart ?? end, end]))
  const names = own.names.toSorted((one, other) => one - other)
  return definitions.filter(({ kind, name, start, bodyStart, end }) => {
    if (kind === "function" && isInSpan(bodies, start)) return false
    if (IN_MACRO.test(text.slice(Math.max(0, start - MAX_LITERAL_CHARS), start))) return false
    const limit = Math.min(bodyStart ?? end, start + MAX_LITERAL_CHARS)
    const from = firstNot(0, names.length, (at) => names[at]! < start)
    const to = firstNot(from, names.length, (at) => names[at]! < limit)
    return !names.slice(from, to).some((at) => text.startsWith(name ?? "", at))
  })
}

/** Matches the text before a row that goes on with the row above, as in a macro of C. */
const IN_MACRO = /\\\r?\n[ \t]*$/

type TreeContents = {
  readonly captures: Captures
  readonly embedded: Embedded
  readonly useSource: UseSource
  /** True if the grammar fails on a large part of the file. */
  readonly isUnclear: boolean
}

function cutTree(
  root: Node,
  { captures, embedded, useSource, isUnclear }: TreeContents,
  lines: TextLines,
  options: CutOptions,
): Cut {
  const definitions = nestDefinitions(captures.definitions)
  const comments =
    captures.docs.length === 0 ? captures.comments : mergeSpans([...captures.comments, ...captures.docs])
  const syntax = { lines, definitions, comments, embedded: embedded.parts, runChars: partChars(options) }
  const parts = { units: syntaxUnits(root, syntax), definitions }
  const cut = cutUnits("tree-sitter", parts, { ...captures, comments }, lines, options)
  const isLimited = captures.importSpans.length >= MAX_IMPORTS
  const own = isUnclear ? GRAMMAR_ERRORS : null
  return {
    ...cut,
    degraded: embedded.degraded ?? (isLimited ? limitNote(MAX_IMPORTS, "imports") : own),
    useSource,
  }
}

/**
 * The ranges in which uses of names are searched. In a page, only scripts, styles and template expressions can use
 * names; everything else is skipped.
 */
function useSourceOf(captures: Captures, page: Captures | null, lines: TextLines): UseSource {
  const template = page === null ? NO_TEMPLATE : readTemplate(page, lines.text)
  const around = page === null ? [] : complement(page.embedded, template.code, lines.text.length)
  return {
    silent: mergeSpans([
      ...captures.comments,
      ...captures.docs,
      ...withoutQuoted(captures, lines.text),
      ...template.silent,
      ...around,
    ]),
    tags: template.tags,
    names: new Set([...captures.names, ...template.bound]),
    imports: captures.importSpans.toSorted((one, other) => one.start - other.start),
    scoping: captures.scoping,
    labels: new Set(captures.labels),
    values: new Set(captures.values),
    functions: hasScopes(captures.scoping)
      ? []
      : captures.definitions.filter(({ kind }) => CALLABLES.has(kind ?? "")),
    types: captures.definitions
      .filter(({ kind }) => kind === null || isTypeLike(kind))
      .sort((one, other) => one.start - other.start || other.end - one.end),
  }
}

/** The literals without the strings that name definitions. In `Literal["w"]`, a string is a value. */
function withoutQuoted({ literals, quoted }: Captures, text: string): readonly number[] {
  if (quoted.length === 0) return literals
  const named = new Set<number>()
  for (let at = 0; at < quoted.length; at += 2) {
    const start = quoted[at]!
    if (!IN_LITERAL.test(text.slice(Math.max(0, start - MAX_LITERAL_CHARS), start))) named.add(start)
  }
  return literals.filter((_, at) => !named.has(literals[at - (at % 2)]!))
}

const IN_LITERAL = /\b(?:Literal|Annotated)\[[^\]]*$/
const MAX_LITERAL_CHARS = 500

/** The text between the given ranges, as pairs of offsets. */
function complement(holders: Captures["embedded"], code: readonly number[], length: number): number[] {
  const scripts = holders.flatMap(({ startIndex, endIndex }) => [startIndex, endIndex])
  return [0, ...mergeSpans([...scripts, ...code]), length]
}

/** Joins what several queries found in one file. */
function joinCaptures(all: readonly Captures[]): Captures {
  return {
    ...joinLists(all),
    definitions: all.flatMap(({ definitions }) => definitions),
    comments: mergeSpans(all.flatMap(({ comments }) => [...comments])),
    docs: mergeSpans(all.flatMap(({ docs }) => [...docs])),
    imports: [...new Set(all.flatMap(({ imports }) => imports))],
    names: all.flatMap(({ names }) => [...names]),
    package: all.find((captures) => captures.package !== null)?.package ?? null,
  }
}

/** Grammars by the id of their language. */
type Grammars = ReadonlyMap<string, Grammar>

/** The scripts and styles of a page. Their nodes are valid until `trees` are deleted. */
type Embedded = {
  readonly captures: readonly Captures[]
  /** The nodes into which a script or style was parsed, by the id of the page's node that contains its text. */
  readonly parts: ReadonlyMap<number, readonly Node[]>
  readonly trees: readonly Tree[]
  /** Why a script or style was left as plain text; null if none was left. */
  readonly degraded: string | null
}

/** Maximum number of scripts and styles in a page. Only generated pages have more; the others are left as text. */
const MAX_EMBEDDED = 64

const TAG = /<(script|style)\b([^<>]*)>/gi
const LANGUAGE = /\b(?:lang|type)\s*=\s*["']?(?:text\/|application\/)?(?:x-)?([\w+-]+)/i

/** Languages of scripts and styles. Templates and shaders, which a script element may also contain, are missing. */
const OF_PAGES: ReadonlySet<string> = new Set(["javascript", "typescript", "tsx", "css", "scss"])

/** Style languages that are cut by rules, because they have no grammar. */
const BY_RULES: ReadonlySet<string> = new Set(["scss"])

/** Loads the grammars of the languages that the page's tags name. Grammars that cannot be loaded are left out. */
async function embeddedGrammars(page: string): Promise<Grammars> {
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
function parseEmbedded(
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
  return { ...joinCaptures([]), definitions: listedNames(definitions), comments }
}

/** The language of a tag: `<script setup lang="ts">` means typescript. Null if there is no grammar for it. */
function languageOfTag(tag: string): string | null {
  const isStyle = /^<style/i.test(tag)
  const named = LANGUAGE.exec(tag)?.[1] ?? (isStyle ? "css" : "javascript")
  const id = languageNamed(named)?.id ?? ""
  return OF_PAGES.has(id) ? id : null
}

/** The text that is cut into units, with what the syntax tree says about it. */
type Syntax = {
  readonly lines: TextLines
  readonly definitions: readonly NestedDefinition[]
  /** Comments and doc strings as sorted pairs of offsets. */
  readonly comments: Spans
  /** The nodes that take the place of a node whose text is in another language, by the id of that node. */
  readonly embedded: ReadonlyMap<number, readonly Node[]>
  /** Maximum number of characters in the pieces of a unit that has no parts to split it into. */
  readonly runChars: number
}

/** Nodes that share rows, with the comments and attributes directly above them. */
type NodeGroup = {
  readonly nodes: Node[]
  startRow: number
  /** Last row of the nodes themselves; the blank and uncovered rows up to the next group are added later. */
  lastRow: number
  /** Offset of the first node that is neither a comment nor an attribute. */
  main: number
  end: number
  isLead: boolean
}

/**
 * Maximum depth of a tree that is split into parts. Deeper trees are generated or hostile; what is deeper is cut by
 * lines.
 */
const MAX_DEPTH = 60

/** Maximum number of nested nodes that all begin on one row, as in `export default class Foo extends bar(…) {`. */
const MAX_LEVELS = 40

const NONE = new Uint32Array(0)

/** Matches rows that only close a block. They belong to the group of the block. */
const CLOSER = /^(?:[)\]}>;,]|end\b|fi\b|done\b|esac\b|#endif\b|endif\b|endforeach\b)/

/**
 * Cuts a text into units by its syntax tree: the children of the root are grouped so that nodes on one row, and
 * comments with what they describe, stay together; each group becomes a unit. A unit that is too large for a chunk is
 * opened later (`open`), which does the same with the children of its nodes. The units together cover all rows.
 */
function syntaxUnits(root: Node, syntax: Syntax): Unit[] {
  const rows = { startRow: 0, endRow: syntax.lines.count - 1 }
  const spread = syntax.definitions.filter((definition) => definition.isSpread)
  const spreads = Uint32Array.from(spread.flatMap(({ start, end }) => [start, end]))
  const groups = groupByRows(root.children, syntax, spreads)
  return unitsOf(groups, rows, { syntax, scope: null, depth: 0, spreads })
}

type SyntaxScope = {
  readonly syntax: Syntax
  readonly scope: string | null
  readonly depth: number
  /**
   * Spans of definitions that consist of several nodes. These nodes stay together until the definition itself is split.
   */
  readonly spreads: Spans
}

/**
 * Makes units of groups. Each group reaches to the row before the next group, and the first one begins at the first
 * row, so that no row is lost.
 */
function unitsOf(groups: readonly NodeGroup[], rows: RowRange, place: SyntaxScope): Unit[] {
  if (groups.length === 0) return lineUnits(place.syntax.lines, rows, place.scope, place.syntax.runChars)
  return groups.map((group, index) => {
    const next = groups[index + 1]
    const startRow = index === 0 ? rows.startRow : group.startRow
    return unitOf(group, { startRow, endRow: next ? next.startRow - 1 : rows.endRow }, place)
  })
}

function unitOf(group: NodeGroup, rows: RowRange, place: SyntaxScope): Unit {
  const { lines, definitions } = place.syntax
  const end = lines.starts[rows.endRow + 1]!
  const outermost = outermostDefinitions(definitions, lines.starts[rows.startRow]!, end)
  // Of a definition that continues in a later group, this group contains only the head.
  const complete = outermost.filter((definition) => definition.end <= end)
  const own =
    outermost.length === 1 ? (complete.find((definition) => covers(definition, group)) ?? null) : null
  const innerScope = own ? own.path : place.scope
  return {
    ...rows,
    holds: (own ? hasOpenMembers(own) : complete.some(isOrHasMember)) ? "members" : "statements",
    defines: outermost.some((definition) => definition.kind !== null || definition.hasMembers),
    innerScope,
    open: () => {
      const spreads = own?.isSpread ? NONE : place.spreads
      return openGroup(group, rows, { ...place, scope: innerScope, depth: place.depth + 1, spreads })
    },
  }
}

/** True if the members of a definition become units of their own. Functions inside a function do not. */
function hasOpenMembers({ kind, hasMembers }: NestedDefinition): boolean {
  return hasMembers && (kind === null || isTypeLike(kind))
}

function isOrHasMember({ kind, hasMembers }: NestedDefinition): boolean {
  return hasMembers || isMember(kind)
}

function openGroup(group: NodeGroup, rows: RowRange, place: SyntaxScope): Unit[] {
  const { syntax } = place
  let nodes: readonly Node[] = place.depth < MAX_DEPTH ? group.nodes : []
  for (let level = 0; level < MAX_LEVELS; level++) {
    if (nodes.every((node) => isWhole(node, group, syntax))) break
    nodes = nodes.flatMap((node) => (isWhole(node, group, syntax) ? [node] : node.children))
    const groups = groupByRows(nodes, syntax, place.spreads)
    if (groups.length > 1) return unitsOf(groups, rows, place)
  }
  return lineUnits(syntax.lines, rows, place.scope, syntax.runChars)
}

/**
 * True for a node that cannot be split: one without parts, and a comment or attribute above the node that is split,
 * which stays with the head of that node.
 */
function isWhole(node: Node, group: NodeGroup, syntax: Syntax): boolean {
  return node.childCount === 0 || (!group.isLead && leads(node.startIndex, node.endIndex, syntax))
}

/** Definitions that start between two offsets, without those that are inside another such definition. */
function outermostDefinitions(
  definitions: readonly NestedDefinition[],
  from: number,
  to: number,
): NestedDefinition[] {
  const outermost: NestedDefinition[] = []
  let at = firstFrom(definitions, from)
  while (at < definitions.length && definitions[at]!.start < to) {
    const definition = definitions[at]!
    outermost.push(definition)
    at = Math.max(at + 1, firstFrom(definitions, definition.end))
  }
  return outermost
}

/** True if the definition fills more than half of the group. Parts of the group then count as parts of the definition. */
function covers(definition: NestedDefinition, { main, end }: NodeGroup): boolean {
  return (definition.end - Math.max(definition.start, main)) * 2 > end - main
}

function groupByRows(nodes: readonly Node[], syntax: Syntax, spreads: Spans): NodeGroup[] {
  const groups: NodeGroup[] = []
  for (const node of nodes.flatMap((holder) => syntax.embedded.get(holder.id) ?? holder)) {
    const { startIndex } = node
    const end = trimmedEnd(syntax.lines.text, startIndex, node.endIndex)
    if (end > startIndex) addNode(groups, node, end, syntax, spreads)
  }
  return groups
}

function addNode(groups: NodeGroup[], node: Node, end: number, syntax: Syntax, spreads: Spans): void {
  const { lines } = syntax
  const start = node.startIndex
  const startRow = rowAt(lines, start)
  const lastRow = rowAt(lines, end - 1)
  const isLead = leads(start, end, syntax)
  const last = groups.at(-1)
  if (
    last &&
    (startRow <= last.lastRow ||
      isLedBy(last, startRow, lines) ||
      closes(start, end, lines) ||
      startOfSpan(spreads, start) < start)
  ) {
    last.nodes.push(node)
    last.lastRow = Math.max(last.lastRow, lastRow)
    last.end = Math.max(last.end, end)
    if (last.isLead && !isLead) last.main = start
    last.isLead &&= isLead
    return
  }
  groups.push({ nodes: [node], startRow, lastRow, main: start, end, isLead })
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

function isLedBy(lead: NodeGroup, startRow: number, lines: TextLines): boolean {
  if (!lead.isLead) return false
  return startRow === lead.lastRow + 1 || isCommentBeyondBlank(lines, lead.main, lead.startRow, startRow)
}

/** True for a node that belongs to the node after it: a comment, or a decorator or attribute of a definition. */
function leads(start: number, end: number, { lines, comments, definitions }: Syntax): boolean {
  const { text } = lines
  const first = text[start]
  if (first === "@" || (first === "#" && text[start + 1] === "[")) {
    const next = definitions[firstFrom(definitions, start)]
    return !next || next.start >= end
  }
  return isInSpan(comments, start)
}

function closes(start: number, end: number, { text }: TextLines): boolean {
  return end - start <= 10 && CLOSER.test(text.slice(start, end))
}
