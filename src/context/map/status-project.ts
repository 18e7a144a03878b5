/*
 * The status of an index: content, progress, embedding, leader, pending files, and notices about everything that
 * degrades answers. Nothing is built or changed. `skippedFiles` lists the files that are not indexed.
 */

import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import {
  AmanError,
  compareTexts,
  encodingOf,
  FILE_FLAG,
  GUESSED_FLAG,
  type IndexProgress,
  nearest,
  residentBytes,
  resolvedOr,
  type StatusAnswer,
} from "../../base/index.ts"
import {
  chunkersOf,
  detectChanges,
  type IndexState,
  indexContents,
  indexFolderSize,
  indexNotices,
  indexPath,
  isForeignIndex,
  openIndexFolder,
  openRegistry,
  type Project,
  partialIndex,
  projectTypeOf,
  type RemovedIndex,
  readState,
  removeIndex,
  whyEmpty,
} from "../../index/index.ts"
import { pendingChangesIn, pendingNotice } from "../../memory/index.ts"
import { contentKindOf, languageOf, pathFlags } from "../../parse/index.ts"
import { type FileAmount, type IndexEntry, LeaderLock, type Store } from "../../store/index.ts"
import { type ScannedFile, scanOptionsOf, scanProject, skippedEntries } from "../../tree/index.ts"

/** State of the index updater in this process. */
export type UpdaterState = {
  readonly progress: IndexProgress | null
  readonly leads: boolean
  /** Number of changed paths not yet checked; null if any path may have changed. */
  readonly waiting: number | null
}

/**
 * Returns content and state of the index; never builds anything. `live` is null when this process does not
 * update the index.
 */
export async function projectStatus(
  project: Project,
  live: UpdaterState | null = null,
): Promise<StatusAnswer> {
  const progress = live?.progress ?? null
  const leader = live?.leads ? "this process" : leaderOutside(project)
  const reader = project.reader()
  const { config, root } = project
  const memory = {
    limit_bytes: config.performance.memoryLimitBytes,
    resident_bytes: residentBytes(),
  }
  const { embedding, ...contents } = indexContents(reader)
  if (reader === null) {
    return {
      root,
      project: existsSync(root) ? describeUnindexed(project) : UNKNOWN_PROJECT,
      state: progress === null ? "missing" : "indexing",
      ...contents,
      ranked_down: {},
      generation: 0,
      index_bytes: 0,
      embedding,
      memory,
      progress,
      leader,
      pending: null,
      last_indexed: null,
      notices: [...(progress === null ? [whyMissing(root)] : []), ...sharedMemoryNotices(root)],
    }
  }
  const { store } = reader
  const state = readState(store)
  return {
    root,
    // The files of an incomplete index may be of one kind only.
    project:
      partialIndex(store) === null || !existsSync(root)
        ? projectDescription(describeProject(store.files.amounts()))
        : describeUnindexed(project),
    state: progress !== null ? "indexing" : state.state,
    ...contents,
    ranked_down: rankedDown(store),
    encodings: encodingsOf(store),
    chunkers: chunkersOf(store),
    generation: store.meta.generation(),
    index_bytes: indexFolderSize(reader.folder).bytes,
    embedding,
    memory,
    progress,
    leader,
    pending: pendingOf(project, store, live),
    last_indexed: state.indexedAt,
    notices: [
      ...indexNotices(store),
      ...whyEmpty(root, store),
      ...interruptedNotices(state, leader),
      ...pollingNotices(state, leader),
      ...sharedMemoryNotices(root),
    ],
  }
}

/** A file or folder that is not indexed. */
export type SkippedPath = { readonly path: string; readonly reason: string }

/**
 * Every file and folder that is not indexed, sorted by reason and path; the contents of a skipped folder are
 * not listed. `reason` selects one reason. Throws USAGE if nothing is skipped for a reason of this name.
 */
export function skippedFiles(project: Project, reason: string | undefined): SkippedPath[] {
  const read = project.reader()?.store.skipped.all() ?? []
  const all = [...skippedEntries(project.root, scanOptionsOf(project.config)), ...read]
    .map(({ path, reason }): SkippedPath => ({ path, reason }))
    .sort((a, b) => compareTexts(a.reason, b.reason) || compareTexts(a.path, b.path))
  if (reason === undefined) return all
  const reasons = [...new Set(all.map((each) => each.reason))]
  if (reasons.includes(reason)) return all.filter((each) => each.reason === reason)
  const meant = nearest(reason, reasons)
  throw new AmanError("USAGE", `nothing is skipped for the reason ${JSON.stringify(reason)}`, {
    hint: meant ? `did you mean ${JSON.stringify(meant)}?` : `reasons here: ${reasons.join(", ") || "none"}`,
  })
}

