import { FILE_FLAG, plural } from "../../base/index.ts"
import { definitionKey, qualifiedName, type SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import { type Graph, type GraphNode, joinGraphs, MAX_NODES, NO_GRAPH } from "./drawing.ts"
import {
  type Link,
  otherUsesNotes,
  type RelatedDefinition,
  type SymbolAnswer,
  type SymbolRequest,
  type SymbolResults,
  unseenNotes,
} from "./symbol-answer.ts"

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
  const edges = links.map(({ user, used: one, certainty }: Link) => ({
    from: idOf(user),
    to: idOf(one),
    certainty,
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

/** Relations that can be drawn; "neighbourhood" is the first three together. */
export const DRAWN_RELATIONS = ["callers", "callees", "implementations", "impact", "neighbourhood"] as const
export type DrawnRelation = (typeof DRAWN_RELATIONS)[number]

export type GraphRequest = Pick<SymbolRequest, "name" | "path" | "depth" | "diff" | "limit"> & {
  readonly relation: DrawnRelation
}

export type GraphAnswer = {
  readonly name: string | null
  readonly relation: DrawnRelation
  readonly graph: Graph
  /** Only in the answer for an impact: paths of the tests that reach the symbol. */
  readonly tests: readonly string[]
  /** Remarks, above all about results that the graph leaves out. */
  readonly notices: readonly string[]
}

/** The symbols related to a symbol, or to what a diff changed, as a graph. `ask` answers one question about a symbol. */
export async function graphFor(
  ask: (request: SymbolRequest) => Promise<SymbolAnswer>,
  { relation, ...request }: GraphRequest,
): Promise<GraphAnswer> {
  const relations = relation === "neighbourhood" ? DRAWN_RELATIONS.slice(0, 3) : [relation]
  const answers: SymbolAnswer[] = []
  for (const each of relations)
    answers.push(
      await ask({
        ...request,
        relation: each as Exclude<DrawnRelation, "neighbourhood">,
        offset: 0,
        graph: true,
      }),
    )
  const graph = answers.reduce((all, answer) => joinGraphs(all, answer.graph ?? NO_GRAPH), NO_GRAPH)
  const notices = answers.flatMap((answer) => [...missingIn(answer), ...answer.notices])
  return {
    name: request.name ?? null,
    relation,
    graph,
    tests: [...new Set(answers.flatMap(({ tests }) => tests))],
    notices: [
      ...(graph.left_out > 0 ? [`${graph.left_out} more symbols do not fit`] : []),
      ...new Set(notices),
    ],
  }
}

/** One sentence for each kind of result that an answer leaves out. */
function missingIn(answer: SymbolAnswer): string[] {
  const { relation, related, total, references, unresolved } = answer
  const [shown, all] = [related.length, total - references.length]
  const unresolvedUses = `${plural(unresolved.total, "use")} could not be resolved`
  return [
    ...(all > shown ? [`${shown} of ${all} ${NAMES[relation] ?? relation} are drawn`] : []),
    ...unseenNotes(answer),
    ...(unresolved.total > 0 ? [`${NAMES[relation] ?? relation}: ${unresolvedUses}`] : []),
    ...otherUsesNotes(answer),
  ]
}

const NAMES: Partial<Record<SymbolAnswer["relation"], string>> = { impact: "affected symbols" }
