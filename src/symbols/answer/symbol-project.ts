/*
 * Answers questions about a symbol of a project. `answerRequest`: 1. brings the index up to date; 2. imports
 * configured SCIP indexes; 3. `answerFrom` asks language servers if wanted, then `ask` runs the requested relation in
 * one read transaction; 4. `answerPage` cuts the results to a page and reads their lines; 5. if no symbol has the
 * name, literal-answer.ts looks for it as a text.
 */

import { AmanError, displayPath, elapsedMs, firstAndMore, plural } from "../../base/index.ts"
import {
  type AnswerOptions,
  filtersIn,
  type IndexReader,
  type Project,
  partialIndex,
  projectPath,
  snapshotFor,
  withIndexRepair,
} from "../../index/index.ts"
import type { Store } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { leftOutAt, leftOutNamed, leftOutNote } from "../../tree/index.ts"
import type { AlsoUsedBy } from "../calls.ts"
import { byCertainty } from "../certainty.ts"
import type { Bounds, Edge } from "../definition.ts"
import { definitionKey, qualifiedName, type SymbolDefinition, storedName } from "../definition.ts"
import { outdatedIn } from "../imported-uses.ts"
import { filesNotReadForProperties } from "../object-members.ts"
import { outsideCaller } from "../outside-callers.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import {
  definitionAnswer,
  FileTexts,
  graphIn,
  outlineOf,
  referenceAnswer,
  relatedAnswer,
  targetNames,
} from "./answer-lines.ts"
import { centralIn, centralityOf } from "./central-project.ts"
import { graphOfLinks } from "./drawn-symbols.ts"
import { withLiterals } from "./literal-answer.ts"
import type {
  RelatedDefinition,
  Relation,
  SymbolAnswer,
  SymbolRequest,
  SymbolResults,
} from "./symbol-answer.ts"
import { below, followedIn, lastPart, requestedDefinitions } from "./symbol-names.ts"
import { impactIn, relatedTo } from "./symbol-related.ts"
import { withSite } from "./symbol-sites.ts"
import { testsOf } from "./test-commands.ts"
import { unclearNote, unreadLanguagesNote, unreadNotices } from "./unread-notices.ts"
import { unusedIn } from "./unused.ts"
import { UsesByText, withUsesByText } from "./uses-by-text.ts"

export type SymbolOptions = AnswerOptions & {
  /** True for a person at a terminal, who waits for all results; an agent asks for the next page instead. */
  readonly isPatient?: boolean
}

/** Definitions without uses for which a reason is looked for. */
const MAX_EXPLAINED = 5

/** Maximum number of paths of tests, and of other files, in an impact. */
const MAX_PATHS = 200

const EVERYTHING = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

const now = () => performance.now()
/** Limits for questions about direct uses; a page is usually full long before they are reached. */
const NEAR: Bounds = { files: 64, work: 100, ms: 1_000, now }
/** Limits for questions that follow several steps, such as impact. */
const FAR: Bounds = { files: 5_000, ms: 2_000, now }

const PATIENT: Bounds = { files: Number.POSITIVE_INFINITY, ms: 10_000, now }

/** Answers a question about a symbol: places where it is defined and used, and related symbols. */
export function symbolOf(
  project: Project,
  question: SymbolRequest,
  options: SymbolOptions,
): Promise<SymbolAnswer> {
  return withIndexRepair(project, options, () => answerRequest(project, question, options))
}

async function answerRequest(
  project: Project,
  question: SymbolRequest,
  options: SymbolOptions,
): Promise<SymbolAnswer> {
  const started = performance.now()
  const { reader, failure } = await snapshotFor(project, options)
  const sited = reader === null ? question : withSite(reader.store, project.root, question)
  const request = { ...sited, path: sited.path && filtersIn(project.root, [sited.path])[0]! }
  if (request.exact && request.relation !== "references")
    throw new AmanError("USAGE", "language servers are only asked for references", {
      hint: "for example: aman symbol parseConfig --references --exact",
    })
  const storeWithImports = project.config.symbols.indexes.length === 0 ? undefined : reader?.store
  const importNotices =
    storeWithImports && partialIndex(storeWithImports) === null
      ? (await import("./scip.ts")).importConfigured(project, storeWithImports, options.signal)
      : []
  const answer = await withLiterals(project, reader?.store, request, () =>
    answerFrom(project, reader, request, options),
  )
  const notices = [...(failure === null ? [] : [failure]), ...importNotices, ...answer.notices]
  return { ...answer, notices, took_ms: elapsedMs(started) }
}

