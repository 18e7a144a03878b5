import { AmanError, isNear, maxDistance, nearest } from "../../base/index.ts"
import { pathTest } from "../../search/index.ts"
import { foldName } from "../../store/index.ts"
import {
  bodiesFirst,
  findDefinitions,
  qualifiedName,
  type RankedDefinition,
  type SymbolDefinition,
  storedName,
} from "../definition.ts"
import { definitionsExportedAs } from "../exported-names.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { SymbolRequest } from "./symbol-answer.ts"
import { definitionsAtSite, definitionsMeant, type FoundDefinitions } from "./symbol-sites.ts"

/**
 * The definitions of the requested name, at least one. Throws USAGE if no name is given, and NOT_FOUND with a hint that
 * says where else the name is defined, where it is only used, or which names are similar.
 */
export function requestedDefinitions(
  graph: SymbolGraph,
  { name, path, site }: SymbolRequest,
): FoundDefinitions {
  if (site !== undefined) return definitionsAtSite(graph, site)
  if (!name?.trim())
    throw new AmanError("USAGE", "no symbol given", { hint: "for example: aman symbol parseConfig" })
  const definitions = findDefinitions(graph, name.trim(), below(path))
  if (definitions.length > 0)
    return {
      definitions: definitions.length === 1 ? definitions : centralFirst(graph, definitions),
      notices: [],
    }
  const exported = definitionsExportedAs(name.trim(), graph).filter(({ home }) => below(path)(home.path))
  if (exported.length > 0) {
    const notices = exported.map((each) => `${each.home.path} exports ${qualifiedName(each)} as ${name}`)
    return { definitions: exported, notices: [...new Set(notices)] }
  }
  const user = path === undefined ? null : graph.file(path)
  // The member of another owner is not what was asked for.
  const isKnown = lastPart(name) === name || findDefinitions(graph, name, () => true).length > 0
  if (user !== null && isKnown && user.usesOf(storedName(lastPart(name))).length > 0)
    return definitionsMeant(graph, user, name, null)
  throw new AmanError("NOT_FOUND", `no definition of ${JSON.stringify(name)} in this project`, {
    hint: whereElse(graph, name.trim(), path),
  })
}

/** The name without its owner: `open` for `Shop.open` and `Shop::open`. */
export function lastPart(name: string): string {
  return name.replace(/^.*(?:\.|::|#|->)(?=.)/, "")
}

/** Hint for a missing name: it may be defined outside the path or under another owner, or only be used. */
function whereElse(graph: SymbolGraph, name: string, path: string | undefined): string {
  const elsewhere = path ? findDefinitions(graph, name, () => true) : []
  if (elsewhere.length > 0) {
    const paths = [...new Set(elsewhere.map(({ file }) => file.path))]
    return `it is defined outside ${JSON.stringify(path)}: ${pathList(paths, paths.length)}`
  }
  const last = lastPart(name)
  const namesakes = last === name ? [] : findDefinitions(graph, last, () => true)
  if (namesakes.length > 0) {
    const owners = [...new Set(namesakes.map(qualifiedName))]
    return `the name is defined as ${pathList(owners, owners.length)}`
  }
  const users = graph.idsUsing(last)
  const near = nearestName(graph, last)
  if (near !== undefined)
    return `did you mean ${near}?${users.length === 0 ? "" : ` ${usedElsewhere(graph, users)}`}`
  if (users.length === 0) {
    return graph.store.files.byPath(name) === null
      ? `to find the text: aman search ${JSON.stringify(name)}`
      : `this is a file; to list its symbols: aman symbol --outline ${JSON.stringify(name)}`
  }
  return usedElsewhere(graph, users)
}

function usedElsewhere(graph: SymbolGraph, users: readonly number[]): string {
  const some = graph.files(graph.inOrder(users, []).slice(0, MAX_NAMED)).map((file) => file.path)
  const many = users.length === 1 ? "1 file uses" : `${users.length} files use`
  return `${many} that name (${pathList(some, users.length)}): a field, or a name from elsewhere`
}

/** Names whose length differs by more from a misspelt one are not compared with it. */
const MAX_LENGTH_DIFFERENCE = 2

/** Most misspellings differ by at most this many edits; names that differ by more are compared only if none is so near. */
const FEW_EDITS = 2

/**
 * The defined name that is most similar to a misspelt one. Names are first compared without case and underscores, which
 * makes no distance larger.
 */
function nearestName(graph: SymbolGraph, name: string): string | undefined {
  const folded = foldName(name)
  const max = maxDistance(name)
  const nearestWithin = (edits: number) => {
    const alike = graph.foldedNames().filter((each) => isNear(folded, each, edits))
    const names = graph.store.symbols.namesOfFolded(alike)
    return nearest(
      name,
      names.filter((each) => Math.abs(each.length - name.length) <= MAX_LENGTH_DIFFERENCE),
    )
  }
  const near = max > FEW_EDITS ? nearestWithin(FEW_EDITS) : undefined
  return near !== undefined && isNear(name, near, FEW_EDITS) ? near : nearestWithin(max)
}

const MAX_NAMED = 3

function pathList(paths: readonly string[], of: number): string {
  return `${paths.slice(0, MAX_NAMED).join(", ")}${of > MAX_NAMED ? ", …" : ""}`
}

/** The definitions by the class of their match; within a class, those in more central files come first. */
function centralFirst(graph: SymbolGraph, definitions: readonly RankedDefinition[]): SymbolDefinition[] {
  const ranks = graph.store.centrality.of([...new Set(definitions.map(({ file }) => file.id))])
  const rankOf = ({ file }: SymbolDefinition) => ranks.get(file.id) ?? Number.NEGATIVE_INFINITY
  return bodiesFirst(
    definitions.toSorted((one, other) => one.class - other.class || rankOf(other) - rankOf(one)),
  )
}

/** Maximum number of definitions of one name to follow; each costs as much as the first. */
const MAX_FOLLOWED = 20

/** The definitions to follow for a relation, the most central first. */
export function followedIn(graph: SymbolGraph, request: SymbolRequest): FoundDefinitions {
  const { definitions: all, notices } = requestedDefinitions(graph, request)
  if (all.length <= MAX_FOLLOWED) return { definitions: all, notices }
  const name = JSON.stringify(request.name)
  return {
    definitions: all.slice(0, MAX_FOLLOWED),
    notices: [
      ...notices,
      `${all.length} symbols are called ${name}; only the ${MAX_FOLLOWED} most central are followed; to choose one: Owner.name or its path`,
    ],
  }
}

/** A test whether a path is this file, is below this folder, or matches this glob. */
export function below(path: string | undefined): (path: string) => boolean {
  return path === undefined ? () => true : pathTest(path)
}
