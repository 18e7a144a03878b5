import { Database } from "bun:sqlite"
import { join } from "node:path"
import { openSegment } from "../src/index/keyword/segment.ts"
import { CHUNK_KEY_STRIDE } from "../src/index/vector/port.ts"
import { openTable } from "../src/index/vector/set.ts"
import { mapDerived } from "../src/store/derived/derived-files.ts"
import { openStore } from "../src/store/index/open.ts"
import type { Store } from "../src/store/index/store.ts"
import { unpackScan } from "../src/tree/scan/scan-snapshot.ts"
import { connect, settled } from "./e2e/connect.ts"
import type { Workspace } from "./e2e/harness.ts"
import { SHARED_NAMES } from "./modules.ts"

/**
 * The content that two indexes of the same files must have in common, however they were made: everything
 * except ids and times.
 */
export type IndexTruth = Readonly<Record<string, unknown>>

type Row = Record<string, unknown>

/** Columns that depend on when or in which order something happened. */
const INCIDENTAL = new Set(["id", "mtime_ms", "file_id", "space_id"])
/**
 * Tables whose rows depend on what was merged so far. `keywordFiles` and `vectorPlaces` compare what they have in
 * common.
 */
const KEPT_SOMEWHERE = ["segments", "vectors", "derived", "tombstones"]
const OTHERWISE = ["meta", "snapshot", "sqlite_sequence", "sqlite_stat1", ...KEPT_SOMEWHERE]

/**
 * The rows of every table of a complete index, with paths instead of ids. Throws when the index is
 * inconsistent.
 */
export function truthOf(folder: string): IndexTruth {
  const path = join(folder, "index.db")
  using db = new Database(path, { readonly: true })
  using store = openStore(path, { readonly: true })
  const paths = new Map(store.files.known().map(([path, id]) => [id, path]))
  const spaces = new Map(store.spaces.all().map(({ id, ...space }) => [id, JSON.stringify(space)]))
  const tables = namesOf(db).filter((name) => !OTHERWISE.includes(name))
  return {
    ...Object.fromEntries(tables.map((name) => [name, rowsOf(db, name, paths, spaces)])),
    state: stateOf(store),
    snapshot: snapshotOf(store),
    inKeywords: keywordFiles(store, folder, paths),
    inVectors: [...spaces].map(([id, space]) => [space, vectorPlaces(store, folder, id, paths)]),
  }
}

const QUERIES = [
  "tokens",
  "how does the parser read tokens",
  "lexer errors",
  "readToken",
  "class TokenStore",
  "settings of the cache",
  "cache_size",
  "notes",
]

/** Answers to a fixed list of questions, with all scores and their explanations. */
export async function rankingsOf(
  space: Workspace,
  env: Record<string, string> = {},
  queries: readonly string[] = QUERIES,
): Promise<unknown> {
  const rankings: Record<string, unknown> = {}
  for (const mode of ["keyword", "hybrid", "semantic"]) {
    const args = ["--explain", "--mode", mode, ...queries.flatMap((query) => ["-e", query])]
    const { stdout, stderr, code } = await space.run(["search", "--json", ...args], { env })
    if (code > 1) throw new Error(`search ended with ${code}: ${stderr}${stdout}`)
    const { answers } = JSON.parse(stdout)
    for (const { query, results, notices, partial } of answers) {
      rankings[`${mode}: ${query}`] = { results: results.map(withoutNoise), notices, partial }
    }
  }
  return rankings
}

const RELATIONS = ["definition", "references", "callers", "callees", "implementations", "impact"]
const SYMBOL_QUESTIONS = [
  ...SHARED_NAMES.flatMap((name) => RELATIONS.map((relation) => ({ name, relation }))),
  { name: "COMMONSTEP" },
  { relation: "unused" },
  { relation: "central" },
  { relation: "outline", path: "p0/m0.py" },
]

/** Answers of the symbol graph, of maps and of context; their order is compared, too. */
export async function answersOf(space: Workspace, env: Record<string, string> = {}): Promise<unknown> {
  const answers: Record<string, unknown> = {}
  {
    // One server instead of a process for each question.
    await using server = await connect(space, { env })
    await settled(server)
    for (const question of SYMBOL_QUESTIONS) {
      const { isError, content, structuredContent } = await server.call("symbol", question)
      // The requested file may have been removed by the edits.
      if (isError && question.relation !== "outline")
        throw new Error(`${JSON.stringify(question)} has no answer: ${content[0]?.text}`)
      const { took_ms: _, ...answer } = structuredContent ?? { text: content[0]?.text }
      answers[JSON.stringify(question)] = withoutNoise(answer)
    }
  }
  // With a budget, because without one a context ends at a worth that depends on how rare words are, and deleted
  // documents count there until their segment is merged.
  const context = ["context", "--max-tokens", "3000", "advance the common step"] as const
  for (const [command, ...args] of [["map"], context] as const) {
    const { took_ms: _, ...answer } = await space.json([command, ...args], { env })
    answers[command] = withoutNoise(answer)
  }
  return answers
}