async function answerFrom(
  project: Project,
  reader: IndexReader | null,
  request: SymbolRequest,
  { isPatient = false, signal }: SymbolOptions,
): Promise<Omit<SymbolAnswer, "took_ms">> {
  const store = reader?.store
  if (!store) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  const graph = graphIn(project, store)
  const far = isPatient ? PATIENT : FAR
  const ofDiff = await impactOfDiff(graph, project, request, far)
  const servers = request.exact ? await serversFor(graph, project, request, { isPatient, signal }) : null
  // All reads are in one transaction, so that they see the same state. That is also faster than a transaction for
  // each of some hundred statements.
  const answer = store.consistently(() => {
    const results =
      ofDiff ??
      withMissingParts(project, store, request, () =>
        ask(graph, project, request, { far, isPatient, servers }),
      )
    const [first] = request.site === undefined ? [] : results.definitions
    const named = first === undefined ? request : { ...request, name: qualifiedName(first) }
    return answerPage(graph, results, project, named)
  })
  return { ...answer, partial: partialIndex(store) }
}

/** The impact of a diff, if the request names one. */
async function impactOfDiff(
  graph: SymbolGraph,
  project: Project,
  request: SymbolRequest,
  bounds: Bounds,
): Promise<SymbolResults | null> {
  if (request.relation !== "impact" || request.diff === undefined) return null
  const diffs = await import("./symbol-diff.ts")
  const byText = new UsesByText(project, graph, request)
  const found = await diffs.impactOfDiff(graph, project, request.diff, bounds, (layer, uses) =>
    byText.inLayer(layer, uses),
  )
  return withUsesByText(byText, request, found)
}

/** The references that language servers return for the symbol. */
async function serversFor(
  graph: SymbolGraph,
  project: Project,
  request: SymbolRequest,
  { isPatient, signal }: Pick<SymbolOptions, "isPatient" | "signal">,
): Promise<AddServerPlaces> {
  if (!isPatient && !project.config.symbols.mayAgentsAsk)
    return (found) => ({
      ...found,
      notices: [
        "language servers were not asked: symbols.ask_servers does not allow it",
        ...(found.notices ?? []),
      ],
    })
  const { askServers, withServerPlaces } = await import("./ask-servers.ts")
  const { definitions } = followedIn(graph, request)
  const serverPlaces = await askServers(project, graph, definitions, signal)
  return (found) => withServerPlaces(graph, found, serverPlaces)
}

/** Adds the places that language servers returned to the results of the symbol graph. */
type AddServerPlaces = (found: SymbolResults) => SymbolResults

/**
 * Calls `find`. Adds to a NOT_FOUND error what may define the name: files not indexed yet, files whose syntax tree lacks a
 * large part, and files that could not be read.
 */
function withMissingParts(
  project: Project,
  store: Store,
  { name = "", relation }: SymbolRequest,
  find: () => SymbolResults,
): SymbolResults {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "NOT_FOUND")) throw error
    const partial = partialIndex(store)
    const missing =
      partial === null
        ? missingParts(project, store, relation === "outline" ? null : name.trim())
        : `the index holds ${Math.floor(partial.share * 100)} % of the files so far`
    if (missing === null) throw error
    const hint = partial === null ? error.hint : "ask again shortly"
    throw new AmanError("NOT_FOUND", `${error.message}; ${missing}`, hint === undefined ? {} : { hint })
  }
}

/**
 * What a complete index lacks that may define the name: the file that it names, or files that contain it. `name`: null for
 * an outline, whose error says why its file is left out.
 */
function missingParts({ root, config }: Project, store: Store, name: string | null): string | null {
  if (name === null) return null
  const indexed = { root, config, store }
  const [named] = leftOutNamed(indexed, [name])
  return named ? leftOutNote(named) : unclearNote(indexed, namingTest(indexed, [lastPart(name)]))
}

