/** A node to place, with its width in pixels. */
export type LayoutNode = { readonly id: string; readonly width: number }
export type LayoutEdge = { readonly from: string; readonly to: string }
/** Position of a node in pixels: `x` is its left edge, `y` its vertical middle. */
export type NodePosition = { readonly x: number; readonly y: number }
export type Layout = {
  readonly places: ReadonlyMap<string, NodePosition>
  readonly width: number
  readonly height: number
}

/** Height of a row, gap between two columns and margin of the drawing, in pixels. */
const ROW = 30
const GAP = 72
const MARGIN = 16
/** Number of passes over all columns in which nodes are moved nearer to their neighbours. */
const SWEEPS = 4

/**
 * Places nodes in columns by their distance from the start nodes (`assignColumns`). Within a column, nodes are placed
 * near the nodes that they are connected with (barycentre rule, Sugiyama et al. 1981).
 */
export function layout(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  starts: readonly string[],
): Layout {
  const steps = stepsOf(nodes, edges)
  const column = assignColumns(nodes, steps, starts)
  const groups = Map.groupBy(nodes, ({ id }) => column.get(id)!)
  const columns = [...groups.keys()].sort((a, b) => a - b).map((nth) => groups.get(nth)!)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const row = new Map(
      columns.flatMap((all) => all.map(({ id }, nth) => [id, nth - all.length / 2] as const)),
    )
    for (const [nth, all] of columns.entries()) {
      const middle = ({ id }: LayoutNode) => {
        const rows = steps
          .get(id)!
          .flatMap(([other]) => (column.get(other) === column.get(id) ? [] : row.get(other)!))
        return rows.length === 0 ? row.get(id)! : rows.reduce((sum, each) => sum + each, 0) / rows.length
      }
      columns[nth] = all.toSorted((a, b) => middle(a) - middle(b))
    }
  }
  const height = 2 * MARGIN + ROW * Math.max(1, ...columns.map(({ length }) => length))
  const places = new Map<string, NodePosition>()
  let x = MARGIN
  for (const all of columns) {
    const top = (height - ROW * all.length) / 2
    for (const [nth, { id }] of all.entries()) places.set(id, { x, y: top + ROW * (nth + 0.5) })
    x += Math.max(...all.map(({ width }) => width)) + GAP
  }
  return { places, width: Math.max(x - GAP, 0) + MARGIN, height }
}

type Steps = ReadonlyMap<string, readonly (readonly [string, 1 | -1])[]>

/**
 * For each node, the nodes connected with it: 1 if the arrow leads to that node, which is placed on the right; -1 if the
 * arrow comes from it.
 */
function stepsOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Steps {
  const steps = new Map(nodes.map(({ id }) => [id, [] as (readonly [string, 1 | -1])[]]))
  for (const { from, to } of edges) {
    steps.get(from)!.push([to, 1])
    steps.get(to)!.push([from, -1])
  }
  return steps
}

/**
 * Column of each node, by a breadth-first search from the start nodes, which are in column 0, along arrows in both
 * directions: a node is right of the node it was reached from if the arrow points to it, otherwise left.
 */
function assignColumns(
  nodes: readonly LayoutNode[],
  steps: Steps,
  starts: readonly string[],
): Map<string, number> {
  const column = new Map<string, number>()
  const reach = (queue: string[]) => {
    column.set(queue[0]!, 0)
    for (const id of queue)
      for (const [other, step] of steps.get(id)!) {
        if (column.has(other)) continue
        column.set(other, column.get(id)! + step)
        queue.push(other)
      }
  }
  for (const id of [...starts, ...nodes.map((node) => node.id)]) if (!column.has(id)) reach([id])
  return column
}
