/*
 * Says why a file that exists is not in the index. Nothing is stored for this: `leftOutAt` scans the folders above a
 * path, and `leftOutNamed` looks for the names in a question in the folders of which a scan has skipped something, and
 * in git's list of files. `leftOutNote` is the one wording.
 */

import { lstatSync } from "node:fs"
import { relative } from "node:path"
import { type Config, toPosix } from "../../base/index.ts"
import { languageOf } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import { readTrackedFiles } from "../git/tracked-files.ts"
import { findWorkTree } from "../git/work-tree.ts"
import { skippedEntries } from "./scan-folder.ts"
import { skipFileName } from "./scan-names.ts"
import { readPacked, type ScannedFolder, scanOptionsOf } from "./scan-snapshot.ts"

/** A project with its index; null if the caller has none, then with the folders of its own scan. */
type Indexed = {
  readonly root: string
  readonly config: Config
  readonly store: Store | null
  readonly folders?: readonly ScannedFolder[] | undefined
}

/** A file that is not in the index. `entry`: the skipped file, or the skipped folder above it. */
export type LeftOut = {
  readonly path: string
  readonly entry: string
  readonly reason: string
  /** True if the text of the file decided, not its name or size. */
  readonly isByText: boolean
  readonly bytes: number
}

/** Maximum number of names of a question that are looked for, and of files that an answer mentions. */
const MAX_NAMES = 4
/** Maximum number of indexed paths with a name that are looked at. */
const MAX_FOUND = 50
/** Maximum number of folders in which they are looked for. */
const MAX_FOLDERS = 4_000

/** Why this path is not in the index; null if it is, or if nothing has skipped it. */
export function leftOutAt({ root, config, store }: Indexed, path: string): LeftOut | null {
  if (store?.files.byPath(path)) return null
  const bytes = sizeAt(root, path)
  const read = store?.skipped.get(path) ?? null
  if (read !== null && bytes !== null)
    return { path, entry: path, reason: read.reason, isByText: true, bytes }
  const entry = skippedEntries(root, scanOptionsOf(config), path).at(-1)
  if (entry !== undefined) {
    // Below a link, a file may lie outside the project; below a submodule that is not checked out, there is none.
    const mayExist = entry.reason === "link" ? entry.path === path : bytes !== null
    if (!mayExist && entry.reason !== "submodule not checked out") return null
    return { path, entry: entry.path, reason: entry.reason, isByText: false, bytes: bytes ?? 0 }
  }
  const isCut = bytes !== null && (snapshotOf(store)?.skipped["over the limit"] ?? 0) > 0
  return isCut ? { path, entry: path, reason: "over the limit", isByText: false, bytes } : null
}

/** Files that the words of a question name and that are not in the index, except secrets. */
export function leftOutNamed(indexed: Indexed, texts: readonly string[]): LeftOut[] {
  const { root, store } = indexed
  const names = [...new Set(texts.flatMap((text) => fileNamesIn(root, text)))]
    .filter((name) => store === null || !isIndexed(store, name))
    .slice(0, MAX_NAMES)
  if (names.length === 0) return []
  const folders = (indexed.folders ?? snapshotOf(store)?.unpack().folders ?? [])
    .filter(({ skipped }) => Object.keys(skipped).length > 0)
    .slice(0, MAX_FOLDERS)
  const known = [...(store?.skipped.all().map(({ path }) => path) ?? []), ...trackedPaths(root)]
  const found = names.flatMap((name) => [
    name,
    ...known.filter((path) => path.endsWith(`/${name}`)),
    ...folders.map(({ path }) => `${path}/${name}`).filter((path) => sizeAt(root, path) !== null),
  ])
  return [...new Set(found)]
    .slice(0, MAX_NAMES)
    .flatMap((path) => leftOutAt(indexed, path) ?? [])
    .filter(({ reason }) => reason !== "secret")
}

/** Paths of the files that are too large for the index. */
export function tooLargeFiles(store: Store): string[] {
  return [
    ...store.skipped.ofReason("too large"),
    ...(snapshotOf(store)?.tooLarge.map(({ path }) => path) ?? []),
  ]
}

/** One sentence: that and why the file is not indexed, and what would change that. */
export function leftOutNote({ path, entry, reason, isByText, bytes }: LeftOut, subject = path): string {
  const which = entry === path ? "it is skipped" : `its folder ${entry} is skipped`
  const next = nextStep(entry, reason, isByText, bytes)
  return `${subject} is not indexed: ${which} (${reason})${next === null ? "" : `; ${next}`}`
}

function nextStep(entry: string, reason: string, isByText: boolean, bytes: number): string | null {
  switch (reason) {
    case "too large":
      return `to index it: ${raiseFileSize(bytes)}`
    case "excluded":
      return "to index it, change .amanignore, paths.include or paths.exclude"
    case "submodule":
      return "to index it: aman config set submodules.enabled true"
    case "submodule not checked out":
      return `to bring it in: git submodule update --init ${entry}`
    case "over the limit":
      return "to index it, raise index.max_files or exclude folders in .amanignore"
    case "unreadable":
      return "check its permissions: ls -l"
    case "minified":
    case "generated":
      if (isByText) return `to index it, add "${entry} -linguist-generated" to .gitattributes`
  }
  return isByText || !CAN_RETURN.has(reason) ? null : `to index it, add !/${entry} to .amanignore`
}

/** The command by which a file of this size is read. */
export function raiseFileSize(bytes: number): string {
  return `aman config set index.max_file_size ${Math.ceil((bytes + 1) / 1e6)}MB`
}

/** Reasons that a line in `.amanignore` overrides. */
const CAN_RETURN: ReadonlySet<string> = new Set([
  ...[
    "ignored",
    "dependencies",
    "build output",
    "nested repository",
    "lock file",
    "minified",
    "test snapshot",
  ],
])

function snapshotOf(store: Store | null) {
  const bytes = store?.snapshot.get() ?? null
  return bytes && readPacked(bytes)
}

/** Size in bytes; null if nothing exists there. */
function sizeAt(root: string, path: string): number | null {
  try {
    return lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.size ?? null
  } catch {
    return null
  }
}

/** The words of a text that may be paths or names of files, without lines such as `:12`. */
function fileNamesIn(root: string, text: string): string[] {
  return text.split(/[\s"'`,;<>|*?]+/u).flatMap((word) => {
    const bare = toPosix(word)
      .replace(/^[({[]+|(?::\d+[\d:-]*)?[)}\].:!]*$/gu, "")
      .replace(/^(?:file|path):/u, "")
    const name = (bare.startsWith(`${root}/`) ? bare.slice(root.length + 1) : bare).replace(
      /^(?:\.?\/)+/u,
      "",
    )
    const isName = name.includes("/") || skipFileName(name) !== null || languageOf(name, "").id !== "text"
    return isName && !name.split("/").includes("..") ? [name] : []
  })
}

function isIndexed(store: Store, name: string): boolean {
  const inside = `/${name.toLowerCase()}/`
  return store.files.pathsWith(name, MAX_FOUND).some((path) => `/${path.toLowerCase()}/`.includes(inside))
}

/** The files that git tracks, relative to the root. */
function trackedPaths(root: string): string[] {
  const workTree = findWorkTree(root)
  const tracked = workTree === null ? null : readTrackedFiles(workTree)
  if (workTree === null || tracked === null) return []
  const above = toPosix(relative(workTree.top, root))
  const paths: string[] = []
  tracked.each((path) => {
    if (above === "") paths.push(path)
    else if (path.startsWith(`${above}/`)) paths.push(path.slice(above.length + 1))
  })
  return paths
}
