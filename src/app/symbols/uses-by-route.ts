import { plural } from "../../base/plural.ts"
import { Budget } from "../../symbols/budget.ts"
import type { SymbolDefinition } from "../../symbols/definition.ts"
import { type Edge, edgeAt } from "../../symbols/edge.ts"
import { literalOf } from "../../symbols/references/literals.ts"
import { referencesTo } from "../../symbols/references/references.ts"
import type { SymbolGraph } from "../../symbols/symbol-graph.ts"
import type { Project } from "../project/open-project.ts"
import { type OtherSide, ServiceEdges } from "./service-edges.ts"
import type { RelatedDefinition, SymbolRequest, SymbolResults } from "./symbol-answer.ts"

/** Names with more definitions are not followed, because their definitions do not handle one and the same route. */
const MAX_DEFINITIONS = 3
/** The page of uses of a definition in which a line is sought that registers it as a handler. */
const MAX_USES = { from: -1, enough: 8 }
const FILES = { forText: 300, inAll: 500 }
const BOUNDS = { files: 16, work: 50, ms: 200, now: () => performance.now() }

/**
 * The results with the places that reach a definition through the route it handles: calls of the route, links by its
 * name, and lines in which Rails names the action.
 */
export function withUsesByRoute(
  graph: SymbolGraph,
  project: Project,
  { relation, depth = 1 }: SymbolRequest,
  results: SymbolResults,
): SymbolResults {
  const { definitions, edges = [], related = [], unseen = 0 } = results
  const isAsked = relation === "references" || (relation === "callers" && depth === 1)
  if (!isAsked || unseen > 0 || definitions.length > MAX_DEFINITIONS) return results
  const services = new ServiceEdges(project, graph, FILES)
  const listed = new Set(
    [...edges, ...related.flatMap((each) => each.edges ?? [])].map(
      ({ file, line }) => `${file.path}:${line}`,
    ),
  )
  const isNew = ({ file, line }: Edge) => !listed.has(`${file.path}:${line}`)
  let unread = 0
  const more = definitions.flatMap((definition) => {
    const uses = referencesTo(graph, definition, new Budget(BOUNDS), MAX_USES).edges
    const registered = services.registrations(definition, uses)
    const byText = services.servedTexts(definition, uses).flatMap((text) => {
      const other = services.otherSides(text, definition)
      unread += other.unread
      return other.places.flatMap((place) => edgeOfPlace(graph, place, definition)).filter(isNew)
    })
    return [...registered.filter(isNew), ...byText]
  })
  if (more.length === 0 && unread === 0) return results
  const notices = [
    ...(more.length === 0
      ? []
      : [
          `${plural(more.length, "place")} found by the route or topic that it handles: one put together at run time is not found`,
        ]),
    ...(unread === 0
      ? []
      : [
          `${plural(unread, "file")} with the words of its route or topic were not read: search for the text itself`,
        ]),
  ]
  const withNotices = { ...results, notices: [...(results.notices ?? []), ...notices] }
  if (relation === "references") return { ...withNotices, edges: [...edges, ...more] }
  const [inside, outside] = [more.filter(isInside), more.filter((edge) => !isInside(edge))]
  return { ...withNotices, related: [...related, ...inside.map(callerOf)], edges: [...edges, ...outside] }
}

function edgeOfPlace(graph: SymbolGraph, place: OtherSide, target: SymbolDefinition): Edge[] {
  const file = graph.file(place.path)
  if (file === null) return []
  const { line, role, confidence, literal } = place
  const name = literalOf(literal)?.parts[0] ?? literal
  return [edgeAt(file, line, { kind: role === "called" ? "call" : "mention", confidence, target, name })]
}

function isInside({ within }: Edge): boolean {
  return within !== null
}

function callerOf(edge: Edge): RelatedDefinition {
  const { file, within, confidence } = edge
  return { definition: { symbol: within!, file }, confidence, depth: 1, edges: [edge] }
}
