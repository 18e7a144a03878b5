import { compareTexts, FILE_FLAG } from "../base/index.ts"
import type { Project } from "../index/index.ts"
import type { SymbolRow } from "../store/index.ts"
import {
  byCertainty,
  type Certainty,
  calleesOf,
  definitionKey,
  type Edge,
  isCallable,
  isType,
  isWithin,
  qualifiedName,
  referencesTo,
  type SymbolDefinition,
  type SymbolGraph,
  storedName,
  testsOf,
} from "../symbols/index.ts"
import { oneLine } from "../text/index.ts"
import type { SourceFile } from "./pieces.ts"

/** What is related to a definition; each part is searched when it is asked for. */
export type Relations = {
  /** Lines with places and signatures, ordered by certainty, then centrality. */
  readonly callees: () => readonly string[]
  readonly callers: () => readonly string[]
  readonly tests: () => readonly string[]
  /**
   * Number of files that use the name if they are more than MAX_USERS, so that callers and tests are not searched;
   * otherwise 0.
   */
  readonly users: number
  /** The uses outside of tests; empty if callers are not searched. */
  readonly uses: () => readonly Edge[]
}

const MAX_TESTS = 4
/** A longer command is left out, because one that is cut does not run. */
const MAX_COMMAND_CHARS = 300
const TEST_BOUNDS = () => ({ files: 200, ms: 200, now: () => performance.now() })
// Max files that use a name: each would have to be read, and callers of something used everywhere say little.
const MAX_USERS = 60

/** The relations of a definition; null for symbols that are neither functions nor types. */
export function relationsOf({ project, graph, path }: SourceFile, symbol: SymbolRow): Relations | null {
  const file = graph.file(path)
  if (file === null || !(isCallable(symbol) || isType(symbol))) return null
  const target = { symbol, file }
  const callees = () => (isCallable(symbol) ? calleesIn(graph, target) : [])
  const users = graph.idsUsing(storedName(symbol.name)).length
  if (users > MAX_USERS) return { callees, users, callers: NONE, uses: NONE, tests: NONE }
  let found: readonly Edge[] | null = null
  const uses = () => (found ??= usesIn(graph, target))
  return {
    callees,
    callers: () => callersIn(graph, target, uses()),
    tests: () => testsIn(project, graph, target),
    users: 0,
    uses,
  }
}

const NONE = () => []

function usesIn(graph: SymbolGraph, target: SymbolDefinition): readonly Edge[] {
  return referencesTo(graph, target).edges.filter(
    ({ certainty, kind, file }) =>
      certainty !== "by name" && kind !== "import" && (file.flags & FILE_FLAG.test) === 0,
  )
}

function callersIn(graph: SymbolGraph, target: SymbolDefinition, edges: readonly Edge[]): string[] {
  const holders = new Map<string, RankedRelation>()
  for (const { file, within, line, certainty } of edges) {
    const isOwn = file.id === target.file.id && within !== null && isWithin(within, target.symbol)
    if (isOwn) continue
    const key = within === null ? `${file.id}` : definitionKey({ symbol: within, file })
    const previous = holders.get(key)
    if (previous && byCertainty(previous, { certainty }) <= 0) continue
    const text = within === null ? `${file.path}:${line}` : definitionPlace({ symbol: within, file })
    holders.set(key, { fileId: file.id, certainty, text })
  }
  return rankRelations(graph, [...holders.values()], 6)
}

function calleesIn(graph: SymbolGraph, target: SymbolDefinition): string[] {
  const calls = calleesOf(graph, target, 1).calls.filter(
    ({ definition, certainty }) =>
      certainty !== "by name" &&
      !(definition.file.id === target.file.id && isWithin(definition.symbol, target.symbol)),
  )
  const all = calls.map(({ definition, certainty }) => ({
    fileId: definition.file.id,
    certainty,
    text: definitionPlace(definition),
  }))
  return rankRelations(graph, all, 6)
}

type RankedRelation = { readonly fileId: number; readonly certainty: Certainty; readonly text: string }

/** Sorts by certainty, then by the centrality of the file. */
function rankRelations(graph: SymbolGraph, all: readonly RankedRelation[], max: number): string[] {
  const central = graph.store.centrality.of([...new Set(all.map(({ fileId }) => fileId))])
  return [...all]
    .sort(
      (one, other) =>
        byCertainty(one, other) ||
        (central.get(other.fileId) ?? 0) - (central.get(one.fileId) ?? 0) ||
        compareTexts(one.text, other.text),
    )
    .slice(0, max)
    .map(({ text }) => text)
}

/** A line for each of the nearest tests, and the commands that run them. */
function testsIn(project: Project, graph: SymbolGraph, target: SymbolDefinition): string[] {
  const { related = [], commandsFor } = testsOf(project, graph, [target], { bounds: TEST_BOUNDS() })
  const nearest = related.slice(0, MAX_TESTS)
  return [
    ...nearest.map(({ definition: { symbol, file }, through = [] }) => {
      const way = through.length === 0 ? "" : ` through ${through.join(" > ")}`
      return oneLine(`${file.path}:${symbol.startLine} ${qualifiedName({ symbol })}${way}`, 160)
    }),
    ...(related.length > MAX_TESTS
      ? [`${related.length - MAX_TESTS} more: aman symbol ${qualifiedName(target)} --tests`]
      : []),
    ...commandsFor!(nearest).commands.flatMap((command) =>
      command.length > MAX_COMMAND_CHARS ? [] : [`run: ${command}`],
    ),
  ]
}

function definitionPlace({ symbol, file }: SymbolDefinition): string {
  return oneLine(`${file.path}:${symbol.startLine} ${oneLine(symbol.signature, 90)}`)
}
