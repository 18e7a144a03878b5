/*
 * Asks language servers for references. `askServers`: 1. groups the definitions by language family; 2. tries the
 * commands for each family (`commandsFor`) that are proven to run no code of a project, or that the user allows for
 * this project (`mayRun`); 3. `askServer` opens the files of the definitions and of likely users in the server and asks
 * for references; 4. `withServerPlaces` merges the places of the servers into the references of the graph.
 */

import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import { compareTexts, findProgram, isOutsideProjects, realPlace } from "../../base/index.ts"
import { commandWords, type Project, programName } from "../../index/index.ts"
import { readSource } from "../../text/index.ts"
import { TIE } from "../certainty.ts"
import { type Edge, edgeOf, type SymbolDefinition, storedName } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import {
  askLanguageServer,
  type ServerAnswer,
  type ServerPlace,
  type ServerPosition,
  type ServerQuestion,
} from "../language-server.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { SymbolResults } from "./symbol-answer.ts"

/** Maximum number of definitions about which one server is asked. */
const MAX_POSITIONS = 10
/** Maximum number of files that are opened in a language server for one question. */
const MAX_OPENED = 40
/** Maximum number of characters that these files have together. */
const MAX_OPENED_CHARS = 4_000_000
/** A definition may begin with decorators or a comment some lines before its name. */
const MAX_HEAD_LINES = 10

/** The references that language servers returned for some definitions. */
export type ServerAnswers = {
  readonly places: readonly (ServerPlace & { readonly target: SymbolDefinition })[]
  /** The names of the servers that answered, with their families of languages. */
  readonly servers: readonly { readonly name: string; readonly family: string }[]
  readonly notices: readonly string[]
}

/**
 * Language servers that are looked for on PATH, by family of languages, in the order in which they are tried. All but
 * the proven one can be made to run code of a project: pyright and basedpyright start its .venv/bin/python, gopls and
 * rust-analyzer the toolchain that a version manager finds in its folder, clangd the tools of its compile_commands.json.
 */
const SERVERS_ON_PATH: Readonly<Record<string, readonly string[]>> = {
  js: ["tsc --lsp --stdio", "typescript-language-server --stdio"],
  python: ["pyright-langserver --stdio", "basedpyright-langserver --stdio"],
  go: ["gopls"],
  c: ["clangd --background-index=false --enable-config=0 --log=error"],
}

/**
 * The command that needs no permission: that of TypeScript 7, which starts no other program. The test with a trap for
 * each way in which a server could run code of a project is in test/e2e/symbol-servers.test.ts.
 */
const PROVEN = "tsc --lsp --stdio"

/** Asks one server for each family of languages among the definitions, one after the other. */
export async function askServers(
  project: Project,
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  signal: AbortSignal | undefined,
): Promise<ServerAnswers> {
  const places: (ServerPlace & { target: SymbolDefinition })[] = []
  const servers: { name: string; family: string }[] = []
  const notices: string[] = []
  for (const [family, ofFamily] of Map.groupBy(definitions, ({ file }) => file.family)) {
    const { name, answer, failures } = await firstAnswer(ofFamily, { project, graph, signal })
    const [target] = ofFamily as [SymbolDefinition, ...SymbolDefinition[]]
    if (answer === null) notices.push(noAnswer(target, failures))
    else {
      servers.push({ name, family })
      for (const place of answer.places) places.push({ ...place, target })
      if (answer.isPartial)
        notices.push(`partial: ${name} was still reading the project when its time was up`)
    }
  }
  return { places, servers, notices }
}

/** The answer of the first server that gives one, and why the servers before it gave none. */
async function firstAnswer(
  definitions: readonly SymbolDefinition[],
  context: Context,
): Promise<{
  readonly name: string
  readonly answer: Extract<ServerAnswer, { ok: true }> | null
  readonly failures: readonly string[]
}> {
  const failures: string[] = []
  const [{ file }] = definitions as [SymbolDefinition]
  for (const argv of commandsFor(file, context.project)) {
    const name = programName(argv)
    const answer = mayRun(argv, context.project)
      ? await askServer(argv, definitions, context)
      : { ok: false as const, failure: notAllowed(name, context.project) }
    if (answer.ok) return { name, answer, failures }
    failures.push(`${name} ${answer.failure}`)
  }
  return { name: "", answer: null, failures }
}

function noAnswer({ file }: SymbolDefinition, failures: readonly string[]): string {
  return failures.length > 0
    ? `no language server answered: ${failures.join("; ")}`
    : `no language server for ${file.language} is on PATH outside of the project; symbols.servers can name one`
}