function ask(
  graph: SymbolGraph,
  project: Project,
  request: SymbolRequest,
  { far, isPatient, servers }: { far: Bounds; isPatient: boolean; servers: AddServerPlaces | null },
): SymbolResults {
  // Language servers may add places anywhere in the list, so all references are found before they are cut to a page.
  if (servers !== null)
    return servers(
      followed(graph, project, request, (all) => relatedTo(graph, all, { ...request, ...EVERYTHING }, far)),
    )
  switch (request.relation) {
    case "definition":
      return requestedDefinitions(graph, request)
    case "outline":
      return outline(graph, project, request)
    case "unused":
      return unusedIn(graph, project, below(request.path), request.all === true)
    case "central":
      return { definitions: [], related: central(graph, request) }
    case "impact":
      return followed(graph, project, request, (definitions, alsoUsedBy) =>
        impactIn(graph, definitions, far, alsoUsedBy),
      )
    case "tests":
      return followed(graph, project, request, (definitions, alsoUsedBy) =>
        testsOf(project, graph, definitions, { bounds: far, alsoUsedBy }),
      )
    case "implementations":
      return followed(graph, project, request, (definitions) => relatedTo(graph, definitions, request, far))
    case "references":
    case "callers":
    case "callees": {
      const bounds = !isPatient && (request.depth ?? 1) === 1 ? NEAR : far
      return followed(graph, project, request, (definitions, alsoUsedBy) =>
        relatedTo(graph, definitions, request, bounds, alsoUsedBy),
      )
    }
  }
}

/** At most one notice: files that may keep a definition under another name, which were not read for that. */
function propertyNotes(graph: SymbolGraph, definitions: readonly SymbolDefinition[]): string[] {
  const unread = filesNotReadForProperties(graph, definitions)
  if (unread === 0) return []
  return [
    `${plural(unread, "file")} with the name not read for properties that hold it, such as this.x = NAME`,
  ]
}

/** The results of `follow` for the definitions of the name, with uses by route and notices about what may be missing. */
function followed(
  graph: SymbolGraph,
  project: Project,
  request: SymbolRequest,
  follow: (definitions: readonly SymbolDefinition[], alsoUsedBy: AlsoUsedBy) => SymbolResults,
): SymbolResults {
  const { definitions, notices } = followedIn(graph, request)
  const byText = new UsesByText(project, graph, request)
  const found = follow(definitions, (layer, uses) => byText.inLayer(layer, uses))
  const results = withUsesByText(byText, request, found)
  const mayName = mentionsDefinition(project, request, definitions)
  const unread =
    request.relation === "callees"
      ? []
      : [
          ...outdatedNotes(graph, definitions),
          ...unreadNotes(definitions),
          ...propertyNotes(graph, definitions),
          ...unreadNotices(graph.store, definitions, mayName),
        ]
  const isEmpty = (results.related?.length ?? 0) + (results.edges?.length ?? 0) === 0
  const mayBeUsed = isEmpty && request.relation !== "callees"
  const others = [
    ...(mayBeUsed ? unreadLanguagesNote(graph.store, definitions, mayName ?? undefined) : []),
    ...(mayBeUsed && !results.unresolved?.length ? outsideNotes(graph, project, request, definitions) : []),
  ]
  return { ...results, notices: [...notices, ...unread, ...others, ...(results.notices ?? [])] }
}

/**
 * Tells whether a file that was not parsed contains the name of a definition; true if it cannot be read. Null for
 * questions of several steps, which depend on other names, too.
 */
function mentionsDefinition(
  project: Project,
  { relation, depth = 1 }: SymbolRequest,
  definitions: readonly SymbolDefinition[],
): ((path: string) => boolean) | null {
  if (definitions.length === 0 || SEVERAL_STEPS.has(relation) || depth > 1) return null
  return namingTest(project, [...new Set(definitions.map(({ symbol }) => storedName(symbol.name)))])
}

const SEVERAL_STEPS: ReadonlySet<Relation> = new Set(["impact", "tests", "implementations"])

/** Maximum size of a file that is read for a name: that of a text search. */
const MAX_READ_BYTES = 32 << 20

/** Tells whether a file contains one of the names as a word; true if it cannot be read. */
function namingTest(
  { root, config }: Pick<Project, "root" | "config">,
  names: readonly string[],
): (path: string) => boolean {
  const pattern = new RegExp(`(?<![\\w$])(?:${names.map((name) => RegExp.escape(name)).join("|")})(?![\\w$])`)
  return (path) => {
    const source = readSource(root, path, Math.max(config.index.maxFileBytes, MAX_READ_BYTES))
    return "reason" in source || pattern.test(source.text)
  }
}