/** A file that a chunker program of the user was asked to divide; `failure`: why it has aman's chunks instead, or null. */
export type ChunkedFile = { readonly path: string; readonly program: string; readonly failure: string | null }

/** The files that a chunker program was asked to divide, sorted by path. */
export function chunkedFiles(project: Project): ChunkedFile[] {
  const rows = project.reader()?.store.divided.all() ?? []
  return rows.map(({ path, program, failure }) => ({ path, program, failure }))
}

const UNKNOWN_PROJECT = { type: "unknown", source_folders: [] } as const

function projectDescription({ projectTypes, sourceFolders }: ProjectDescription): StatusAnswer["project"] {
  return { type: projectTypes.join(", ") || UNKNOWN_PROJECT.type, source_folders: sourceFolders }
}

/** Found once for each opened project, because a page asks twice a second, and a scan of 50,000 files takes 0.35 s. */
const described = new WeakMap<Project, StatusAnswer["project"]>()

/** Type and source folders of a project without a whole index, judged by the names of its files. */
function describeUnindexed(project: Project): StatusAnswer["project"] {
  const known = described.get(project)
  if (known !== undefined) return known
  const files = scanProject(project.root, scanOptionsOf(project.config)).files.map(({ path, size }) => {
    const content = contentKindOf(languageOf(path, ""))
    return { path, size, content, flags: pathFlags(path) }
  })
  const found = projectDescription(describeProject(files))
  described.set(project, found)
  return found
}

/** Notice about pending changes in the team's shared memory folder. */
function sharedMemoryNotices(root: string): string[] {
  const pendingShared = pendingChangesIn(root)
  return pendingShared === null ? [] : [pendingNotice(pendingShared)]
}

function whyMissing(root: string): string {
  if (!existsSync(root)) return `the project folder does not exist: ${root}`
  return "there is no index yet; run aman index, or search"
}

function leaderOutside(project: Project): StatusAnswer["leader"] {
  const isHeld = LeaderLock.isHeld(() => openIndexFolder(project.indexPlace))
  return isHeld === null ? "unknown" : isHeld ? "another process" : "nobody"
}

function pendingOf(project: Project, store: Store, live: UpdaterState | null): number | null {
  const { state, total } = readState(store)
  if (state !== "ready") return Math.max(0, total - store.files.totals().files)
  const pending = live === null ? pendingFiles(project, store) : null
  if (live === null) return pending && pending.removed.length + pending.changed.length
  return live.leads ? live.waiting : null
}

function interruptedNotices({ state }: IndexState, leader: StatusAnswer["leader"]): string[] {
  if (state !== "indexing" || leader !== "nobody") return []
  return ["the last index run was interrupted; aman index, or a search, continues it"]
}

function pollingNotices({ watchFailure }: IndexState, leader: StatusAnswer["leader"]): string[] {
  if (watchFailure === null || leader === "nobody") return []
  return [
    `folders cannot be watched, so aman scans for changes every few seconds: ${watchFailure}; ` +
      "raise that limit, or exclude folders in .amanignore",
  ]
}

const RANKED_DOWN = {
  generated: FILE_FLAG.generated,
  "generated documentation": FILE_FLAG.generatedDocs,
  vendored: FILE_FLAG.vendored,
  "build output": FILE_FLAG.output,
  "generated by .gitattributes": FILE_FLAG.markedGenerated,
  "vendored by .gitattributes": FILE_FLAG.markedVendored,
  "documentation by .gitattributes": FILE_FLAG.markedDocs,
  "taken back by .gitattributes": FILE_FLAG.deniedGenerated | FILE_FLAG.deniedVendored | FILE_FLAG.deniedDocs,
} as const

/** Counts per reason; a file with several reasons counts under each. */
function rankedDown(store: Store): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { flags, files } of store.files.flagCounts()) {
    for (const [name, flag] of Object.entries(RANKED_DOWN)) {
      if (flags & flag) counts[name] = (counts[name] ?? 0) + files
    }
  }
  return counts
}

