/*
 * The relations of a symbol: `relatedTo` answers references, callers, callees and implementations; `impactIn` follows
 * everything that may break over several steps. Reading stops at a budget; notices then say what was not read.
 */

import { plural } from "../../base/index.ts"
import { type AlsoUsedBy, type CallStep, type CallWalk, calleesOf, callersOf, impactOf } from "../calls.ts"
import { type Certainty, weaker } from "../certainty.ts"
import { type Bounds, Budget, definitionKey, type Edge, type SymbolDefinition } from "../definition.ts"
import { implementationsOf, mayHaveMore } from "../implementations.ts"
import { importedImplementations } from "../imported-uses.ts"
import { type ReferencePage, type References, referencesTo } from "../references.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { Link, RelatedDefinition, SymbolRequest, SymbolResults } from "./symbol-answer.ts"

/**
 * The definitions, with the symbols or references that have the requested relation to them. `alsoUsedBy` is asked for
 * callers over several steps.
 */
export function relatedTo(
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  request: SymbolRequest,
  bounds: Bounds,
  alsoUsedBy?: AlsoUsedBy,
): SymbolResults {
  const budget = new Budget(bounds)
  const depth = request.depth ?? 1
  switch (request.relation) {
    case "references": {
      return { definitions, ...referencesTo(graph, definitions, budget, lookAheadPage(request)) }
    }
    case "callers": {
      // Twice as many references are found as callers are needed, because one caller may call several times.
      const page = lookAheadPage(request, 2)
      const walk = callersOf(graph, definitions, {
        ...{ depth, budget, page },
        ...(depth > 1 && alsoUsedBy && { alsoUsedBy }),
      })
      const { topLevel: edges, unresolved, calls, unseen, others } = walk
      const isNone = calls.length + edges.length + unresolved.length + unseen === 0
      const mentionNotes =
        isNone && request.offset === 0
          ? namedOnly(referencesTo(graph, definitions, new Budget(bounds), ANY))
          : []
      const { notices = [], ...rest } = resultsOf(walk, depth)
      const notes = [...mentionNotes, ...notices]
      const links = [...linksToUsed(walk.steps), ...fileLinks(edges)]
      return { definitions, ...rest, notices: notes, edges, unresolved, others, links }
    }
    case "callees": {
      const walk = calleesOf(graph, definitions, depth, { budget, enough: lookAheadPage(request).enough })
      const links = walk.steps.map(({ definition, from, edge }) => linkOf(from, definition, edge.certainty))
      return { definitions, ...resultsOf(walk, depth), unresolved: walk.unresolved, links }
    }
    case "implementations": {
      const { found: related, foreign: edges, unseen } = implementationsOf(graph, definitions, budget)
      const all = withImported(graph, definitions, related)
      return {
        definitions,
        related: all,
        edges,
        notices: [
          ...namedInterfaceNotes(definitions),
          ...definitions.flatMap((each) => mayHaveMore(graph, each) ?? []),
          ...unseenNotes(unseen),
        ],
        links: subtypeLinks(definitions, all),
      }
    }
    default:
      return { definitions }
  }
}

/** A notice for a Go type that names an interface of another project: `type errMsg error` has the methods of `error`. */
function namedInterfaceNotes(definitions: readonly SymbolDefinition[]): string[] {
  const named = definitions.find(
    ({ symbol, file }) => file.family === "go" && NAMED_INTERFACE.test(symbol.signature),
  )
  if (named === undefined) return []
  return [
    `${named.symbol.name} has the methods of a type that this project does not define; types with the same methods may be implementations`,
  ]
}

const NAMED_INTERFACE = /^(?:type\s+)?\w+\s+(?:error|any|\w+\.\w+)$/

