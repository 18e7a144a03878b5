/*
 * Says why a file that exists is not in the index. Nothing is stored for this: `leftOutAt` scans the folders above a path,
 * `leftOutNamed` looks for a name in git's list and in folders of which a scan skipped something; `leftOutNote` words it.
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
  /** What would bring the file in; null if nothing would. */
  readonly next: string | null
}

/** Maximum number of names of a question that are looked for, and of files that an answer mentions. */
const MAX_NAMES = 4
/** Maximum number of indexed paths with a name, and of folders in which it is looked for. */
const [MAX_FOUND, MAX_FOLDERS] = [50, 4_000]

/** Why this path is not in the index; null if it is, or if nothing has skipped it. */
export function leftOutAt({ root, config, store }: Indexed, path: string): LeftOut | null {
  if (store?.files.byPath(path)) return null
  const bytes = sizeAt(root, path)
  const isOverLimit = (bytes ?? 0) > config.index.maxFileBytes
  const leftOut = (entry: string, reason: string, isByText = false): LeftOut => ({
    path,
    entry,
    reason,
    next: reason === "too large" && isOverLimit ? raiseFileSize(bytes!) : nextStep(entry, reason, isByText),
  })
  const read = store?.skipped.get(path) ?? null
  if (read !== null && bytes !== null) return leftOut(path, read.reason, true)
  const entry = skippedEntries(root, { ...scanOptionsOf(config), target: path }).at(-1)
  if (entry !== undefined) {
    // Below a link, a file may lie outside the project; below a submodule that is not checked out, there is none.
    const mayExist = entry.reason === "link" ? entry.path === path : bytes !== null
    if (!mayExist && entry.reason !== "submodule not checked out") return null
    return leftOut(entry.path, entry.reason)
  }
  const isCut = bytes !== null && (snapshotOf(store)?.skipped["over the limit"] ?? 0) > 0
  return isCut ? leftOut(path, "over the limit") : null
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

/** Paths of the files that are not indexed because they are too large, or large and not written by people. */
export function largeFilesLeftOut(store: Store): string[] {
  return [
    ...["too large", "data", "generated"].flatMap((reason) => store.skipped.ofReason(reason)),
    ...(snapshotOf(store)?.tooLarge.map(({ path }) => path) ?? []),
  ]
}

/** One sentence: that and why the file is not indexed, and what would change that. */
export function leftOutNote({ path, entry, reason, next }: LeftOut, subject = path): string {
  const which = entry === path ? "it is skipped" : `its folder ${entry} is skipped`
  return `${subject} is not indexed: ${which} (${reason})${next === null ? "" : `; ${next}`}`
}

function nextStep(entry: string, reason: string, isByText: boolean): string | null {
  if (isByText && BY_TEXT.has(reason))
    return `to index it, add "${entry} -linguist-generated" to .gitattributes`
  if (!isByText && CAN_RETURN.has(reason)) return `to index it, add !/${entry} to .amanignore`
  return NEXT[reason]?.replace("ENTRY", () => entry) ?? null
}

const BY_TEXT: ReadonlySet<string> = new Set(["minified", "generated", "data"])
/** Reasons that a line in `.amanignore` overrides. */
const CAN_RETURN: ReadonlySet<string> = new Set([
  "ignored",
  "dependencies",
  "build output",
  "nested repository",
  "lock file",
  "minified",
  "test snapshot",
])
const NEXT: Readonly<Record<string, string>> = {
  "too large": 'data above 1 MiB is indexed with "ENTRY -linguist-generated" in .gitattributes',
  excluded: "to index it, change .amanignore, paths.include or paths.exclude",
  "submodule not checked out": "to bring it in: git submodule update --init ENTRY",
  "over the limit": "to index it, raise index.max_files or exclude folders in .amanignore",
  unreadable: "check its permissions: ls -l",
}

/** The command with which a file of this size is read. */
export function raiseFileSize(bytes: number): string {
  return `to index it: aman config set index.max_file_size ${Math.ceil((bytes + 1) / 1e6)}MB`
}

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
    const name = toPosix(word)
      .replace(/^[({[]+|(?::\d+[\d:-]*)?[)}\].:!]*$/gu, "")
      .replace(/^(?:file|path):/u, "")
      .replace(`${root}/`, "")
      .replace(/^(?:\.?\/)+/u, "")
    // Words such as read/write have no ending, and looking for a name in git's list takes some milliseconds.
    const isName =
      /\/.*\.[^/]+$/u.test(name) || skipFileName(name) !== null || languageOf(name, "").id !== "text"
    return (isName || (name.includes("/") && sizeAt(root, name) !== null)) && !name.split("/").includes("..")
      ? [name]
      : []
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
  const above = toPosix(relative(workTree.top, root)).replace(/.$/u, "$&/")
  const paths: string[] = []
  tracked.each((path) => void (path.startsWith(above) && paths.push(path.slice(above.length))))
  return paths
}