/** For an answer without uses: why something outside of the code may call the definitions, such as a framework. */
function outsideNotes(
  graph: SymbolGraph,
  project: Project,
  { relation }: SymbolRequest,
  definitions: readonly SymbolDefinition[],
): string[] {
  if (relation === "implementations" || relation === "tests") return []
  const texts = new FileTexts(project, graph.store)
  const reasons = definitions
    .slice(0, MAX_EXPLAINED)
    .flatMap((definition) => outsideCaller(definition, texts.lines(definition.file.path), graph) ?? [])
  return [...new Set(reasons)].map((reason) => `something outside of the code may call it: ${reason}`)
}

/** A notice about files of the definitions that have changed since a SCIP index with their places was imported. */
function outdatedNotes(graph: SymbolGraph, definitions: readonly SymbolDefinition[]): string[] {
  const [first, ...others] = outdatedIn(graph.store, definitions)
  if (first === undefined) return []
  const which = others.length === 0 ? `${first} has` : `${first} and ${others.length} more files have`
  return [`${which} changed since the SCIP index was imported, so its places are not used here`]
}

/**
 * A notice for files parsed by rules instead of a syntax tree: their uses are not recorded, so that none
 * found does not mean none.
 */
function unreadNotes(definitions: readonly SymbolDefinition[]): string[] {
  const unread = definitions.filter(({ file }) => !file.isRead)
  if (unread.length === 0) return []
  const where = [...new Set(unread.map(({ file }) => file.language))].sort().join(", ")
  return [
    `uses are not analysed in ${where}; to find the name: aman grep -w ${JSON.stringify(unread[0]!.symbol.name)}`,
  ]
}

function central(graph: SymbolGraph, { path }: SymbolRequest): RelatedDefinition[] {
  const isWanted = below(path)
  const wanted = centralIn(graph.store, 1000).filter((each) => isWanted(each.path))
  const files = new Map(graph.files(wanted.map(({ symbol }) => symbol.fileId)).map((file) => [file.id, file]))
  return wanted.flatMap(({ symbol, centrality }) => {
    const file = files.get(symbol.fileId)
    return file ? [{ definition: { symbol, file }, certainty: "certain", centrality }] : []
  })
}