/**
 * Commands with absolute programs: those of the user's settings, else the known ones. Those that name a program or a file
 * inside the project are left out.
 */
function commandsFor({ language, family }: FileView, { root, config }: Project): string[][] {
  const named = config.symbols.servers.flatMap((each) => {
    const [of, command] = [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]
    return of === language || of === family ? [command] : []
  })
  return (named.length > 0 ? named : (SERVERS_ON_PATH[family] ?? [])).flatMap((command) => {
    const [name = "", ...args] = commandWords(command)
    const program = findProgram(name, root)
    const isOutside = program !== null && isOutsideProjects(program, root)
    return isOutside && !args.some((arg) => namesProject(arg, root)) ? [[program, ...args]] : []
  })
}

function namesProject(arg: string, root: string): boolean {
  return arg.includes(root) || (isAbsolute(arg) && existsSync(arg) && !isOutsideProjects(arg, root))
}

/** True for the proven command, and for a server that the user allows for this project by name. */
function mayRun([program = "", ...args]: readonly string[], { root, config }: Project): boolean {
  const command = [basename(program).replace(/\.(?:exe|cmd)$/i, ""), ...args].join(" ")
  if (command === PROVEN) return true
  const name = programName([program, ...args])
  return config.symbols.allowedServers.some((each) => {
    const end = each.lastIndexOf("=")
    return each.slice(end + 1) === name && realPlace(each.slice(0, end)) === root
  })
}

function notAllowed(name: string, { root }: Project): string {
  const entry = `${root}=${name}`
  return `was found but not started, because it may run code of the project; you can allow it for this project: aman config add symbols.allowed_servers ${JSON.stringify(entry)}`
}

type Context = {
  readonly project: Project
  readonly graph: SymbolGraph
  readonly signal: AbortSignal | undefined
}

