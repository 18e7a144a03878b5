// Not from definition.ts: the page, which runs in a browser, draws with this file.
import { byCertainty, type Certainty } from "../certainty.ts"

/** A symbol in a graph; or a file, for uses in it that are not inside of any symbol. */
export type GraphNode = {
  /** `path:line`; for a file only its path. */
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly line: number
  /** "asked": the question was about this symbol; "removed": the symbol is no longer defined. */
  readonly role: "asked" | "related" | "file" | "removed"
  readonly is_test: boolean
}

/** An arrow from a symbol to a symbol that it uses. */
export type GraphEdge = { readonly from: string; readonly to: string; readonly certainty: Certainty }

export type Graph = {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** Number of nodes left out because of MAX_NODES. */
  readonly left_out: number
}

/** Maximum number of nodes: larger graphs are unreadable. */
export const MAX_NODES = 150

export const NO_GRAPH: Graph = { nodes: [], edges: [], left_out: 0 }

/**
 * The first graph with the nodes and edges of the second, up to MAX_NODES. Of two edges between the same nodes the one
 * that is more certain stays.
 */
export function joinGraphs(graph: Graph, more: Graph): Graph {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  let leftOut = graph.left_out + more.left_out
  for (const node of more.nodes) {
    if (nodes.has(node.id)) continue
    if (nodes.size < MAX_NODES) nodes.set(node.id, node)
    else leftOut++
  }
  const edges = new Map<string, GraphEdge>()
  for (const edge of [...graph.edges, ...more.edges]) {
    const key = `${edge.from} ${edge.to}`
    if (edge.from === edge.to || !nodes.has(edge.from) || !nodes.has(edge.to)) continue
    const known = edges.get(key)
    if (known === undefined || byCertainty(edge, known) < 0) edges.set(key, edge)
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], left_out: leftOut }
}

/** The graph as a Mermaid flowchart. */
export function mermaid({ nodes, edges }: Graph): string {
  const number = new Map(nodes.map(({ id }, nth) => [id, `n${nth}`]))
  const text = (name: string) => name.replace(/[^\w.$ -]/g, (sign) => `#${sign.codePointAt(0)};`)
  const arrow = { certain: "-->", possible: "-.->", "by name": "-.->" } as const
  return [
    "flowchart LR",
    ...nodes.map(({ id, name, role, is_test }) => {
      const testClass = is_test ? ":::test" : ""
      return `  ${number.get(id)}["${text(name)}"]${role === "asked" ? ":::asked" : testClass}`
    }),
    ...edges.map(({ from, to, certainty }) => `  ${number.get(from)} ${arrow[certainty]} ${number.get(to)}`),
    "  classDef asked stroke-width:3px",
    "  classDef test stroke-dasharray:4",
    "",
  ].join("\n")
}

/** The graph in the DOT language of Graphviz. */
export function dot({ nodes, edges }: Graph): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&").replace(/\s/g, " ")}"`
  const style = { certain: "solid", possible: "dashed", "by name": "dotted" } as const
  return [
    "digraph {",
    "  rankdir=LR",
    ...nodes.map(
      ({ id, name, path, line, role, is_test }) =>
        `  ${quoted(id)} [label=${quoted(name)}, tooltip=${quoted(`${path}:${line}`)}${role === "asked" ? ", penwidth=2" : ""}${is_test ? ", shape=box" : ""}]`,
    ),
    ...edges.map(
      ({ from, to, certainty }) => `  ${quoted(from)} -> ${quoted(to)} [style=${style[certainty]}]`,
    ),
    "}",
    "",
  ].join("\n")
}
