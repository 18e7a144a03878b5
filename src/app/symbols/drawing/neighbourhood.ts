import { otherUsesNotes, type SymbolAnswer, type SymbolRequest, unseenNotes } from "../symbol-answer.ts"
import { type Graph, joinGraphs, NO_GRAPH } from "./graph.ts"

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
  const unresolvedUses =
    unresolved.total === 1 ? "1 use could not be resolved" : `${unresolved.total} uses could not be resolved`
  return [
    ...(all > shown ? [`${shown} of ${all} ${NAMES[relation] ?? relation} are drawn`] : []),
    ...unseenNotes(answer),
    ...(unresolved.total > 0 ? [`${NAMES[relation] ?? relation}: ${unresolvedUses}`] : []),
    ...otherUsesNotes(answer),
  ]
}

const NAMES: Partial<Record<SymbolAnswer["relation"], string>> = { impact: "affected symbols" }