/** Adds the implementations that an imported index has, which are certain. */
function withImported(
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  inferred: readonly RelatedDefinition[],
): readonly RelatedDefinition[] {
  const imported = importedImplementations(graph.store, definitions).flatMap(({ path, line, name }) =>
    graph
      .definitionsOf(name)
      .filter(({ file, symbol }) => file.path === path && symbol.startLine <= line && line <= symbol.endLine)
      .slice(-1)
      .map((definition) => ({ definition, certainty: "certain" as const })),
  )
  const importedKeys = new Set(imported.map(({ definition }) => definitionKey(definition)))
  return [...imported, ...inferred.filter(({ definition }) => !importedKeys.has(definitionKey(definition)))]
}

export function impactIn(
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  bounds: Bounds,
  alsoUsedBy?: AlsoUsedBy,
): SymbolResults {
  const { affected, tests, files, unresolved, ...walk } = impactOf(
    graph,
    definitions,
    new Budget(bounds),
    alsoUsedBy,
  )
  const subtypes = affected.filter(({ edges }) => edges.length === 0)
  const links = [
    ...linksToUsed(walk.steps),
    ...fileLinks(walk.topLevel),
    ...subtypeLinks(definitions, subtypes),
  ]
  return {
    definitions,
    related: affected,
    tests,
    files,
    unresolved,
    links,
    notices: cutNotes(walk, "affected"),
  }
}

function linkOf(user: Link["user"], used: SymbolDefinition, certainty: Certainty): Link {
  return { user, used, certainty }
}

/** The steps from a definition to those that use it. */
function linksToUsed(steps: readonly CallStep[]): Link[] {
  return steps.map(({ definition, from, edge }) => linkOf(definition, from, edge.certainty))
}

function fileLinks(edges: readonly Edge[]): Link[] {
  return edges.flatMap(({ file, target, certainty }) =>
    target === null ? [] : [linkOf(file, target, certainty)],
  )
}

/** Links from subtypes to the definitions. Which of several definitions a subtype extends is not known, so it links to each. */
function subtypeLinks(
  definitions: readonly SymbolDefinition[],
  subtypes: readonly RelatedDefinition[],
): Link[] {
  const max = definitions.length > 1 ? "possible" : "certain"
  return subtypes.flatMap(({ definition, certainty }) =>
    definitions.map((used) => linkOf(definition, used, weaker(max, certainty))),
  )
}

/** The related symbols of a walk; a walk of one step counts unread files, a longer one has a notice. */
function resultsOf(walk: CallWalk, depth: number): Pick<SymbolResults, "related" | "unseen" | "notices"> {
  return {
    related: walk.calls,
    ...(depth === 1 ? { unseen: walk.unseen } : { notices: cutNotes(walk, "found") }),
  }
}

function cutNotes({ isCut, wholeDepth }: Pick<CallWalk, "isCut" | "wholeDepth">, what: string): string[] {
  if (!isCut) return []
  const near = wholeDepth === 0 ? "not even the first step is complete" : `complete to depth ${wholeDepth}`
  return [
    `partial: more is ${what} than could be followed in time (${near}); continue from one of these, or add a path`,
  ]
}

/** A page of unlimited size: reading stops only when the budget is spent, and not before one use is found. */
const ANY: ReferencePage = { from: 0, enough: Number.POSITIVE_INFINITY }

/** A notice for a definition, such as a C type, that is used but never called. */
function namedOnly({ edges: { length: uses }, unseen }: References): string[] {
  if (uses === 0) return []
  return [
    `mentioned in ${plural(uses, "place")}${unseen > 0 ? " or more" : ""} but never called; see its references`,
  ]
}

/**
 * A notice about unread files. Their results cannot be a next page, because they belong between the results already
 * shown.
 */
function unseenNotes(unseen: number): string[] {
  const rest = unseen === 1 ? "uses these names and was" : "use these names and were"
  const files = plural(unseen, "more file")
  return unseen === 0 ? [] : [`partial: ${files} ${rest} not checked in time; choose one type by its path`]
}

/** The number of references to find: those of the page and before it, and one more that shows whether a page follows. */
function lookAheadPage({ offset, limit }: SymbolRequest, times = 1): ReferencePage {
  return { from: offset, enough: times * (offset + limit) + 1 }
}
