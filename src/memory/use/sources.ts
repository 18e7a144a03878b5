import { statSync } from "node:fs"
import { join } from "node:path"
import { userDataDir } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import { lastName, type SymbolRow } from "../../store/index.ts"
import { lineDiff } from "../anchors/anchor.ts"
import type { SourceState } from "../anchors/check.ts"
import { commitsAfter } from "../anchors/commit-after.ts"
import type { LocalProject, SymbolPlace } from "../anchors/place.ts"
import { retainedWords } from "../anchors/retained-words.ts"
import type { Entry } from "../entries/entry.ts"
import { storeFilterFor } from "./entries/entry-names.ts"
import type { Memory } from "./memory.ts"
import type { EntryOutput } from "./requests.ts"

/**
 * Checks the source lines of an entry; the returned `source` of the entry is their current place. The state is null without
 * a source. Writes nothing; only the action `refresh` records a new place.
 */
export async function checkSource(memory: Memory, entry: Entry) {
  if (entry.source === null) return { entry, state: null }
  const isHere = entry.project !== null && entry.project === memory.project()
  const state = await memory.sources.state(entry.source, isHere)
  const { freshness, followed, path, startLine, endLine } = state
  // The stored lines of changed code stay, to be compared with the current ones.
  const changed = freshness === "changed" ? { ...entry.source, path, startLine, endLine } : null
  return { entry: { ...entry, source: changed ?? followed ?? entry.source }, state }
}

/** Entries in the format of answers, each with the commit that it led to, if one is known. */
export async function withCommits<T extends EntryOutput>(
  memory: Memory,
  entries: readonly Entry[],
  shown: readonly T[],
): Promise<T[]> {
  const own = entries.filter(({ project }) => project !== null && project === memory.project())
  const commits = memory.root === null ? new Map() : await commitsAfter(memory.root, own)
  return shown.map((each) => (commits.has(each.id) ? { ...each, led_to: commits.get(each.id) } : each))
}

export type SourceNow = {
  /** The lines that are in the source's place now; null if there are none. */
  readonly text: string | null
  /** Diff of the stored and the current lines; null when either are unknown. */
  readonly diff: string | null
  /**
   * Names that the entry's text mentions, that the stored source lines contain, and that the current ones do not. Null if
   * the stored lines contain none of the mentioned names, or if one of the two texts is unknown.
   */
  readonly lost: readonly string[] | null
  /** Places where the symbol of lines that are gone is defined now, as "path:line". */
  readonly elsewhere: readonly string[]
}

/** The current state of an entry's source; null when it has not changed. */
export async function sourceNow(
  { source, text }: Entry,
  state: SourceState | null,
): Promise<SourceNow | null> {
  if (state === null || source === null) return null
  if (state.freshness !== "changed" && state.freshness !== "gone") return null
  const elsewhere = state.elsewhere.map(({ path, startLine }) => `${path}:${startLine}`)
  if (state.now === null || source.text === null)
    return { text: state.now, diff: null, lost: null, elsewhere }
  const { before = [], after = [] } = source.context ?? {}
  const around = { before: [...before, ...after], now: state.around }
  const { named, lost } = retainedWords(text, source.text, state.texts, around)
  return {
    text: state.now,
    diff: await lineDiff(source.text, state.now),
    lost: named.length === 0 ? null : lost,
    elsewhere,
  }
}

export type CodeSymbol = SymbolPlace & { readonly name: string; readonly kind: string }

/** Maximum number of definitions of one name. */
const MAX_SYMBOLS = 20

/**
 * Definitions in the project's index of a name written as in code: open, Shop.login, a::b. Empty if there is no index.
 */
export function codeSymbols(project: Project, name: string): CodeSymbol[] {
  const store = project.reader()?.store
  if (store === undefined) return []
  const last = lastName(name)
  // The owner in a qualified name: Shop in Shop.login, a in a::b.
  const owner = lastName(name.slice(0, name.length - last.length).replace(/[^\p{L}\p{N}_$]+$/u, ""))
  const exact = store.symbols.findByName(name, MAX_SYMBOLS)
  const isOwned = (row: SymbolRow) => row.owner !== null && lastName(row.owner) === owner
  const rows =
    exact.length > 0 || last === name ? exact : store.symbols.findByName(last, MAX_SYMBOLS).filter(isOwned)
  const files = store.files.named(rows.map(({ fileId }) => fileId))
  const paths = new Map(files.map(({ id, path }) => [id, path]))
  return rows.flatMap(({ fileId, name, kind, startLine, endLine }) => {
    const path = paths.get(fileId)
    return path === undefined ? [] : [{ name, kind, path, startLine, endLine }]
  })
}

/** Number of valid entries of this project for each path of their sources. */
export function sourceCounts(memory: Memory): Map<string, number> {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { scope: "project", valid: true }))
  const counts = new Map<string, number>()
  for (const { source } of entries)
    if (source !== null) counts.set(source.path, (counts.get(source.path) ?? 0) + 1)
  return counts
}

/**
 * The project in the form that checks of source lines need: access to its files and to the definitions in its index.
 */
export function localProject(project: Project): LocalProject {
  const { root, config } = project
  return {
    root,
    ownFolders: [config.index.dir, userDataDir()],
    maxFileBytes: config.index.maxFileBytes,
    indexed: {
      find: (path, hash) => project.reader()?.store.texts.find(path, hash) ?? null,
      encoding: (path, hash) => project.reader()?.store.texts.encoding(path, hash) ?? null,
    },
    findSymbol: (name) => codeSymbols(project, name),
    definitionsOf: (path) => {
      const store = project.reader()?.store
      const file = store?.files.byPath(path)
      if (!store || !file) return null
      const stat = statSync(join(root, path), { throwIfNoEntry: false })
      const isCurrent = stat?.size === file.size && stat.mtimeMs === file.mtimeMs
      return isCurrent ? store.symbols.ofFile(file.id) : null
    },
  }
}
