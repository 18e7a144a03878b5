import type { Node } from "web-tree-sitter"
import type { RowRange, Unit } from "../chunk/chunk.ts"
import { lineUnits } from "../chunk/line-units.ts"
import { firstFrom, isMember, isTypeLike, type NestedDefinition } from "../definitions.ts"
import { isInSpan, type Spans, startOfSpan } from "../spans.ts"
import { isCommentBeyondBlank, isSpace, rowAt, type TextLines } from "../text-lines.ts"

/** The text that is cut into units, with what the syntax tree says about it. */
export type Syntax = {
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
export function syntaxUnits(root: Node, syntax: Syntax): Unit[] {
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

/**
 * True if the definition fills more than half of the group. Parts of the group then count as parts of the definition.
 */
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
