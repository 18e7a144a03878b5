/*
 * Writes the planned changes of setup, file by file: backup, record, then the file by an atomic replacement; on
 * failure the record is taken back. The second half has the parts: records, replacing a file, backups, owner and
 * mode.
 */

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { AmanError, cannotWrite, OpenFolder, sha256, writeAll } from "../../base/index.ts"
import type { FilledContainer } from "./edit/json-edit.ts"
import type { FilePlan } from "./file-plan.ts"
import { type FileRecord, type Records, readRecords, writeRecords } from "./record.ts"
import { encodeText } from "./target-file.ts"

export type AppliedPlan = {
  readonly plan: FilePlan
  /** Path of the backup; null if the file did not exist or was not changed. */
  readonly backup: string | null
  readonly failure: { readonly message: string; readonly hint: string | null } | null
}

export type ApplyOptions = {
  /** Folder of records and backups. */
  readonly folder: string
  readonly now: Date
  readonly isRemoval: boolean
}

/** Applies the plans, file by file; a failure does not stop the others. */
export function applyPlan(plans: readonly FilePlan[], options: ApplyOptions): AppliedPlan[] {
  return plans.map((plan) => {
    if (plan.state === "kept" || plan.state === "broken") return { plan, backup: null, failure: null }
    try {
      return { plan, backup: applyFilePlan(plan, options), failure: null }
    } catch (error) {
      return { plan, backup: null, failure: applyFailure(error, options) }
    }
  })
}

/**
 * Message for a failure. A system error here comes from writing a record, because `replaceFile` and `backUp`
 * throw AmanErrors.
 */
function applyFailure(error: unknown, { folder }: ApplyOptions): NonNullable<AppliedPlan["failure"]> {
  if (!(error instanceof AmanError || (error instanceof Error && "syscall" in error))) throw error
  const { message, hint } = error instanceof AmanError ? error : cannotWrite(folder, error, WRITABLE_HINT)
  return { message, hint: hint ?? null }
}

const WRITABLE_HINT = "make it writable, or set AMAN_DATA_DIR"

/** Writes a backup of the file and returns its path. Throws if that fails; the file itself is then not changed. */
function backUp(plan: FilePlan, options: ApplyOptions, bytes: Uint8Array): string {
  try {
    return writeBackup(join(options.folder, "backups"), backupName(plan, options), bytes)
  } catch (cause) {
    const { message, hint } = cannotWrite(options.folder, cause, WRITABLE_HINT)
    throw new AmanError("IO", `nothing was changed, because no backup can be written: ${message}`, {
      hint: hint!,
      cause,
    })
  }
}

/**
 * Writes a file's record, then the file, and returns the path of the backup. The record comes first, so that a later
 * run knows what setup may have created if this one ends in between.
 */
function applyFilePlan(plan: FilePlan, options: ApplyOptions): string | null {
  const { path, before, after } = plan
  const records = readRecords(options.folder) ?? {}
  const old = records[path]
  if (plan.state === "same") {
    const next = sameRecord(plan, old, options)
    if (next !== old) writeRecords(options.folder, withRecord(records, path, next))
    return null
  }
  const { hasMark } = plan.target!
  const bytes = before === null ? null : encodeText(before, hasMark)
  // A file that setup created and that has not been changed since needs no backup.
  const isOurs = after === null && old?.created === true && old.written === sha256(before!)
  const backup = bytes === null || isOurs ? null : backUp(plan, options, bytes)
  const next = options.isRemoval ? removedRecord(plan, old) : writtenRecord(plan, old, backup)
  try {
    writeRecords(options.folder, withRecord(records, path, next))
    replaceRecorded(plan, bytes, options.folder, records)
  } catch (error) {
    // The file was not changed after all, so its backup is deleted.
    if (backup !== null) rmSync(backup, { force: true })
    throw error
  }
  if (after === null) removeEmptyFolders(old?.folders ?? [])
  return backup
}

/** Writes the file, and restores the previous records if that fails. */
function replaceRecorded(
  { path, after, target }: FilePlan,
  bytes: Uint8Array | null,
  folder: string,
  records: Records,
): void {
  try {
    replaceFile(path, bytes, after === null ? null : encodeText(after, target!.hasMark))
  } catch (error) {
    takeBackRecord(folder, records)
    throw error
  }
}

/**
 * Restores the previous records. Errors are ignored: the reason why the file was not written matters more, and a record
 * that is left over does no harm.
 */
function takeBackRecord(folder: string, records: Records): void {
  try {
    writeRecords(folder, records)
  } catch {}
}

function backupName({ path }: FilePlan, { now }: ApplyOptions): string {
  return `${now.toISOString().replaceAll(":", "-").slice(0, 19)}-${basename(path)}`
}

function withRecord(records: Records, path: string, record: FileRecord | undefined): Records {
  const { [path]: _, ...others } = records
  return record === undefined ? others : { ...others, [path]: record }
}

