import { type Dirent, lstatSync, readdirSync } from "node:fs"
import { FILE_FLAG } from "../base/file-flag.ts"
import { isSecretFile, isSecretFolder } from "../base/secrets.ts"
import { addAttributeText } from "../git/attributes.ts"
import { readSmallFile } from "../git/config-file.ts"
import { addIgnoreText, ignoreVerdict } from "../git/ignore-scope.ts"
import { ATTRIBUTES_FILE, OWN_IGNORE_FILE, startIgnoring } from "../git/start-ignoring.ts"
import { workTreeAt } from "../git/work-tree.ts"
import { saidOf } from "./scan-attributes.ts"
import { addFile, addKnownFile, errorReason, isFull } from "./scan-file.ts"
import { isInvalidName, isMetadataFolder, skipFileName, skipFolderName } from "./scan-names.ts"
import { mayBeOutput, outputReason } from "./scan-output.ts"
import { type Counts, count, type SkipReason } from "./scan-result.ts"
import { type Folder, openRepository, type UnchangedFolder, type Walk, watch } from "./scan-walk.ts"

export type Listing = {
  /** Taken before reading, so that what is added meanwhile shows as a change later. */
  readonly mtimeMs: number
  readonly entries: readonly Dirent[]
}

/** Everything below `top`, which was read; folders that an earlier scan knows are not read again. */
export function walkFrom(walk: Walk, top: Folder, listing: Listing | UnchangedFolder): void {
  if ("entries" in listing) visitFolder(walk, top, listing)
  else revisitFolder(walk, top, listing)
  for (let next = walk.queue.take(); next; next = walk.queue.take()) {
    const reason = isFull(walk) ? "over the limit" : enter(walk, next.folder)
    if (reason) count(next.counts, reason)
  }
}

/** Its entries, or why they cannot be had. */
export function readFolder(walk: Walk, folder: Folder): Listing | SkipReason {
  const path = absolute(walk, folder.path)
  try {
    const found = lstatSync(path)
    if (!found.isDirectory() && folder.path !== "") return "gone"
    return { mtimeMs: found.mtimeMs, entries: readdirSync(path, { withFileTypes: true }) }
  } catch (error) {
    return errorReason(error)
  }
}

function enter(walk: Walk, folder: Folder): SkipReason | null {
  const known = mayBeOutput(folder.name) ? undefined : walk.unchanged?.(folder.path)
  if (known) return revisitFolder(walk, folder, known)
  const listing = readFolder(walk, folder)
  return typeof listing === "string" ? listing : visitFolder(walk, folder, listing)
}

/** Adds a folder and its files to the walk, and its folders to the queue; or says why it is left out. */
function visitFolder(walk: Walk, folder: Folder, listing: Listing): SkipReason | null {
  const names = listing.entries.map((entry) => entry.name)
  const reason = leaveOut(folder, names)
  if (reason) return reason
  const inner = enterRepository(walk, folder, names)
  if (typeof inner === "string") return inner

  const hasRules = listing.entries.some((entry) => RULE_FILES.includes(entry.name) && entry.isFile())
  const here = hasRules ? withRules(walk, inner) : inner
  const skipped: Counts = {}
  const { path } = folder
  const { isRepository } = inner
  walk.folders.push({ path, mtimeMs: listing.mtimeMs, isRepository, hasRules, skipped })
  for (const entry of listing.entries) {
    const why = visitEntry(walk, here, entry, names, skipped)
    if (why) count(skipped, why)
  }
  return null
}

function visitEntry(
  walk: Walk,
  folder: Folder,
  entry: Dirent,
  names: readonly string[],
  skipped: Counts,
): SkipReason | null {
  const { name } = entry
  if (isInvalidName(name)) return "invalid name"
  if (entry.isDirectory()) return addSubfolder(walk, folder, name, names, skipped)
  if (name === ".git") return null
  if (!entry.isFile()) return entry.isSymbolicLink() ? "link" : "not a file"
  const { attributes, repository } = folder
  const said = saidOf(attributes, repository.attributes, below(folder.gitPath, name), name)
  return skipFile(walk, folder, name, said) ?? addFile(walk, below(folder.path, name), said)
}

function skipFile(walk: Walk, folder: Folder, name: string, said: number): SkipReason | null {
  if (isSecretFile(name, folder.name)) return "secret"
  const path = below(folder.path, name)
  const isOut = ignoreVerdict(folder.own, walk.way + path, name, false)
  if (isOut || !(folder.isIncluded || walk.include?.verdict(path, name, false))) return "excluded"
  if (isOut === false) return null
  const reason = walk.options.everyName ? null : skipFileName(name)
  const isDenied = reason === "minified" && (said & FILE_FLAG.deniedGenerated) !== 0
  if (reason && !isDenied) return reason
  const gitPath = below(folder.gitPath, name)
  const isLeftToGit = folder.onlyTracked || ignoreVerdict(folder.scope, gitPath, name, false)
  return isLeftToGit && !folder.repository.tracked()?.has(gitPath) ? "ignored" : null
}

