import { plural } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import { certaintyOf, weaker } from "../certainty.ts"
import { Budget, definitionKey, type Edge, edgeAt, type SymbolDefinition } from "../definition.ts"
import { literalOf } from "../literals.ts"
import { referencesTo } from "../references.ts"
import { type OtherSide, Services } from "../services.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { FileTexts, QUICK_BYTES } from "./answer-lines.ts"
import type { SymbolRequest, SymbolResults } from "./symbol-answer.ts"

/** For direct uses, names with more definitions are not followed, because their definitions do not handle one and the same route. */
const MAX_DEFINITIONS = 3
/** Maximum number of definitions whose texts are looked for over several steps. */
const MAX_FOLLOWED = 100
/** The page of uses of a definition in which a line is sought that registers it as a handler. */
const MAX_USES = { from: -1, enough: 8 }
const FILES = { forText: 300, inAll: 500 }
const BOUNDS = { files: 16, work: 50, ms: 200, now: () => performance.now() }

/** Finds uses of definitions by texts such as the route that a definition handles, and counts what it did not read. */
export class UsesByText {
  readonly #graph: SymbolGraph
  readonly #services: Services
  readonly #relation: SymbolRequest["relation"]
  #found = 0
  #unfollowed = 0
  #followed = 0

  constructor(project: Project, graph: SymbolGraph, { relation }: SymbolRequest) {
    this.#graph = graph
    this.#services = new Services(graph, new FileTexts(project, graph.store, QUICK_BYTES), FILES)
    this.#relation = relation
  }

  /**
   * The uses of a definition by its texts. `uses` are some uses of its name, among them those that register it. For an
   * impact, lines that use the table of a type, or what a schema declares, count as uses too.
   */
  #of(definition: SymbolDefinition, uses: readonly Edge[]): Edge[] {
    const extent = this.#relation === "impact" ? "stored" : "served"
    return this.#services
      .textsOf(definition, uses, extent)
      .flatMap((text) => this.#services.otherSides(text, definition).places)
      .flatMap((place) => edgeOfPlace(this.#graph, place, definition))
  }

  /** The uses by text of the definitions that a walk has reached. `uses` are the uses of their names. */
  inLayer(layer: readonly SymbolDefinition[], uses: readonly Edge[]): Edge[] {
    const followed = layer.slice(0, MAX_FOLLOWED - this.#followed)
    this.#followed += followed.length
    this.#unfollowed += layer.length - followed.length
    const byTarget = Map.groupBy(uses, ({ target }) => (target === null ? "" : definitionKey(target)))
    // Calls do not include the lines that register a handler.
    const usesOf = (definition: SymbolDefinition) =>
      this.#relation === "callers"
        ? this.#someUsesOf(definition)
        : (byTarget.get(definitionKey(definition)) ?? [])
    return this.#counted(
      uses,
      followed.flatMap((definition) => this.#of(definition, usesOf(definition))),
    )
  }

  /** The uses by text that are not among those listed, and the lines that register the definition. */
  beyond(definitions: readonly SymbolDefinition[], listed: readonly Edge[]): Edge[] {
    const found = definitions.flatMap((definition) => {
      const uses = this.#someUsesOf(definition)
      return [...this.#services.registrations(definition, uses), ...this.#of(definition, uses)]
    })
    return this.#counted(listed, found)
  }

  #counted(listed: readonly Edge[], found: readonly Edge[]): Edge[] {
    const places = new Set(listed.map(placeOf))
    const more = found.filter((edge) => !places.has(placeOf(edge)))
    this.#found += more.length
    return more
  }

  notices(): string[] {
    const unread = this.#services.unreadFiles
    const wereNot = (count: number) => (count === 1 ? "was not" : "were not")
    const notes: [count: number, what: string, rest: string][] = [
      [
        this.#found,
        "place",
        "found by the route or topic that it handles: one put together at run time is not found",
      ],
      [
        unread,
        "file",
        `with the words of its route or topic ${wereNot(unread)} read: search for the text itself`,
      ],
      [this.#unfollowed, "definition", `${wereNot(this.#unfollowed)} checked for routes that they handle`],
    ]
    return notes.flatMap(([count, what, rest]) => (count === 0 ? [] : [`${plural(count, what)} ${rest}`]))
  }

  #someUsesOf(definition: SymbolDefinition): readonly Edge[] {
    return referencesTo(this.#graph, definition, new Budget(BOUNDS), MAX_USES).edges
  }
}

/**
 * The results with the places that reach a definition through the route it handles: calls of the route, links by its
 * name, and lines in which Rails names the action.
 */
export function withUsesByText(
  byText: UsesByText,
  { relation, depth = 1 }: SymbolRequest,
  results: SymbolResults,
): SymbolResults {
  const { definitions, edges = [], related = [], unseen = 0 } = results
  const isDirect = relation === "references" || (relation === "callers" && depth === 1)
  const isAsked = isDirect && unseen === 0 && definitions.length <= MAX_DEFINITIONS
  const more = isAsked
    ? byText.beyond(definitions, [...edges, ...related.flatMap((each) => each.edges ?? [])])
    : []
  const notices = [...byText.notices(), ...(results.notices ?? [])]
  if (more.length === 0) return { ...results, notices }
  if (relation === "references") return { ...results, notices, edges: [...edges, ...more] }
  const callers = more.flatMap((edge) =>
    edge.within === null
      ? []
      : [
          {
            definition: { symbol: edge.within, file: edge.file },
            certainty: edge.certainty,
            depth: 1,
            edges: [edge],
          },
        ],
  )
  const outside = more.filter(({ within }) => within === null)
  return { ...results, notices, related: [...related, ...callers], edges: [...edges, ...outside] }
}

function placeOf({ file, line }: Edge): string {
  return `${file.path}:${line}`
}

function edgeOfPlace(graph: SymbolGraph, place: OtherSide, target: SymbolDefinition): Edge[] {
  const file = graph.file(place.path)
  if (file === null) return []
  const { line, role, tie, literal } = place
  const name = literalOf(literal)?.parts[0] ?? literal
  // A text is no proof: another service may have a route of the same path.
  const certainty = weaker("possible", certaintyOf(tie))
  return [edgeAt(file, line, { kind: role === "called" ? "call" : "mention", certainty, target, name })]
}