const MAX_GUESSED = 1000
const SHOWN_GUESSES = 3

/** The encodings of files that are not UTF-8; undefined if all are. */
function encodingsOf(store: Store): StatusAnswer["encodings"] {
  const found: Record<string, { files: number; guessed: number; examples: string[] }> = {}
  for (const { flags, files } of store.files.flagCounts()) {
    const read = encodingOf(flags)
    if (read === null) continue
    const each = found[read.encoding] ?? { files: 0, guessed: 0, examples: [] }
    const guessed = each.guessed + (read.isGuess ? files : 0)
    found[read.encoding] = { ...each, files: each.files + files, guessed }
  }
  if (Object.keys(found).length === 0) return undefined
  for (const { path, flags } of store.files.withFlags(GUESSED_FLAG, MAX_GUESSED)) {
    const { examples } = found[encodingOf(flags)!.encoding]!
    if (examples.length < SHOWN_GUESSES) examples.push(path)
  }
  return found
}

/**
 * The files whose size or time differs from the index. Null while there is no snapshot to compare with, as during an
 * index job, or after a change of the settings that choose files. Calls stat for every file.
 */
export function pendingFiles({ root, config }: Project, store: Store) {
  const { since } = detectChanges(root, config, store, true)
  if (since === null) return null
  // The scan compares with the last full snapshot, but the index may be newer than that snapshot.
  const removed = since.removed.filter((path) => store.files.byPath(path) !== null)
  return { removed, changed: since.changed.filter((file) => !isAsIndexed(store, file)) }
}

function isAsIndexed(store: Store, { path, size, mtimeMs }: ScannedFile): boolean {
  const recorded = store.files.byPath(path) ?? store.skipped.get(path)
  return recorded?.size === size && recorded.mtimeMs === mtimeMs
}

export type ProjectDescription = {
  /** Types of the project, sorted by name; empty when no marker file is found. */
  readonly projectTypes: readonly string[]
  /** Folders with most of the code, by bytes; "." is the root itself. */
  readonly sourceFolders: readonly string[]
}

type File = Pick<FileAmount, "path" | "size" | "content" | "flags">

/** A marker file deeper than "packages/a/package.json" describes a part, not the project. */
const MARKER_DEPTH = 2

/** Folders with a smaller share of the code are not listed. */
const MIN_SHARE = 0.03
/**
 * A package is listed as its subfolder, such as "packages/a/src", if that subfolder holds at least this share of its
 * code.
 */
const WHOLE_SHARE = 0.9

/** Folders whose subfolders are projects; those are listed in place of the folder. */
const WORKSPACES: ReadonlySet<string> = new Set(
  "packages crates apps libs modules services projects components plugins".split(" "),
)

/** Returns project types, by marker files near the root, and source folders, by bytes of code. */
export function describeProject(files: readonly File[]): ProjectDescription {
  const isAside = asideFolders()
  return { projectTypes: projectTypesIn(files, isAside), sourceFolders: sourceFoldersOf(files, isAside) }
}

function projectTypesIn(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const depths = new Map<string, number>()
  for (const file of files) {
    const parts = file.path.split("/")
    const depth = parts.length - 1
    const type = depth > MARKER_DEPTH ? null : projectTypeOf(parts[depth]!)
    if (type === null || depth >= (depths.get(type) ?? Number.POSITIVE_INFINITY)) continue
    if (!isAside(file)) depths.set(type, depth)
  }
  const shallowest = Math.min(...depths.values())
  // "Make" and "Nix" are build tools; they are reported only when no other type is found.
  const types = [...depths].filter(([, depth]) => depth === shallowest).map(([type]) => type)
  const specific = types.filter((type) => type !== "Make" && type !== "Nix")
  return (specific.length > 0 ? specific : types).sort().slice(0, 4)
}

function sourceFoldersOf(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const code = files.filter((file) => file.content === "code" && !isAside(file))
  const total = code.reduce((sum, file) => sum + file.size, 0)
  if (total === 0) return []
  const folders = [...bySize(code, "")].flatMap(([folder, size]) =>
    folder === "." ? [[folder, size] as const] : narrow(code, folder, size),
  )
  return folders
    .filter(([, size]) => size >= total * MIN_SHARE)
    .sort(([a, left], [b, right]) => right - left || compareTexts(a, b))
    .slice(0, 8)
    .map(([folder]) => folder)
}

