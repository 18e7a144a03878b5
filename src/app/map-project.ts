import { basename } from "node:path"
import type { SearchAnswer } from "./answers.ts"
import { type CentralSymbol, centralSymbols } from "./map/central-symbols.ts"
import { type EntryPoint, entryPoints } from "./map/entry-points.ts"
import { folderOfFile, type MapFolder, mapFolders } from "./map/folders.ts"
import { Manifests } from "./map/manifests.ts"
import { partialOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import { describeProject } from "./project-type.ts"
import { refreshOrSay } from "./refresh-index.ts"
import { whyEmpty } from "./why-empty.ts"

export type MapAnswer = {
  readonly root: string
  readonly name: string
  /** What the project says of itself in a manifest or its README, a sentence or two; null where it says nothing. */
  readonly about: string | null
  readonly project: { readonly type: string; readonly source_folders: readonly string[] }
  readonly files: number
  /** Files by language, most first. */
  readonly languages: Readonly<Record<string, number>>
  /** By path; a small folder counts with the one it is in. */
  readonly folders: readonly MapFolder[]
  readonly entry_points: readonly EntryPoint[]
  /** What most of the project hangs on, first the most central. */
  readonly symbols: readonly CentralSymbol[]
  readonly partial: SearchAnswer["partial"]
  readonly took_ms: number
  readonly notices: readonly string[]
}

export type MapOptions = {
  /** Bring the index up to date first, unless another process does so. */
  readonly refresh: boolean
  readonly signal?: AbortSignal | undefined
}

/** What there is in a project: folders, entry points, central symbols. `mapText` makes of it a page within a budget. */
export async function mapProject(project: Project, { refresh, signal }: MapOptions): Promise<MapAnswer> {
  const started = performance.now()
  const failure = refresh ? (await refreshOrSay(project, { signal })).failure : null
  const { root } = project
  const store = project.reader()?.store
  const name = basename(root)
  if (!store) return { ...NOTHING, root, name, took_ms: elapsed(started) }
  const files = store.files.amounts()
  const manifests = new Manifests(project, files)
  const symbols = centralSymbols(store)
  const home = folderOfFile(files)
  const { projectTypes, sourceFolders } = describeProject(files)
  const languages = store.files.languages()
  return {
    root,
    name: manifests.name ?? name,
    about: manifests.about,
    project: { type: projectTypes.join(", ") || "unknown", source_folders: sourceFolders },
    files: files.length,
    languages: Object.fromEntries(languages.map((each) => [each.language, each.files])),
    folders: mapFolders(files, home, symbols),
    entry_points: entryPoints(store, files, manifests),
    symbols: symbols.slice(0, MOST_SYMBOLS),
    partial: partialOf(store),
    took_ms: elapsed(started),
    notices: [...(failure === null ? [] : [failure]), ...whyEmpty(root, store)],
  }
}

const MOST_SYMBOLS = 100

const NOTHING = {
  about: null,
  project: { type: "unknown", source_folders: [] },
  files: 0,
  languages: {},
  folders: [],
  entry_points: [],
  symbols: [],
  partial: { done: 0, total: 0, share: 0 },
  notices: ["there is no index yet"],
} as const

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}
