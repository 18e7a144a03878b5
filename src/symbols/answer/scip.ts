import { closeSync, existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { posix, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import {
  AmanError,
  cannotWrite,
  compareTexts,
  createFile,
  displayPath,
  isInside,
  messageOf,
  toPosix,
  version,
  writeAll,
} from "../../base/index.ts"
import { ensureIndexFolder, type Project, snapshotFor } from "../../index/index.ts"
import { type ExactFile, type ExactSource, ExactStore, ROLE, type Store } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { definitionKey, isCallable, isType, type SymbolDefinition } from "../definition.ts"
import { referencesTo } from "../references.ts"
import {
  type ExportedOccurrence,
  placesInText,
  readScip,
  type ScipDocument,
  type ScipPackage,
  symbolText,
  writeDocument,
  writeMetadata,
} from "../scip-format.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { graphIn } from "./answer-lines.ts"

const MAX_BYTES = 1 << 30
/** Maximum number of paths listed for each reason. */
const MAX_LISTED = 5

export type ImportAnswer = {
  /** Name and version of the indexer, as the index states them. */
  readonly tool: string
  /** Number of files whose places were imported. */
  readonly files: number
  /** Number of places in these files. */
  readonly places: number
  /** Files that were left out: their number by reason, and the first paths. */
  readonly left_out: readonly {
    readonly reason: SkipReason
    readonly files: number
    readonly paths: readonly string[]
  }[]
  /** Files and places of all imports together. */
  readonly total: { readonly files: number; readonly places: number }
  readonly notices: readonly string[]
}

/**
 * `outside`: the path leads out of the project; `not indexed`: aman has no such file; `changed`: the text is not the
 * one that the indexer read.
 */
type SkipReason = "outside" | "not indexed" | "changed"

/**
 * Imports a SCIP index: the places of symbols in each file whose text is the one that was indexed. Throws USAGE for a
 * file that is no SCIP index, IO, INDEX_MISSING.
 */
export async function importScip(
  project: Project,
  file: string,
  options: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<ImportAnswer> {
  const path = resolve(options.cwd, file)
  const source = { path, stamp: importStamp(path) }
  const bytes = readIndexFile(path)
  const { reader, failure } = await snapshotFor(project, { refresh: true, signal: options.signal })
  if (!reader) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  const imported = importBytes(project, reader.store, { source, bytes, signal: options.signal })
  return { ...imported, notices: failure === null ? [] : [failure] }
}

/**
 * Imports the indexes at the places that the setting symbols.indexes names, if they have changed since the last import.
 * Returns a notice for each that cannot be imported; a missing one is none.
 */
export function importConfigured(project: Project, store: Store, signal?: AbortSignal): string[] {
  return project.config.symbols.indexes.flatMap((place) => {
    try {
      const path = indexAt(project.root, place)
      const source = path === null ? null : { path, stamp: importStamp(path) }
      if (source !== null && store.exact()?.stampOf(source.path) !== source.stamp)
        importBytes(project, store, { source, bytes: readIndexFile(source.path), signal })
      return []
    } catch (error) {
      signal?.throwIfAborted()
      return [`${displayPath(place)} of symbols.indexes was not imported: ${messageOf(error)}`]
    }
  })
}

/** The real path of an index below the root; null if there is none. Throws USAGE for a path that leads out of it. */
function indexAt(root: string, place: string): string | null {
  const path = resolve(root, place)
  if (!existsSync(path)) return null
  const real = realpathSync(path)
  if (!isInside(realpathSync(root), real))
    throw new AmanError("USAGE", "it is outside of the project", {
      hint: "name a path below the project's root",
    })
  return real
}

/** Changes when the file is written or replaced; empty for no file. */
function importStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? "" : `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

type Source = {
  readonly source: ExactSource
  readonly bytes: Uint8Array
  readonly signal: AbortSignal | undefined
}

function importBytes(
  project: Project,
  store: Store,
  { source, bytes, signal }: Source,
): Omit<ImportAnswer, "notices"> {
  const index = readScip(bytes)
  const prefix = folderIn(project.root, index.projectRoot)
  const refused = new Map<SkipReason, string[]>()
  const sum = { files: 0, places: 0 }
  function* files(): Generator<ExactFile> {
    for (const document of index.documents()) {
      signal?.throwIfAborted()
      const read = importedFile(document, { project, store, prefix })
      if ("refusal" in read) refused.set(read.refusal, [...(refused.get(read.refusal) ?? []), document.path])
      else {
        sum.files++
        sum.places += read.places.length
        yield { ...read, tool: index.tool }
      }
    }
  }
  using folder = ensureIndexFolder(project.indexPlace)
  const isKept = (path: string, hash: string) => store.files.byPath(path)?.hash === hash
  ExactStore.write(posix.join(folder.at, "exact.db"), store.id, { source, files: files(), isKept })
  return {
    tool: index.tool,
    ...sum,
    left_out: Array.from(refused, ([reason, paths]) => ({
      reason,
      files: paths.length,
      paths: paths.slice(0, MAX_LISTED).map(displayPath),
    })),
    total: store.exact()?.totals() ?? { files: 0, places: 0 },
  }
}

function readIndexFile(path: string): Uint8Array {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile())
    throw new AmanError("NOT_FOUND", `there is no file ${displayPath(path)}`, {
      hint: "write an index first, for example with scip-typescript index",
    })
  if (stats.size > MAX_BYTES)
    throw new AmanError("USAGE", `${displayPath(path)} is larger than ${MAX_BYTES >> 30} GiB`, {
      hint: "import an index of a part of the project",
    })
  return readFileSync(path)
}

/**
 * The project folder that the paths of the index are relative to: "" or a path with a slash at its end. An index with
 * a root outside the project was made on another machine; its paths then count as relative to the project's root.
 */
function folderIn(root: string, uri: string): string {
  try {
    const path = uri.startsWith("file:") ? fileURLToPath(uri) : uri
    if (!isInside(root, path)) return ""
    const folder = toPosix(relative(root, path))
    return folder === "" ? "" : `${folder}/`
  } catch {
    return ""
  }
}

function importedFile(
  document: ScipDocument,
  { project, store, prefix }: { readonly project: Project; readonly store: Store; readonly prefix: string },
): Omit<ExactFile, "tool"> | { readonly refusal: SkipReason } {
  const path = posix.normalize(prefix + document.path)
  const isOutside = /^(?:\.\.)?(?:\/|$)/.test(path) || /[\0\\]|^[a-z]:/i.test(document.path)
  if (isOutside || document.path.startsWith("/")) return { refusal: "outside" }
  const row = store.files.byPath(path)
  if (row === null) return { refusal: "not indexed" }
  const source = readSource(project.root, path, project.config.index.maxFileBytes)
  if ("reason" in source || source.hash !== row.hash) return { refusal: "changed" }
  const places = placesInText(document, source.text)
  return places === null ? { refusal: "changed" } : { path, hash: row.hash, places, bases: document.bases }
}

/*
 * Writes the symbol graph as a SCIP index. 1. For each name, the definitions and the certain uses are
 * collected by file; 2. each definition gets a SCIP symbol; 3. files are written one by one, with columns taken from
 * their present text. Files that have changed since they were indexed are left out.
 */

/** Lines after the first of a definition at which its name may stand, after annotations and the like. */
const MAX_HEAD_LINES = 60

export type ExportAnswer = {
  readonly file: string
  readonly documents: number
  readonly symbols: number
  readonly uses: number
  /** Uses that are not certain. */
  readonly left_out: number
  readonly notices: readonly string[]
}

/** Writes the definitions and the certain uses of the symbol graph as a SCIP index. Throws IO, INDEX_MISSING. */
export async function exportScip(
  project: Project,
  file: string,
  options: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<ExportAnswer> {
  const { reader, failure } = await snapshotFor(project, { refresh: true, signal: options.signal })
  if (!reader) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  const graph = graphIn(project, reader.store)
  const packages = new ScipPackages((path) => {
    const source = readSource(project.root, path, project.config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  })
  const { byFile, symbols, uses, leftOut } = reader.store.consistently(() =>
    usesByFile(graph, packages, options.signal),
  )
  const path = resolve(options.cwd, file)
  const documents = writeDocuments(path, project, reader.store, byFile)
  const notices = failure === null ? [] : [failure]
  return { file: path, documents, symbols, uses, left_out: leftOut, notices }
}

type NamedDefinition = { readonly definition: SymbolDefinition; readonly symbol: string }
/** The places in one file at which symbols are defined or used. `line` is 1-based; `word` is the name as written there. */
type Occurrences = {
  readonly line: number
  readonly named: NamedDefinition
  readonly roles: number
  readonly word: string
}[]

type CollectedOccurrences = {
  readonly byFile: Map<string, Occurrences>
  symbols: number
  uses: number
  leftOut: number
}

function usesByFile(
  graph: SymbolGraph,
  packages: ScipPackages,
  signal: AbortSignal | undefined,
): CollectedOccurrences {
  const collected: CollectedOccurrences = { byFile: new Map(), symbols: 0, uses: 0, leftOut: 0 }
  for (const [name, all] of definitionsByName(graph)) {
    signal?.throwIfAborted()
    collectOccurrences(graph, name, scipSymbols(all, packages), collected)
  }
  return collected
}

/** Adds the definitions of a name and their uses. */
function collectOccurrences(
  graph: SymbolGraph,
  name: string,
  all: readonly NamedDefinition[],
  collected: CollectedOccurrences,
): void {
  const add = (path: string, line: Occurrences[number]) => {
    const lines = collected.byFile.get(path)
    if (lines) lines.push(line)
    else collected.byFile.set(path, [line])
  }
  const named = new Map(all.map((each) => [definitionKey(each.definition), each]))
  collected.symbols += named.size
  for (const each of named.values()) {
    const { symbol, file } = each.definition
    add(file.path, { line: symbol.startLine, named: each, roles: ROLE.definition, word: name })
  }
  for (const { file, line, kind, certainty, target, name: used } of referencesTo(
    graph,
    all.map(({ definition }) => definition),
  ).edges) {
    const each = target === null ? undefined : named.get(definitionKey(target))
    if (each === undefined || certainty !== "certain") {
      collected.leftOut++
      continue
    }
    collected.uses++
    add(file.path, { line, named: each, roles: kind === "import" ? ROLE.import : 0, word: used ?? name })
  }
}

function definitionsByName(graph: SymbolGraph): Map<string, SymbolDefinition[]> {
  const files = graph.files(graph.inOrder(graph.store.uses.ids(), []))
  return Map.groupBy(
    files.flatMap((file) =>
      file.symbols.filter(({ local }) => local === 0).map((symbol) => ({ symbol, file })),
    ),
    ({ symbol }) => symbol.name,
  )
}

/**
 * The symbols of the definitions; overloads and other definitions with the same owner and name in one file get numbers.
 */
function scipSymbols(all: readonly SymbolDefinition[], packages: ScipPackages): NamedDefinition[] {
  const countByName = new Map<string, number>()
  return all.map((definition) => {
    const { owner, name } = definition.symbol
    const key = `${definition.file.path} ${owner} ${isCallable(definition.symbol)} ${isType(definition.symbol)}`
    const before = countByName.get(key) ?? 0
    countByName.set(key, before + 1)
    let mark = isType(definition.symbol) ? "#" : "."
    if (isCallable(definition.symbol)) mark = before === 0 ? "()." : `(+${before}).`
    const unique = isCallable(definition.symbol) || before === 0 ? name : `${name}+${before}`
    const { path, within } = packages.of(definition.file.path)
    return { definition, symbol: symbolText(path, { owner, name: unique, mark }, within) }
  })
}

function writeDocuments(
  path: string,
  project: Project,
  store: Store,
  byFile: ReadonlyMap<string, Occurrences>,
): number {
  let descriptor: number
  try {
    descriptor = createFile(path)
  } catch (cause) {
    throw cannotWrite(path, cause, "choose another file")
  }
  try {
    writeAll(descriptor, writeMetadata({ version, root: pathToFileURL(project.root).href }))
    let documents = 0
    for (const [file, lines] of [...byFile].sort(([one], [other]) => compareTexts(one, other))) {
      const row = store.files.byPath(file)
      const source = readSource(project.root, file, project.config.index.maxFileBytes)
      // A file that has changed since it was indexed would get wrong columns.
      if ("reason" in source || source.hash !== row?.hash) continue
      documents++
      writeAll(descriptor, scipDocument(file, row.language, lines, source.text))
    }
    return documents
  } finally {
    closeSync(descriptor)
  }
}

function scipDocument(path: string, language: string, lines: Occurrences, text: string): Uint8Array {
  const rows = text.split(/\r\n|[\r\n]/)
  const occurrences = lines.flatMap(({ line, named, roles, word }) => {
    const end =
      roles === ROLE.definition ? Math.min(named.definition.symbol.endLine, line + MAX_HEAD_LINES) : line
    for (let at = line; at <= end; at++) {
      const columns = wordColumns(rows[at - 1] ?? "", word)
      const wanted = roles === ROLE.definition ? columns.slice(0, 1) : columns
      if (wanted.length > 0)
        return wanted.map((start) => ({
          symbol: named.symbol,
          roles,
          line: at - 1,
          start,
          end: start + word.length,
        }))
    }
    return []
  })
  const defined = lines.filter(({ roles }) => roles === ROLE.definition)
  return writeDocument({
    path,
    language,
    occurrences: occurrences.sort(byPlace),
    symbols: defined.map(({ named: { definition, symbol } }) => ({
      symbol,
      name: definition.symbol.name,
      signature: definition.symbol.signature,
    })),
  })
}

function byPlace(one: ExportedOccurrence, other: ExportedOccurrence): number {
  return one.line - other.line || one.start - other.start
}

/** Columns at which a word stands as a whole word. */
function wordColumns(line: string, word: string): number[] {
  const columns: number[] = []
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
    const isWhole =
      !/[\p{L}\p{N}_$]$/u.test(line.slice(0, at)) && !/^[\p{L}\p{N}_$]/u.test(line.slice(at + word.length))
    if (isWhole) columns.push(at)
  }
  return columns
}

/** Fields of a manifest that say which package it describes. */
type Manifest = { readonly [key: string]: unknown }

const MANIFESTS: readonly {
  readonly file: string
  readonly manager: string
  /** The table with `name` and `version`; null for the manifest itself. */
  readonly table: string | null
}[] = [
  { file: "package.json", manager: "npm", table: null },
  { file: "Cargo.toml", manager: "cargo", table: "package" },
  { file: "pyproject.toml", manager: "pip", table: "project" },
]

/** The packages that the files of a project belong to, by the nearest manifest that names one. */
export class ScipPackages {
  readonly #read: (path: string) => string | null
  readonly #byFolder = new Map<string, ScipPackage | null>()

  constructor(read: (path: string) => string | null) {
    this.#read = read
  }

  /** The package of a file, and the path of the file in it; no package and the whole path if no manifest names one. */
  of(file: string): { readonly path: string; readonly within: ScipPackage | undefined } {
    for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
      const within = this.#in(folder)
      if (within !== null) return { path: posix.relative(folder, file), within }
      if (folder === ".") return { path: file, within: undefined }
    }
  }

  #in(folder: string): ScipPackage | null {
    let scipPackage = this.#byFolder.get(folder)
    if (scipPackage === undefined) {
      scipPackage = this.#find(folder)
      this.#byFolder.set(folder, scipPackage)
    }
    return scipPackage
  }

  #find(folder: string): ScipPackage | null {
    for (const { file, manager, table } of MANIFESTS) {
      const fields = parsed(file, this.#read(posix.join(folder, file)))
      const { name, version } = ((table === null ? fields : fields?.[table]) ?? {}) as Manifest
      if (typeof name === "string" && name !== "")
        return { manager, name, version: typeof version === "string" && version !== "" ? version : "." }
    }
    const module = /^module\s+"?([^\s"]+)/m.exec(this.#read(posix.join(folder, "go.mod")) ?? "")?.[1]
    return module === undefined ? null : { manager: "gomod", name: module, version: "." }
  }
}

function parsed(file: string, text: string | null): Manifest | null {
  if (text === null) return null
  try {
    return (file.endsWith(".toml") ? Bun.TOML.parse(text) : JSON.parse(text)) as Manifest | null
  } catch {
    return null
  }
}
