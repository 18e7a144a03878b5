import { FILE_FLAG } from "../../../base/files/file-flag.ts"
import { definitionKey, qualifiedName, type SymbolDefinition } from "../../../symbols/definition.ts"
import type { FileView } from "../../../symbols/file-view.ts"
import type { Link, RelatedDefinition, SymbolResults } from "../symbol-answer.ts"
import { type Graph, type GraphNode, joinGraphs, MAX_NODES, NO_GRAPH } from "./graph.ts"

/**
 * Maximum number of definitions asked about in a graph. A change may have touched hundreds, but the symbols that use
 * them need space, too.
 */
const MAX_ASKED = MAX_NODES / 2

/**
 * The graph of an answer: its definitions, the related symbols of a page, and the files that use them outside of any
 * symbol.
 */
export function graphOfLinks(
  { definitions, gone = [], links = [] }: SymbolResults,
  related: readonly RelatedDefinition[],
): Graph {
  const removed = new Set(gone)
  const idOf = (node: SymbolDefinition | FileView) => {
    if (!("symbol" in node)) return node.path
    return `${removed.has(node) ? "removed " : ""}${node.file.path}:${node.symbol.startLine}`
  }
  const used = new Set(links.flatMap(({ used: one, user }) => [one, user].map(idOf)))
  const sorted = [...gone, ...definitions].sort(
    (a, b) => Number(used.has(idOf(b))) - Number(used.has(idOf(a))),
  )
  const subjects = sorted.slice(0, MAX_ASKED)
  const requested = new Set(definitions.map(definitionKey))
  const symbols = [
    ...subjects,
    ...related.flatMap(({ definition }) => (requested.has(definitionKey(definition)) ? [] : [definition])),
  ]
  const shown = new Set(symbols.map(idOf))
  const files = links.flatMap(({ user, used: one }) =>
    "symbol" in user || !shown.has(idOf(one)) ? [] : [user],
  )
  const roleOf = (definition: SymbolDefinition) => {
    if (removed.has(definition)) return "removed"
    return requested.has(definitionKey(definition)) ? "asked" : "related"
  }
  const nodes = [
    ...symbols.map((each): GraphNode => ({ ...symbolNode(each), id: idOf(each), role: roleOf(each) })),
    ...files.map(fileNode),
  ]
  const edges = links.map(({ user, used: one, confidence }: Link) => ({
    from: idOf(user),
    to: idOf(one),
    confidence: Math.round(confidence * 100) / 100,
  }))
  const graph = joinGraphs(NO_GRAPH, { nodes, edges, left_out: 0 })
  return { ...graph, left_out: graph.left_out + sorted.length - subjects.length }
}

function symbolNode({ symbol, file }: SymbolDefinition): Omit<GraphNode, "id" | "role"> {
  return {
    name: qualifiedName({ symbol }),
    kind: symbol.kind,
    path: file.path,
    line: symbol.startLine,
    is_test: isTest(file),
  }
}

function fileNode(file: FileView): GraphNode {
  const name = file.path.slice(file.path.lastIndexOf("/") + 1)
  return { id: file.path, name, kind: "file", path: file.path, line: 1, role: "file", is_test: isTest(file) }
}

function isTest({ flags }: FileView): boolean {
  return (flags & FILE_FLAG.test) !== 0
}