/** The record for a file whose text stays the same: only the list of owners changes. */
function sameRecord({ owners }: FilePlan, old: FileRecord | undefined, { isRemoval }: ApplyOptions) {
  if (old === undefined) return undefined
  const others = old.owners.filter((owner) => !owners.includes(owner))
  if (isRemoval) return others.length === 0 ? undefined : { ...old, owners: others }
  return owners.every((owner) => old.owners.includes(owner))
    ? old
    : { ...old, owners: [...others, ...owners] }
}

function writtenRecord(plan: FilePlan, old: FileRecord | undefined, backup: string | null): FileRecord {
  const { before, after, owners, filled, target } = plan
  const isUntouched = old === undefined || (before !== null && old.written === sha256(before))
  const originalNow = backup === null || before === null ? null : { backup, sha256: sha256(before) }
  const originalOfOld = isUntouched ? (old?.original ?? null) : null
  return {
    created: before === null || (old?.created ?? false),
    folders: [...(old?.folders ?? []), ...(target?.missingFolders ?? [])],
    original: old === undefined ? originalNow : originalOfOld,
    written: sha256(after!),
    filled: mergeFilled(old?.filled ?? [], filled),
    owners: [...new Set([...(old?.owners ?? []), ...owners])],
  }
}

/** The record after a removal that leaves some of aman's parts in the file. */
function removedRecord({ before, after, owners }: FilePlan, old: FileRecord | undefined) {
  if (old === undefined || after === null) return undefined
  const others = old.owners.filter((owner) => !owners.includes(owner))
  if (others.length === 0) return undefined
  const original = old.written === sha256(before!) ? old.original : null
  return { ...old, original, written: sha256(after), owners: others }
}

/** Merges the recorded states of containers; of several states of one container, the oldest is kept. */
function mergeFilled(old: readonly FilledContainer[], added: readonly FilledContainer[]): FilledContainer[] {
  const recordedPaths = new Set(old.map(({ path }) => JSON.stringify(path)))
  return [...old, ...added.filter(({ path }) => !recordedPaths.has(JSON.stringify(path)))]
}

/** Content of a file; null if it does not exist. */
type Contents = Uint8Array | null

/**
 * Replaces a file atomically, keeping its mode and owner. Leaves it alone if it has changed since planning.
 */
export function replaceFile(path: string, before: Contents, after: Contents): void {
  try {
    if (!isSameContents(readContents(path), before)) throw changedMeanwhile(path)
    if (after === null) rmSync(path)
    else writeWhole(path, after)
  } catch (cause) {
    if (cause instanceof AmanError) throw cause
    throw cannotWrite(
      path,
      cause,
      "make it and its folder writable; files of a package manager are changed there",
    )
  }
}

/** Deletes empty folders, innermost first, until one is not empty. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      // rmdir fails for a folder that is not empty; it stays.
      return
    }
  }
}

/** Writes a backup under an unused name; readable by the user only, because settings may contain keys. */
export function writeBackup(folder: string, name: string, bytes: Uint8Array): string {
  using opened = OpenFolder.open(folder, { make: 0o700 })
  for (let count = 1; ; count++) {
    const unusedName = count === 1 ? name : `${name}.${count}`
    const path = join(opened.at, unusedName)
    try {
      writeNew(path, bytes, { mode: 0o600 })
      return join(folder, unusedName)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
      // A partial copy is deleted, because it must not be taken for a backup.
      rmSync(path, { force: true })
      throw error
    }
  }
}

function writeWhole(path: string, bytes: Uint8Array): void {
  using folder = OpenFolder.open(dirname(path), { make: 0o777 })
  const target = join(folder.at, basename(path))
  const temporary = join(folder.at, `.${basename(path)}.aman-${process.pid}`)
  try {
    writeNew(temporary, bytes, lstatSync(target, { throwIfNoEntry: false }))
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

type FileOwnership = { readonly mode: number; readonly uid?: number; readonly gid?: number }

function writeNew(path: string, bytes: Uint8Array, like: FileOwnership | undefined): void {
  const file = openSync(path, "wx", like === undefined ? 0o666 : like.mode & 0o777)
  try {
    if (like !== undefined) copyOwnership(file, like)
    writeAll(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Gives an open file this owner and mode. The owner is set if root writes a user's file, and before the mode, because
 * chown clears mode bits.
 */
function copyOwnership(file: number, { mode, uid, gid }: FileOwnership): void {
  const self = process.getuid?.()
  if (self === 0 && uid !== undefined && gid !== undefined) fchownSync(file, uid, gid)
  fchmodSync(file, mode & 0o7777)
}

function readContents(path: string): Contents {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

function isSameContents(one: Contents, other: Contents): boolean {
  if (one === null || other === null) return one === other
  return Buffer.compare(one, other) === 0
}

function changedMeanwhile(path: string): AmanError {
  return new AmanError("IO", `${path} changed while setup ran, so it was not edited`, {
    hint: "close the program that writes it, and run the command again",
  })
}