/**
 * Numbers rounded to five digits, because the last digits of a large sum depend on the order of its terms.
 */
function withoutNoise(value: unknown): unknown {
  if (typeof value === "number") return Number(value.toPrecision(5))
  if (Array.isArray(value)) return value.map(withoutNoise)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutNoise(part)]))
}

function namesOf(db: Database): string[] {
  const rows = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  return rows.map(({ name }) => name)
}

function rowsOf(
  db: Database,
  table: string,
  paths: ReadonlyMap<number, string>,
  spaces: ReadonlyMap<number, string>,
): string[] {
  const rows = db.query<Row, []>(`SELECT * FROM ${table}`).all()
  return rows
    .map((row) => {
      const kept = Object.entries(row).filter(([column]) => !INCIDENTAL.has(column))
      const of = "file_id" in row ? { of: known(paths, row["file_id"], table) } : {}
      const space = "space_id" in row ? { space: known(spaces, row["space_id"], table) } : {}
      return JSON.stringify({ ...of, ...space, ...Object.fromEntries(kept) })
    })
    .sort()
}

function known(names: ReadonlyMap<number, string>, id: unknown, table: string): string {
  const name = names.get(Number(id))
  if (name === undefined) throw new Error(`${table} has a row of something that is gone: ${id}`)
  return name
}

function stateOf(store: Store): Row {
  const {
    indexedAt: _,
    shapedFrom: __,
    watchFailure: ___,
    ...state
  } = JSON.parse(store.meta.get("state")!) as Row
  return state
}

function snapshotOf(store: Store): unknown {
  const scan = unpackScan(store.snapshot.get()!)!
  const sizes = (files: readonly { path: string; size: number }[]) =>
    files.map(({ path, size }) => `${path} ${size}`)
  // Empty folders are left out, because the snapshot records a new one only with the next change.
  const telling = scan.folders.filter(
    ({ path, hasRules, skipped }) =>
      hasRules ||
      Object.keys(skipped).length > 0 ||
      scan.files.some((file) => file.path.startsWith(`${path}/`)),
  )
  const folders = telling.map(({ mtimeMs: _, ...folder }) => folder)
  return {
    ...{ files: sizes(scan.files), tooLarge: sizes(scan.tooLarge), rules: sizes(scan.rules).sort(), folders },
    ...{ skipped: scan.skipped, options: scan.options },
  }
}

/** Paths of the files in keyword search, each as often as it is contained. */
function keywordFiles(store: Store, folder: string, paths: ReadonlyMap<number, string>): string[] {
  const dead = new Set(store.tombstones.all("keyword"))
  const base = store.derived.of("keyword").map((row) => {
    const bytes = mapDerived(folder, row)
    if (bytes === null) throw new Error(`${row.name} is not what it should be`)
    return bytes
  })
  return [...base, ...store.segments.all().map(({ blob }) => blob)]
    .flatMap((bytes) => Array.from(openSegment(bytes).fileId))
    .filter((id) => !dead.has(id))
    .map((id) => known(paths, id, "a keyword segment"))
    .sort()
}

/** Path and ordinal of every vector that can be found, each as often as it is contained. */
function vectorPlaces(
  store: Store,
  folder: string,
  space: number,
  paths: ReadonlyMap<number, string>,
): string[] {
  const { dimensions } = store.spaces.all().find(({ id }) => id === space)!
  const deltas = store.vectors.all(space)
  const hidden = new Set([...store.tombstones.all("vectors", space), ...deltas.map(({ fileId }) => fileId)])
  const rows = store.derived.of("vectors", space)
  using base = openTable(folder, rows, dimensions)
  if (rows.length > 0 && base === null) throw new Error(`the vectors of space ${space} are damaged`)
  const folded = Array.from(base?.table.keys ?? [], (key) => {
    return [Math.floor(key / CHUNK_KEY_STRIDE), key % CHUNK_KEY_STRIDE] as const
  })
  const waiting = deltas.flatMap(({ fileId, ordinals }) =>
    Array.from(new Uint16Array(ordinals.slice().buffer), (ordinal) => [fileId, ordinal] as const),
  )
  return [...folded.filter(([id]) => !hidden.has(id)), ...waiting]
    .map(([id, ordinal]) => `${known(paths, id, "the vectors")}:${ordinal}`)
    .sort()
}
