import type { Edge } from "./knowledge-graph.ts"

/** Along edges from the first node to the last. */
export type Way = {
  readonly nodes: readonly number[]
  readonly edges: readonly Edge[]
  readonly loss: number
}

type Step = {
  readonly hops: number
  readonly loss: number
  readonly edge: Edge | null
  readonly before: number
}

/** Whether a way may go along that edge out of that node. */
export type MayGo = (node: number, edge: Edge) => boolean

/** Of fewest steps, and of those the one with the least loss; null where none leads there. */
export function shortestWay(
  edgesOf: (node: number) => readonly Edge[],
  from: number,
  to: number,
  mayGo: MayGo,
): Way | null {
  const steps = new Map<number, Step>([[from, { hops: 0, loss: 0, edge: null, before: from }]])
  // Breadth first: by the time a node is left, no better way to it can come.
  const queue = [from]
  for (const node of queue) {
    const here = steps.get(node)!
    if (here.hops >= (steps.get(to)?.hops ?? Number.POSITIVE_INFINITY)) break
    for (const edge of edgesOf(node).filter((edge) => mayGo(node, edge))) {
      const step = { hops: here.hops + 1, loss: here.loss + lossOf([edge]), edge, before: node }
      const known = steps.get(edge.other)
      if (known === undefined) queue.push(edge.other)
      if (known === undefined || isBetter(step, known)) steps.set(edge.other, step)
    }
  }
  return steps.has(to) ? wayTo(steps, to) : null
}

function isBetter(step: Step, known: Step): boolean {
  return step.hops === known.hops && step.loss < known.loss
}

function wayTo(steps: ReadonlyMap<number, Step>, to: number): Way {
  const nodes = [to]
  const edges: Edge[] = []
  for (let step = steps.get(to)!; step.edge !== null; step = steps.get(step.before)!) {
    nodes.unshift(step.before)
    edges.unshift(step.edge)
  }
  return { nodes, edges, loss: lossOf(edges) }
}

/** What relations lack to full weight. */
export function lossOf(edges: readonly Edge[]): number {
  return edges.reduce((sum, { relation }) => sum + 1 - relation.weight, 0)
}
