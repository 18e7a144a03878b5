/*
 * Addresses of symbols. A place that an answer prints names a symbol: `src/a.ts:12`, `src/a.ts:12-30`, `src/a.ts:12:5`,
 * `src/a.ts#Shop.open`, `src/a.ts:12#open`, or a name with a file, or a line of one, as its path. A name on a line is
 * resolved as a use there; a line alone stands for the definition that begins there, for the only definition that it
 * uses, or for the definition around it, in this order.
 */

import { AmanError } from "../../base/index.ts"
import { filtersIn, withoutLines } from "../../index/index.ts"
import { asMember, importsNames, USE, type Use } from "../../parse/index.ts"
import type { Store, SymbolRow } from "../../store/index.ts"
import { isCertain } from "../certainty.ts"
import {
  bodiesFirst,
  definitionKey,
  findDefinitions,
  qualifiedName,
  type SymbolDefinition,
  storedName,
} from "../definition.ts"
import type { FileView } from "../file-view.ts"
import { isDeclaredNear, isGlobalType } from "../meanings.ts"
import { FileMeanings, isResolved, type ResolvedMeaning } from "../resolve.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { SymbolRequest } from "./symbol-answer.ts"

/** A file of the index, with lines of it, a name in it, or both. Lines are counted from 1. */
export type SymbolSite = {
  readonly path: string
  readonly lines: { readonly first: number; readonly last: number | null } | null
  /** Column of a name on the first line, from 1. */
  readonly column: number | null
  readonly name: string | null
}

export type FoundDefinitions = {
  readonly definitions: readonly SymbolDefinition[]
  readonly notices: readonly string[]
}

/** The request with the site that its name, or its path together with its name, addresses; unchanged if there is none. */
export function withSite(store: Store, root: string, request: SymbolRequest): SymbolRequest {
  const typed = request.name?.trim() ?? ""
  const [, before, name] = /^(.+?)#(?!L\d)(.+)$/u.exec(typed) ?? [undefined, typed, null]
  const site = siteOf(store, root, before!)
  if (site !== null && (site.lines !== null || name !== null))
    return { ...request, name: name ?? typed, path: site.path, site: { ...site, name: name ?? null } }
  const scope = request.path === undefined || typed === "" ? null : siteOf(store, root, request.path)
  const isOnLine = scope !== null && scope.lines !== null
  return isOnLine ? { ...request, path: scope.path, site: { ...scope, name: typed } } : request
}

function siteOf(store: Store, root: string, typed: string): SymbolSite | null {
  const { path: file, lines } = withoutLines(typed)
  const path = filtersIn(root, [file])[0]!
  if (store.files.byPath(path) === null) return null
  const column = /:\d+:(\d+)$/.exec(typed)?.[1]
  return { path, lines, column: column === undefined ? null : Number(column), name: null }
}

