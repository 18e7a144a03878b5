import { type Dirent, lstatSync, readdirSync } from "node:fs"
import { addIgnoreFile, isIgnored, startIgnoring } from "../git/ignore-scope.ts"
import { workTreeAt } from "../git/work-tree.ts"
import { isMetadataFolder, skipFileName, skipFolderName } from "./scan-names.ts"
import { mayBeOutput, outputReason } from "./scan-output.ts"
import type { SkipReason } from "./scan-result.ts"
import {
  type Folder,
  isIndexFile,
  openRepository,
  type UnchangedFolder,
  type Walk,
  watch,
} from "./scan-walk.ts"

export type Listing = {
  /** Taken before reading, so that what is added meanwhile shows as a change later. */
  readonly mtimeMs: number
  readonly entries: readonly Dirent[]
}

type Counts = { [Reason in SkipReason]?: number }

/** Null if the folder is gone, no longer a folder, or may not be read. */
export function readFolder(walk: Walk, folder: Folder): Listing | null {
  const path = absolute(walk, folder.path)
  try {
    const found = lstatSync(path)
    if (!found.isDirectory() && folder.path !== "") return null
    return { mtimeMs: found.mtimeMs, entries: readdirSync(path, { withFileTypes: true }) }
  } catch {
    return null
  }
}

/** Adds a folder and all below it to the walk, or says why it is left out. */
export function visitFolder(walk: Walk, folder: Folder, listing: Listing): SkipReason | null {
  const names = listing.entries.map((entry) => entry.name)
  const reason = leaveOut(folder, names)
  if (reason) return reason
  const inner = enterRepository(walk, folder, names)
  if (inner === "nested repository") return inner

  const hasIgnoreFile = listing.entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
  const here = hasIgnoreFile ? withIgnoreFile(walk, inner) : inner
  const skipped: Counts = {}
  walk.folders.push({
    path: folder.path,
    mtimeMs: listing.mtimeMs,
    isRepository: inner.isRepository,
    hasIgnoreFile,
    skipped,
  })
  for (const entry of inPathOrder(listing.entries)) {
    const why = visitEntry(walk, here, entry, names)
    if (why) skipped[why] = (skipped[why] ?? 0) + 1
  }
  return null
}

function visitEntry(walk: Walk, folder: Folder, entry: Dirent, names: readonly string[]): SkipReason | null {
  const { name } = entry
  if (entry.isDirectory()) return visitSubfolder(walk, folder, name, names)
  if (name === ".git") return null
  if (!entry.isFile()) return entry.isSymbolicLink() ? "link" : "not a file"
  const reason = skipFileName(name)
  if (reason) return reason
  const gitPath = below(folder.gitPath, name)
  if (isLeftToGit(folder, gitPath, name, false) && !folder.repository.tracked()?.has(gitPath))
    return "ignored"
  return addFile(walk, below(folder.path, name))
}

function visitSubfolder(
  walk: Walk,
  parent: Folder,
  name: string,
  siblings: readonly string[],
): SkipReason | null {
  if (isMetadataFolder(name)) return null
  const reason = skipFolderName(name)
  if (reason) return reason
  const path = below(parent.path, name)
  if (absolute(walk, path) === walk.options.indexDir) return null
  const gitPath = below(parent.gitPath, name)
  const isOut = isLeftToGit(parent, gitPath, name, true)
  // A tracked submodule stands in the index by its own name, without anything inside.
  const tracked = isOut ? parent.repository.tracked() : null
  if (isOut && !tracked?.hasInside(gitPath) && !tracked?.has(gitPath)) return "ignored"

  const folder: Folder = { ...parent, name, path, gitPath, onlyTracked: isOut, isRepository: false, siblings }
  const known = mayBeOutput(name) ? undefined : walk.unchanged?.(path)
  if (known) return revisitFolder(walk, folder, known)
  const listing = readFolder(walk, folder)
  return listing ? visitFolder(walk, folder, listing) : "unreadable"
}

/** Goes on below a folder of which an earlier scan still knows what is in it. Its files come in any order. */
export function revisitFolder(walk: Walk, folder: Folder, known: UnchangedFolder): SkipReason | null {
  const inner = known.folder.isRepository ? enterRepository(walk, folder, [".git"]) : folder
  if (inner === "nested repository") return inner
  const here = known.folder.hasIgnoreFile ? withIgnoreFile(walk, inner) : inner
  walk.folders.push(known.folder)
  for (const file of known.files) walk.files.push(file)
  for (const file of known.tooLarge) walk.tooLarge.push(file)
  // Files that tell what a folder beside them is are never among those left out.
  const names = known.folders.some(mayBeOutput) ? known.files.map((file) => nameOf(file.path)) : []
  for (const name of known.folders) visitSubfolder(walk, here, name, names)
  return null
}

/** Why a folder that was read is no part of the project after all: its contents give it away. */
function leaveOut(folder: Folder, names: readonly string[]): SkipReason | null {
  if (folder.path === "") return null
  const found = outputReason(folder.name, folder.siblings, names)
  if (!found) return null
  const isKept = !found.evenTracked && (folder.repository.tracked()?.hasInside(folder.gitPath) ?? false)
  return isKept ? null : found.reason
}

/**
 * At the top of another repository its own rules hold, and none from outside. Submodules belong to the project; so
 * do repositories under a root that is none itself. Linked work trees never do: they are copies.
 */
function enterRepository(walk: Walk, folder: Folder, names: readonly string[]): Folder | "nested repository" {
  if (folder.path === "" || !names.includes(".git")) return folder
  const top = absolute(walk, folder.path)
  const workTree = workTreeAt(top)
  if (!workTree) return folder
  if (workTree.kind === "linked" || (workTree.kind === "main" && walk.isInRepository))
    return "nested repository"
  const start = startIgnoring(top, workTree)
  const repository = openRepository(workTree, start.ignoreCase)
  walk.rules.push(...start.sources.map(watch))
  return { ...folder, gitPath: "", repository, scope: start.scope, onlyTracked: false, isRepository: true }
}

function withIgnoreFile(walk: Walk, folder: Folder): Folder {
  const file = absolute(walk, below(folder.path, ".gitignore"))
  walk.rules.push(watch(file))
  return { ...folder, scope: addIgnoreFile(folder.scope, file, folder.gitPath, folder.repository.ignoreCase) }
}

function isLeftToGit(folder: Folder, gitPath: string, name: string, isFolder: boolean): boolean {
  return folder.onlyTracked || isIgnored(folder.scope, gitPath, name, isFolder)
}

function addFile(walk: Walk, path: string): SkipReason | null {
  try {
    const found = lstatSync(absolute(walk, path))
    if (!found.isFile()) return found.isSymbolicLink() ? "link" : "not a file"
    if (found.nlink > 1 && isIndexFile(walk, found.dev, found.ino)) return "index"
    const file = { path, size: found.size, mtimeMs: found.mtimeMs }
    const isLarge = found.size > walk.options.maxFileBytes
    ;(isLarge ? walk.tooLarge : walk.files).push(file)
    return isLarge ? "too large" : null
  } catch {
    return "unreadable"
  }
}

/** The order that whole paths would have: a folder sorts as if its name ended in "/". */
function inPathOrder(entries: readonly Dirent[]): Dirent[] {
  const keyed = entries.map((entry) => ({ entry, key: entry.isDirectory() ? `${entry.name}/` : entry.name }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
  return keyed.map(({ entry }) => entry)
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function absolute(walk: Walk, path: string): string {
  return path === "" ? walk.root : `${walk.root}/${path}`
}
