/** A symbol in a graph of a neighbourhood. */
export type GraphNode = {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly line: number
}

/** An arrow from a caller or subtype to what it uses. */
export type GraphEdge = { readonly from: string; readonly to: string; readonly confidence: number }

export type Graph = { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] }

/** Maximum number of nodes; a graph with more cannot be read. */
export const MAX_NODES = 150

/** The first graph with the nodes and edges of the second, up to MAX_NODES, and how many nodes did not fit. */
export function joined(graph: Graph, more: Graph): { readonly graph: Graph; readonly leftOut: number } {
  const known = new Set(graph.nodes.map(({ id }) => id))
  const added = more.nodes.filter(({ id }) => !known.has(id))
  const nodes = [...graph.nodes, ...added].slice(0, MAX_NODES)
  const ids = new Set(nodes.map(({ id }) => id))
  const edges = new Map<string, GraphEdge>()
  for (const edge of [...graph.edges, ...more.edges])
    if (ids.has(edge.from) && ids.has(edge.to)) edges.set(`${edge.from} ${edge.to}`, edge)
  return {
    graph: { nodes, edges: [...edges.values()] },
    leftOut: graph.nodes.length + added.length - nodes.length,
  }
}

export type Point = { readonly x: number; readonly y: number }

const STEPS = 200

/**
 * Positions of the nodes in a unit square, computed by simulated forces: nodes repel each other, edges attract
 * (Fruchterman and Reingold 1991). All nodes start on a circle, so that the same graph always looks the same.
 */
export function layout({ nodes, edges }: Graph): ReadonlyMap<string, Point> {
  const count = nodes.length
  const near = Math.sqrt(1 / Math.max(1, count))
  const points = nodes.map((_, nth) => {
    const angle = (2 * Math.PI * nth) / count
    return { x: 0.5 + 0.4 * Math.cos(angle), y: 0.5 + 0.4 * Math.sin(angle) }
  })
  const at = new Map(nodes.map(({ id }, nth) => [id, nth]))
  for (let step = 0; step < STEPS; step++) {
    const moves = points.map(() => ({ x: 0, y: 0 }))
    for (let a = 0; a < count; a++) for (let b = 0; b < a; b++) push(points, moves, [a, b], near ** 2)
    for (const { from, to } of edges) pull(points, moves, [at.get(from)!, at.get(to)!], near)
    const max = 0.1 * (1 - step / STEPS)
    for (const [nth, { x, y }] of moves.entries()) {
      const length = Math.hypot(x, y) || 1
      const share = Math.min(length, max) / length
      const point = points[nth]!
      points[nth] = { x: within(point.x + x * share), y: within(point.y + y * share) }
    }
  }
  return new Map(nodes.map(({ id }, nth) => [id, points[nth]!]))
}

function within(value: number): number {
  return Math.min(0.95, Math.max(0.05, value))
}

type Move = { x: number; y: number }

function push(
  points: readonly Point[],
  moves: readonly Move[],
  [a, b]: [number, number],
  force: number,
): void {
  const [dx, dy] = [points[a]!.x - points[b]!.x || 1e-4, points[a]!.y - points[b]!.y || 1e-4]
  const square = dx * dx + dy * dy
  moves[a]!.x += (dx / square) * force
  moves[a]!.y += (dy / square) * force
  moves[b]!.x -= (dx / square) * force
  moves[b]!.y -= (dy / square) * force
}

function pull(
  points: readonly Point[],
  moves: readonly Move[],
  [a, b]: [number, number],
  near: number,
): void {
  const [dx, dy] = [points[a]!.x - points[b]!.x, points[a]!.y - points[b]!.y]
  const force = Math.hypot(dx, dy) / near
  moves[a]!.x -= dx * force
  moves[a]!.y -= dy * force
  moves[b]!.x += dx * force
  moves[b]!.y += dy * force
}

/**
 * The line style of an edge by its confidence: "exact", "likely" or "name", with the same limits as in `aman symbol`.
 */
export function sureness(confidence: number): "exact" | "likely" | "name" {
  return confidence >= 0.85 ? "exact" : confidence >= 0.6 ? "likely" : "name"
}

/** The graph as a Mermaid flowchart. */
export function mermaid({ nodes, edges }: Graph): string {
  const number = new Map(nodes.map(({ id }, nth) => [id, `n${nth}`]))
  const text = (name: string) => name.replace(/[^\w.$ -]/g, (sign) => `#${sign.codePointAt(0)};`)
  const arrow = { exact: "-->", likely: "-.->", name: "-.->" } as const
  return [
    "flowchart LR",
    ...nodes.map(({ id, name }) => `  ${number.get(id)}["${text(name)}"]`),
    ...edges.map(
      ({ from, to, confidence }) => `  ${number.get(from)} ${arrow[sureness(confidence)]} ${number.get(to)}`,
    ),
    "",
  ].join("\n")
}

/** The graph in the DOT language of Graphviz. */
export function dot({ nodes, edges }: Graph): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&").replace(/\s/g, " ")}"`
  const style = { exact: "solid", likely: "dashed", name: "dotted" } as const
  return [
    "digraph {",
    "  rankdir=LR",
    ...nodes.map(
      ({ id, name, path, line }) =>
        `  ${quoted(id)} [label=${quoted(name)}, tooltip=${quoted(`${path}:${line}`)}]`,
    ),
    ...edges.map(
      ({ from, to, confidence }) =>
        `  ${quoted(from)} -> ${quoted(to)} [style=${style[sureness(confidence)]}]`,
    ),
    "}",
    "",
  ].join("\n")
}