async function askServer(
  argv: readonly string[],
  definitions: readonly SymbolDefinition[],
  { project, graph, signal }: Context,
): Promise<ServerAnswer> {
  const { root, config } = project
  const texts = new Map<string, string>()
  const textOf = (path: string) => {
    const source = readSource(root, path, config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  }
  const positions = definitions.slice(0, MAX_POSITIONS).flatMap((definition) => {
    const { path } = definition.file
    const text = texts.get(path) ?? textOf(path)
    const position = text === null ? null : positionIn(text, definition)
    if (text === null || position === null) return []
    texts.set(path, text)
    return [{ path, position }]
  })
  if (positions.length === 0)
    return { ok: false, failure: "was not asked: the definition's name is not in its lines" }
  openUsers(graph, definitions, texts, textOf)
  return await askLanguageServer({
    argv,
    root,
    ...settingsFor(argv, definitions[0]!.file.family, root),
    files: Array.from(texts, ([path, text]) => ({ path, languageId: languageId(graph.file(path)!), text })),
    positions,
    timeoutMs: config.symbols.serverTimeoutMs,
    maxMemoryBytes: config.symbols.serverMemoryBytes,
    signal,
  })
}

/** Adds to `texts` the files that use the name, up to MAX_OPENED files and MAX_OPENED_CHARS characters. */
function openUsers(
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  texts: Map<string, string>,
  textOf: (path: string) => string | null,
): void {
  const [{ file, symbol }] = definitions as [SymbolDefinition]
  const users = graph.filesUsing(storedName(symbol.name)).filter((each) => each.family === file.family)
  let chars = 0
  for (const { path } of users) {
    if (texts.size >= MAX_OPENED || chars > MAX_OPENED_CHARS) return
    const text = texts.has(path) ? null : textOf(path)
    if (text === null) continue
    chars += text.length
    texts.set(path, text)
  }
}

/** Position of the name in the lines of its definition; null if they do not contain it. */
function positionIn(text: string, { symbol }: SymbolDefinition): ServerPosition | null {
  const lines = text.split(/\r\n|[\r\n]/)
  const name = new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(symbol.name)}(?![\\p{L}\\p{N}_$])`, "u")
  const last = Math.min(symbol.endLine, symbol.startLine + MAX_HEAD_LINES, lines.length)
  for (let line = symbol.startLine - 1; line < last; line++) {
    const character = name.exec(lines[line]!)?.index
    if (character !== undefined) return { line, character }
  }
  return null
}

const LANGUAGE_IDS: Readonly<Record<string, string>> = {
  tsx: "typescriptreact",
  "objective-c": "objective-c",
}

function languageId({ language, path }: FileView): string {
  return path.endsWith(".jsx") ? "javascriptreact" : (LANGUAGE_IDS[language] ?? language)
}

/**
 * Settings that keep the servers of a family of languages from what they would otherwise do with a project, whatever
 * their command is: running its build scripts or the TypeScript in its node_modules, and downloading types.
 */
function settingsFor(
  argv: readonly string[],
  family: string,
  root: string,
): Pick<ServerQuestion, "initialization" | "configuration"> {
  if (family === "rust") {
    const initialization = {
      cargo: { buildScripts: { enable: false } },
      procMacro: { enable: false },
      checkOnSave: false,
    }
    return { initialization, configuration: { "rust-analyzer": initialization } }
  }
  if (family !== "js") return { initialization: {}, configuration: {} }
  const path = typeScriptOutside(argv, root)
  const withoutTypes = {
    disableAutomaticTypeAcquisition: true,
    tsserver: { automaticTypeAcquisition: { enabled: false } },
  }
  return {
    initialization: {
      tsserver: path === null ? {} : { path },
      plugins: [],
      disableAutomaticTypingAcquisition: true,
    },
    configuration: {
      "js/ts": withoutTypes,
      typescript: path === null ? withoutTypes : { ...withoutTypes, tsdk: dirname(path) },
      javascript: withoutTypes,
    },
  }
}

/** The tsserver.js of a TypeScript that is installed with a file of the command, or on PATH; null if none is. */
function typeScriptOutside(argv: readonly string[], root: string): string | null {
  const files = [...argv, findProgram("tsserver", root)].filter(
    (word) => word !== null && isAbsolute(word) && existsSync(word),
  )
  for (const file of files)
    for (let folder = dirname(realpathSync(file!)); dirname(folder) !== folder; folder = dirname(folder)) {
      const path = join(folder, "node_modules", "typescript", "lib", "tsserver.js")
      if (isOutsideProjects(path, root)) return path
    }
  return null
}

/**
 * Merges the references of the graph with the places that servers returned. A reference that a server also returned
 * becomes certain; the others stay as they are.
 */
export function withServerPlaces(
  graph: SymbolGraph,
  results: SymbolResults,
  { places, servers, notices }: ServerAnswers,
): SymbolResults {
  const keyOf = (path: string, line: number) => `${path}:${line}`
  const named = new Map(places.map((place) => [keyOf(place.path, place.line), place]))
  const isNamed = ({ file, line }: Edge) => named.has(keyOf(file.path, line))
  const edges = (results.edges ?? []).map((edge) => (isNamed(edge) ? certain(edge, edge.target) : edge))
  const unresolved = results.unresolved ?? []
  const resolved = unresolved.filter(isNamed).map((edge) => certain(edge, results.definitions[0]!))
  const listed = new Set([...edges, ...resolved].map(({ file, line }) => keyOf(file.path, line)))
  let outside = 0
  const others = places.flatMap(({ path, line, target }) => {
    if (listed.has(keyOf(path, line))) return []
    const file = graph.file(path)
    if (file === null) outside++
    if (file === null || isDefinition(graph, target, path, line)) return []
    listed.add(keyOf(path, line))
    const name = target.symbol.name
    const use = file.usesOf(storedName(name)).find((each) => each.line === line)
    return [edgeOf(use ?? { name, line, flags: 0, qualifier: null }, file, { tie: TIE.certain, target })]
  })
  const families = new Set(servers.map(({ family }) => family))
  const unnamed = edges.filter((edge) => families.has(edge.file.family) && !isNamed(edge)).length
  const serverNotes = servers.map(
    ({ name }) =>
      `asked ${name}: it names ${others.length + resolved.length} places that aman did not have as certain, and not ${unnamed} of those listed`,
  )
  const outsideNotes =
    outside === 0 ? [] : [`${outside} places that it names are in files that are not indexed`]
  return {
    ...results,
    edges: [...edges, ...resolved, ...others].sort(byPlace),
    unresolved: unresolved.filter((edge) => !isNamed(edge)),
    notices: [...serverNotes, ...outsideNotes, ...notices, ...(results.notices ?? [])],
  }
}

function certain(edge: Edge, target: SymbolDefinition | null): Edge {
  return Object.defineProperties(edge, {
    certainty: { value: "certain", enumerable: true },
    target: { value: target, enumerable: true },
  })
}

/** True for the line of a definition of that name: servers list it among the references. */
function isDefinition(graph: SymbolGraph, { symbol }: SymbolDefinition, path: string, line: number): boolean {
  return graph
    .definitionsOf(symbol.name)
    .some(
      (each) =>
        each.file.path === path &&
        line >= each.symbol.startLine &&
        line <= Math.min(each.symbol.endLine, each.symbol.startLine + MAX_HEAD_LINES),
    )
}

function byPlace(one: Edge, other: Edge): number {
  return compareTexts(one.file.path, other.file.path) || one.line - other.line
}