function outline(graph: SymbolGraph, project: Project, { path, name }: SymbolRequest): SymbolResults {
  const wanted = (path ?? name ?? "").replace(/^\.\//, "")
  if (wanted === "")
    throw new AmanError("USAGE", "no file given", { hint: "for example: aman symbol --outline src/main.ts" })
  // A path that is not the exact path of an indexed file is resolved as for `read`: follows links, corrects
  // letter case, and otherwise fails with a hint about similar paths.
  const { store } = graph
  const placed = store.files.byPath(wanted)?.path ?? projectPath(project, wanted).path
  const row = store.files.byPath(placed)
  if (row === null) {
    const leftOut = leftOutAt({ root: project.root, config: project.config, store }, placed)
    if (leftOut !== null) throw new AmanError("NOT_FOUND", leftOutNote(leftOut))
    throw new AmanError("NOT_FOUND", `${JSON.stringify(wanted)} is not in the index`, {
      hint: project.pathRule,
    })
  }
  return { definitions: [], outline: outlineOf(row.path, graph.store.symbols.ofFile(row.id)) }
}

/** Cuts the results to the requested page: first related symbols, then references, then the outline. */
function answerPage(
  graph: SymbolGraph,
  results: SymbolResults,
  project: Project,
  { relation, name, limit, offset, graph: isDrawn }: SymbolRequest,
): Omit<SymbolAnswer, "partial" | "took_ms"> {
  const texts = new FileTexts(project, graph.store)
  const { outline = [], tests = [], files = [], unseen = 0, commandsFor } = results
  const related = distinct(results.related ?? [])
  // References follow related symbols, so they are held back until all files are read: symbols found later
  // would shift them to another page.
  const edges = unseen > 0 && related.length > 0 ? [] : distinctEdges(results.edges ?? [])
  const equal = Map.groupBy(results.edges ?? [], placeKey)
  const targetsOf = targetNames(results.definitions)
  const unresolved = distinctEdges(results.unresolved ?? [])
  const definitions = results.definitions.slice(0, limit)
  const ranks = graph.store.centrality.of(definitions.map(({ file }) => file.id))
  const total = edges.length + related.length + outline.length
  const page = <T>(list: readonly T[], before: number): readonly T[] =>
    list.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before))
  // Only the page is sorted: sorting all that was found so far would move places between pages.
  const relatedOfPage = ORDERED.has(relation)
    ? page(related, 0)
    : page(related, 0).toSorted(
        (one, other) => (one.depth ?? 1) - (other.depth ?? 1) || byCertainty(one, other),
      )
  const running = commandsFor?.(relatedOfPage)
  return {
    name: name ?? null,
    relation,
    definitions: definitions.map((each) =>
      definitionAnswer(each, {
        doc: graph.store.symbols.docOf(each.symbol),
        centrality: centralityOf(ranks.get(each.file.id) ?? 0),
      }),
    ),
    related: relatedOfPage.map((each) => ({ ...relatedAnswer(each), ...targetsOf(each.edges ?? []) })),
    references: page(edges, related.length)
      .toSorted(byCertainty)
      .map((edge) => ({
        ...referenceAnswer(texts, edge, name),
        ...targetsOf(equal.get(placeKey(edge))!.filter(({ certainty }) => certainty === edge.certainty)),
      })),
    outline: page(outline, related.length + edges.length),
    tests: tests.slice(0, MAX_PATHS),
    files: files.slice(0, MAX_PATHS),
    ...(running && { commands: running.commands }),
    total,
    unseen_files: unseen,
    next_offset: nextOffset({ offset, limit }, total, unseen),
    unresolved: {
      total: unresolved.length,
      places: unresolved.slice(0, 10).map((edge) => referenceAnswer(texts, edge, name)),
    },
    other_uses: results.others ?? 0,
    ...(isDrawn === true && { graph: graphOfLinks(results, relatedOfPage) }),
    notices: [
      ...(results.notices ?? []),
      ...pathLimitNotice("tests", tests),
      ...pathLimitNotice("files", files),
      ...withoutCommandNotes(running?.unknown ?? []),
    ],
  }
}

/** Relations whose results have an order of their own. */
const ORDERED: ReadonlySet<string> = new Set(["unused", "central"])

/** Offset of the next page; null after the last one. While files are unread, the results found later follow the total. */
export function nextOffset(
  { offset, limit }: Pick<SymbolRequest, "offset" | "limit">,
  total: number,
  unseen: number,
): number | null {
  if (offset + limit < total) return offset + limit
  return unseen > 0 ? Math.max(offset, total) : null
}

function pathLimitNotice(what: string, paths: readonly string[]): string[] {
  return paths.length <= MAX_PATHS
    ? []
    : [`only the first ${MAX_PATHS} of ${paths.length} ${what} are listed`]
}

function withoutCommandNotes([first, ...others]: readonly string[]): string[] {
  if (first === undefined) return []
  return [`the project does not show how to run ${firstAndMore(displayPath(first), 1 + others.length)}`]
}

/** Each definition once, at its smallest depth. */
function distinct(all: readonly RelatedDefinition[]): RelatedDefinition[] {
  const nearest = new Map<string, RelatedDefinition>()
  for (const each of all) {
    const other = nearest.get(definitionKey(each.definition))
    if (!other || (each.depth ?? 1) < (other.depth ?? 1)) nearest.set(definitionKey(each.definition), each)
  }
  return [...nearest.values()]
}

/** One edge for each file, line, kind and name: the most certain one. */
function distinctEdges(edges: readonly Edge[]): Edge[] {
  const mostCertain = new Map<string, Edge>()
  for (const edge of edges) {
    const key = placeKey(edge)
    const known = mostCertain.get(key)
    if (known === undefined || byCertainty(edge, known) < 0) mostCertain.set(key, edge)
  }
  return [...mostCertain.values()]
}

/** A key for the file, line, kind and name of a use. */
function placeKey({ file, line, kind, name }: Edge): string {
  return `${file.id}:${line}:${kind}:${name ?? ""}`
}
