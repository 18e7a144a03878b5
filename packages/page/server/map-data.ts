/* The data of the map: sizes, uses of files by each other, what differs from a commit, and what a change may break. */

import { basename } from "node:path"
import { projectSource } from "../../../src/ask/index.ts"
import { loadCodeMap } from "../../../src/context/index.ts"
import type { Project } from "../../../src/index/index.ts"
import type { SymbolRow } from "../../../src/store/index.ts"
import {
  graphFor,
  graphIn,
  isCallable,
  isType,
  referencesTo,
  type SymbolGraph,
} from "../../../src/symbols/index.ts"
import { changedLines } from "../../../src/tree/index.ts"
import type { CodeChanges, CodeUses, MapData, MapMarks } from "../browser/map/map-types.ts"

const MAX_DEFINITIONS = 100_000
/** Longest time in milliseconds for which names are followed, and after which other requests are answered. */
const MAX_MS = 60_000
const SLICE_MS = 20

/** Which files use types, functions and constants of which others, as far as that is certain. Calls of methods do not count. */
async function codeUses(graph: SymbolGraph, signal: AbortSignal): Promise<CodeUses> {
  const endsAt = performance.now() + MAX_MS
  const { kindOf } = await loadCodeMap()
  const files = graph.files(graph.inOrder(graph.store.uses.ids(), []))
  const places = new Map(files.map(({ path }, at) => [path, at]))
  const counts = new Map<number, number>()
  const definitions: (readonly [number, string, number, number])[] = []
  const followed = files.flatMap((file, at) => {
    const own = file.symbols.filter(({ local }) => local === 0)
    for (const { name, startLine, endLine } of drawn(own)) definitions.push([at, name, startLine, endLine])
    if (kindOf(file.path, file.flags, "code") !== "code") return []
    return own.filter((each) => each.owner === null || isType(each)).map((symbol) => ({ symbol, file }))
  })
  const names = [...Map.groupBy(followed, ({ symbol }) => symbol.name).values()]
  let done = 0
  for (let pause = performance.now(); done < names.length && performance.now() < endsAt; done++) {
    for (const { file, target, certainty, kind } of referencesTo(graph, names[done]!).edges) {
      const isUse = certainty === "certain" && kind !== "import" && target !== null
      if (!isUse || target.file.path === file.path) continue
      const key = places.get(file.path)! * files.length + places.get(target.file.path)!
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    if (performance.now() - pause < SLICE_MS) continue
    await Bun.sleep(0)
    signal.throwIfAborted()
    pause = performance.now()
  }
  return {
    paths: files.map(({ path }) => path),
    uses: [...counts].map(([key, count]) => [Math.floor(key / files.length), key % files.length, count]),
    definitions: definitions.slice(0, MAX_DEFINITIONS),
    not_followed: names.length - done,
    not_drawn: Math.max(0, definitions.length - MAX_DEFINITIONS),
  }
}

/** The functions of a file, and its types that contain none. */
function drawn(symbols: readonly SymbolRow[]): SymbolRow[] {
  const sorted = symbols.filter((each) => isCallable(each) || isType(each)).toSorted(byExtent)
  const found: SymbolRow[] = []
  // Of the functions that start at or after the current one, the first to end.
  let ends = Number.POSITIVE_INFINITY
  for (const each of sorted.toReversed()) {
    if (isCallable(each)) ends = Math.min(ends, each.endLine)
    else if (ends <= each.endLine) continue
    found.push(each)
  }
  return found.toReversed()
}

/** By first line; of two with the same one, the longer first, a type before a function. */
function byExtent(a: SymbolRow, b: SymbolRow): number {
  return a.startLine - b.startLine || b.endLine - a.endLine || Number(isCallable(a)) - Number(isCallable(b))
}

const NO_USES: CodeUses = { paths: [], uses: [], definitions: [], not_followed: 0, not_drawn: 0 }

type KnownUses = { readonly version: number; readonly until: number; readonly uses: Promise<CodeUses> }

/** The uses in a project. They are followed again when the index has changed, for at most a tenth of the time. */
export class ProjectUses {
  #known: KnownUses | null = null

  of(project: Project): Promise<CodeUses> {
    const store = project.reader()?.store
    if (store === undefined) return Promise.resolve(NO_USES)
    const version = store.dataVersion()
    const known = this.#known
    if (known !== null && (known.version === version || performance.now() < known.until)) return known.uses
    const started = performance.now()
    const uses = codeUses(graphIn(project, store), new AbortController().signal)
    const entry = { version, until: Number.POSITIVE_INFINITY, uses }
    this.#known = entry
    uses.then(
      () => {
        const now = performance.now()
        if (this.#known === entry) this.#known = { ...entry, until: now + 10 * (now - started) }
      },
      () => {
        if (this.#known === entry) this.#known = null
      },
    )
    return uses
  }
}

/** What differs from a revision, or between two (`a..b`). Throws USAGE for an unknown revision. */
export async function codeChanges(project: Project, since: string): Promise<CodeChanges> {
  const known = project.reader()?.store.files.known() ?? []
  const files = known.map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted } = await changedLines(project.root, since, files)
  return {
    files: changed.map(({ path, added, removed }) => ({ path, added, removed })),
    deleted: deleted.map(({ path, before }) => ({ path, removed: before.split("\n").length - 1 })),
  }
}

/** Everything that the map of a project shows. */
export async function mapData(
  project: Project,
  { since, symbol }: MapMarks,
  signal: AbortSignal,
  known = new ProjectUses(),
): Promise<MapData> {
  const { codeMap } = await loadCodeMap()
  const source = projectSource(project, { refresh: false, signal })
  const asked = symbol === undefined ? { diff: since } : { name: symbol }
  const isMarked = since !== undefined || symbol !== undefined
  return {
    name: basename(project.root),
    map: codeMap(project, new Map()) ?? { modules: [], files: [], left_out: 0 },
    uses: await known.of(project),
    marks: { since, symbol },
    changes: since === undefined ? null : await codeChanges(project, since),
    impact: isMarked ? await graphFor(source.symbol, { ...asked, relation: "impact", limit: 200 }) : null,
  }
}