/**
 * Replaces a folder of packages by its packages: "packages" becomes "packages/a/src", "packages/b". Other folders are
 * unchanged.
 */
function narrow(code: readonly File[], folder: string, size: number): (readonly [string, number])[] {
  if (!WORKSPACES.has(folder)) return [[folder, size]]
  const inside = code.filter(({ path }) => path.startsWith(`${folder}/`))
  return Array.from(bySize(inside, folder), ([part, partSize]) =>
    part === "." ? [folder, partSize] : conventional(inside, part, partSize),
  )
}

/**
 * Replaces a folder by its subfolder, "packages/a" by "packages/a/src", if the subfolder holds nearly all of its
 * code.
 */
function conventional(code: readonly File[], folder: string, size: number): readonly [string, number] {
  const inside = code.filter(({ path }) => path.startsWith(`${folder}/`))
  const parts = [...bySize(inside, folder)]
  const main = parts.find(([part, partSize]) => part !== "." && partSize >= size * WHOLE_SHARE)
  return main ?? [folder, size]
}

/** Bytes of code per folder directly in `parent`; "." counts files directly in the parent. */
function bySize(code: readonly File[], parent: string): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { path, size } of code) {
    const slash = path.indexOf("/", parent === "" ? 0 : parent.length + 1)
    const folder = slash < 0 ? "." : path.slice(0, slash)
    sizes.set(folder, (sizes.get(folder) ?? 0) + size)
  }
  return sizes
}

/**
 * Returns a function that is true for a file whose folder is for tests, examples, documentation, vendored or generated
 * code. Only the folder counts, because a test file beside its source does not make the folder a test folder. Files
 * without any of these flags are answered without looking at their folder, and each folder is checked once: checking
 * 50,000 names would take a third of a second.
 */
function asideFolders(): (file: File) => boolean {
  const { test, example, bench, docs, vendored, generated } = FILE_FLAG
  const aside = test | example | bench | docs | vendored | generated
  const cache = new Map<string, boolean>()
  return ({ path, flags }) => {
    if ((flags & aside) === 0) return false
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    let isAside = cache.get(folder)
    if (isAside === undefined) {
      isAside = (pathFlags(folder) & aside) !== 0
      cache.set(folder, isAside)
    }
    return isAside
  }
}

export type ListedProject = {
  readonly root: string
  readonly index_dir: string
  /** "gone": the project's folder is no longer there, only its index is. */
  readonly state: "ready" | "gone"
  readonly index_bytes: number
  readonly created: string
  /** Time of the index's last change, ISO 8601; null if its file is missing. */
  readonly last_changed: string | null
}

/** Projects that this user's aman keeps an index for; with `only`, the one at that root. */
export function listProjects(only?: string): ListedProject[] {
  return keptIndexes(only).map(listedProject)
}

/**
 * Registered indexes, with `only` those of that root; entries whose index is missing or belongs to another user are
 * dropped from the registry.
 */
function keptIndexes(only?: string): IndexEntry[] {
  const registry = openRegistry()
  const entries = registry.all().filter(({ root }) => only === undefined || root === only)
  return entries.filter(({ dir }) => {
    const isKept = existsSync(indexPath(dir)) && !isForeignIndex(dir, registry)
    if (!isKept) registry.remove(dir)
    return isKept
  })
}

function listedProject({ root, dir, created }: IndexEntry): ListedProject {
  const changed = statSync(indexPath(dir), { throwIfNoEntry: false })?.mtime
  return {
    root,
    index_dir: dir,
    state: existsSync(root) ? "ready" : "gone",
    index_bytes: indexFolderSize(dir).bytes,
    created,
    last_changed: changed?.toISOString() ?? null,
  }
}

/** Removes the indexes of the project at that root, which need not exist any more; with `only`, no other root's. */
export function removeProject(root: string, cwd: string, only?: string): RemovedIndex[] {
  const wanted = new Set([resolve(cwd, root), resolvedOr(resolve(cwd, root))])
  const entries = keptIndexes(only).filter((entry) => wanted.has(entry.root))
  if (entries.length > 0) return entries.map(({ root: at, dir }) => removeIndex({ root: at, dir }))
  throw new AmanError("NOT_FOUND", `no index is known for ${resolve(cwd, root)}`, {
    hint: "see: aman projects list",
  })
}