/** To the queue, unless its name or a rule says that it is left out. */
function addSubfolder(
  walk: Walk,
  parent: Folder,
  name: string,
  siblings: readonly string[],
  counts: Counts,
): SkipReason | null {
  const path = below(parent.path, name)
  if (isMetadataFolder(name) || walk.ownFolders.has(absolute(walk, path))) return null
  if (isSecretFolder(name)) return "secret"
  const verdict = ignoreVerdict(parent.own, walk.way + path, name, true)
  if (verdict) return "excluded"
  const isTakenBack = verdict === false
  const reason = isTakenBack ? null : skipFolderName(name)
  if (reason) return reason
  const gitPath = below(parent.gitPath, name)
  const onlyTracked =
    !isTakenBack && (parent.onlyTracked || (ignoreVerdict(parent.scope, gitPath, name, true) ?? false))
  if (onlyTracked && !isTracked(parent, gitPath)) return "ignored"
  const isIncluded = parent.isIncluded || (walk.include?.verdict(path, name, true) ?? false)
  const place = { name, path, gitPath, siblings, isRepository: false }
  walk.queue.add({ folder: { ...parent, ...place, onlyTracked, isTakenBack, isIncluded }, counts })
  return null
}

/** A tracked submodule stands in the index by its own name, without anything inside. */
function isTracked({ repository }: Folder, gitPath: string): boolean {
  const tracked = repository.tracked()
  return tracked !== null && (tracked.hasInside(gitPath) || tracked.has(gitPath))
}

/** Goes on below a folder of which an earlier scan still knows what is in it. */
function revisitFolder(walk: Walk, folder: Folder, known: UnchangedFolder): SkipReason | null {
  const inner = known.folder.isRepository ? enterRepository(walk, folder, [".git"]) : folder
  if (typeof inner === "string") return inner
  const here = known.folder.hasRules ? withRules(walk, inner) : inner
  const skipped: Counts = { ...known.folder.skipped }
  walk.folders.push({ ...known.folder, skipped })
  for (const file of known.files) addKnownFile(walk, file, skipped)
  for (const file of known.tooLarge) walk.tooLarge.push(file)
  // Files that tell what a folder beside them is are never among those left out.
  const names = known.folders.some(mayBeOutput) ? known.files.map((file) => nameOf(file.path)) : []
  for (const name of known.folders) {
    const reason = addSubfolder(walk, here, name, names, skipped)
    if (reason) count(skipped, reason)
  }
  return null
}

/** Why a folder that was read is no part of the project after all: its contents give it away. */
function leaveOut(folder: Folder, names: readonly string[]): SkipReason | null {
  if (folder.path === "" || folder.isTakenBack) return null
  const found = outputReason(folder.name, folder.siblings, names)
  if (!found) return null
  const isKept = !found.evenTracked && (folder.repository.tracked()?.hasInside(folder.gitPath) ?? false)
  return isKept ? null : found.reason
}

type LeftOutRepository = "nested repository" | "submodule"

/**
 * At the top of another repository its own rules hold, and none from outside. Submodules belong to the project; so
 * do repositories under a root that is none itself. Linked work trees never do: they are copies.
 */
function enterRepository(walk: Walk, folder: Folder, names: readonly string[]): Folder | LeftOutRepository {
  if (folder.path === "" || !names.includes(".git")) return folder
  const top = absolute(walk, folder.path)
  const workTree = workTreeAt(top)
  if (!workTree) return folder
  if (workTree.kind === "submodule" && walk.options.submodules === false && !folder.isTakenBack)
    return "submodule"
  const isForeign = workTree.kind === "linked" || (workTree.kind === "main" && walk.isInRepository)
  if (isForeign && !folder.isTakenBack) return "nested repository"
  const start = startIgnoring(top, workTree)
  const repository = openRepository(workTree, start)
  walk.rules.push(...start.sources.map(watch))
  const { scope, attributes } = start
  return { ...folder, gitPath: "", repository, scope, attributes, onlyTracked: false, isRepository: true }
}

/** Files that decide about others. */
export const RULE_FILES: readonly string[] = [".gitignore", OWN_IGNORE_FILE, ATTRIBUTES_FILE]

function withRules(walk: Walk, folder: Folder): Folder {
  const { ignoreCase } = folder.repository
  // All, though only one may be there: when another appears, everything is looked at anew.
  const [git, own, attributes] = RULE_FILES.map((name) => {
    const file = absolute(walk, below(folder.path, name))
    walk.rules.push(watch(file))
    return isLink(file) ? null : readSmallFile(file)
  })
  return {
    ...folder,
    scope: addIgnoreText(folder.scope, git ?? null, folder.gitPath, ignoreCase),
    own: addIgnoreText(folder.own, own ?? null, trimSlash(walk.way + folder.path), ignoreCase),
    attributes: addAttributeText(folder.attributes, attributes ?? null, folder.gitPath, ignoreCase),
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function trimSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path
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