/** The definitions that a site addresses, at least one. Throws NOT_FOUND, with the reason. */
export function definitionsAtSite(graph: SymbolGraph, site: SymbolSite): FoundDefinitions {
  const file = graph.file(site.path)!
  const { lines } = site
  const name = site.name ?? (lines === null ? null : wordAt(graph, site, lines.first))
  if (lines === null) {
    const definitions = findDefinitions(graph, name!, (path) => path === file.path)
    if (definitions.length > 0) return { definitions, notices: [] }
    throw notIn(file, `no definition of ${JSON.stringify(name)} in ${file.path}`)
  }
  if (name !== null) return definitionsMeant(graph, file, name, lines.first)
  const own = file.symbols.filter(({ startLine }) => startLine === lines.first)
  const longest = own.toSorted((one, other) => other.endLine - one.endLine)
  const [start] = lines.last === lines.first ? longest : own.filter(({ endLine }) => endLine === lines.last)
  if (start !== undefined) return { definitions: [{ symbol: start, file }], notices: [] }
  const around = innermostAround(file.symbols, lines.first, lines.last ?? lines.first)
  const meant = lines.last === lines.first ? usedOn(graph, file, lines.first) : []
  const only = new Set(meant.map((each) => `${each.file.id} ${qualifiedName(each)}`)).size === 1
  if (around === null && meant.length === 0)
    throw notIn(file, `no definition contains line ${lines.first} of ${file.path}`)
  if (around === null) return { definitions: meant, notices: [] }
  const place = `${file.path}:${lines.first}`
  const aroundName = qualifiedName({ symbol: around })
  if (only)
    return {
      definitions: meant,
      notices: [`${place} uses ${qualifiedName(meant[0]!)}; around it: ${file.path}#${aroundName}`],
    }
  const names = [...new Set(meant.map(({ symbol }) => symbol.name))]
  return {
    definitions: [{ symbol: around, file }],
    notices: names.length === 0 ? [] : [`it uses ${names.map((each) => `${place}#${each}`).join(", ")}`],
  }
}

/**
 * The definitions that a name means where a file uses it: on one line, or anywhere (`line` null). A definition of the
 * name that begins on the line is meant itself.
 */
export function definitionsMeant(
  graph: SymbolGraph,
  file: FileView,
  name: string,
  line: number | null,
): FoundDefinitions {
  const last = name.replace(/^.*(?:\.|::|->|[^#]#)(?=.)/, "")
  const own = file.symbols.filter((symbol) => symbol.startLine === line && symbol.name === last)
  if (own.length > 0) return { definitions: own.map((symbol) => ({ symbol, file })), notices: [] }
  const uses = usesNamed(graph, file, storedName(last), line)
  const place = line === null ? file.path : `${file.path}:${line}`
  if (uses.length === 0)
    throw new AmanError("NOT_FOUND", `${JSON.stringify(last)} is not used at ${place}`, {
      hint: `to find it: aman symbol ${JSON.stringify(last)}`,
    })
  const meant = uses.flatMap((use) => meaningsOf(graph, file, use))
  const definitions = inOrder(meant.map(({ definition }) => definition))
  if (meant.some(({ tie }) => isCertain(tie))) return { definitions, notices: [] }
  const unclear = `what ${last} means at ${place} could not be followed`
  if (meant.length > 0) return { definitions, notices: [`${unclear}: likely definitions are listed`] }
  const [use] = uses
  if (isDeclaredNear(use!))
    throw new AmanError("NOT_FOUND", `${JSON.stringify(last)} at ${place} is a local variable or a parameter`)
  const isMember = (use!.flags & USE.member) !== 0
  // A bare name that nothing in the file binds is a global of the language or its libraries.
  const isBound = isMember || !importsNames(file.family) || file.outline.defines(use!.name)
  const possible = graph
    .definitionsOf(use!.name)
    .filter(
      (each) =>
        each.file.family === file.family &&
        (isMember || each.symbol.owner === null || each.file.id === file.id),
    )
    .filter((each) => isBound || isGlobalType(each))
  const [module] = isMember ? [] : file.modulesOf(use!.name)
  if (possible.length === 0 || module !== undefined)
    throw new AmanError(
      "NOT_FOUND",
      `${JSON.stringify(last)} at ${place} is defined outside of the project${module === undefined ? "" : `, in ${module}`}`,
    )
  return {
    definitions: likeliestFirst(graph, inOrder(possible), file),
    notices: [`${unclear}: all definitions of the name are listed`],
  }
}

function notIn({ path }: FileView, message: string): AmanError {
  const hint = `to list its symbols: aman symbol --outline ${JSON.stringify(path)}`
  return new AmanError("NOT_FOUND", message, { hint })
}

/** The uses of a name; a use under the other name of an import is stored under the name of its definition. */
function usesNamed(graph: SymbolGraph, file: FileView, name: string, line: number | null): readonly Use[] {
  const uses = file.usesOf(name).filter((use) => line === null || use.line === line)
  if (uses.length > 0 || line === null) return uses
  const text = graph.lineOf(file.path, line) ?? ""
  if (!hasWord(text, name)) return []
  return file.usesWithin(line, line, () => true).filter((use) => !hasWord(text, use.name))
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${RegExp.escape(word)}(?![\\w$])`).test(text)
}

/** The definitions that a use means or may mean, unless only the name agrees. */
function meaningsOf(graph: SymbolGraph, file: FileView, use: Use): ResolvedMeaning[] {
  return new FileMeanings(file, graph.candidatesOf(use.name), graph.types)
    .of(asMember(use))
    .filter(isResolved)
}

/** The definitions that the uses on a line mean. */
function usedOn(graph: SymbolGraph, file: FileView, line: number): SymbolDefinition[] {
  const uses = file.usesWithin(line, line, (flags) => (flags & (USE.declares | USE.member)) !== USE.declares)
  return inOrder(uses.flatMap((use) => meaningsOf(graph, file, use)).map(({ definition }) => definition))
}

/** Each definition once; declarations without a body after definitions. */
function inOrder(all: readonly SymbolDefinition[]): SymbolDefinition[] {
  return bodiesFirst([...new Map(all.map((definition) => [definitionKey(definition), definition])).values()])
}

/** Definitions of the file itself first, then ordinary files before tests, imported files, and central files. */
function likeliestFirst(
  graph: SymbolGraph,
  all: readonly SymbolDefinition[],
  user: FileView,
): SymbolDefinition[] {
  const ranks = graph.store.centrality.of([...new Set(all.map(({ file }) => file.id))])
  const keysOf = ({ file }: SymbolDefinition) => [
    Number(file.id === user.id),
    Number(file.flags === 0),
    Number(graph.imports.isModule(user.imports, user, file)),
    ranks.get(file.id) ?? Number.NEGATIVE_INFINITY,
  ]
  const keys = new Map(all.map((each) => [each, keysOf(each)]))
  return all.toSorted((one, other) => {
    const [mine, theirs] = [keys.get(one)!, keys.get(other)!]
    const at = mine.findIndex((key, index) => key !== theirs[index])
    return at < 0 ? 0 : theirs[at]! - mine[at]!
  })
}

/** The word at the site's column; null if it has no column, or no word is there. */
function wordAt(graph: SymbolGraph, { path, column }: SymbolSite, line: number): string | null {
  if (column === null) return null
  const text = graph.lineOf(path, line) ?? ""
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{N}_$]+/gu))
    if (index < column && column <= index + word.length) return word
  return null
}

/** The definition with the fewest lines that contains the lines; null if there is none. */
function innermostAround(symbols: readonly SymbolRow[], first: number, last: number): SymbolRow | null {
  const around = symbols.filter(({ startLine, endLine }) => startLine <= first && last <= endLine)
  const linesOf = ({ startLine, endLine }: SymbolRow) => endLine - startLine
  return around.toSorted((one, other) => linesOf(one) - linesOf(other))[0] ?? null
}
