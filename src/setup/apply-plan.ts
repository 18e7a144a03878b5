import { basename, join } from "node:path"
import { cannotWrite } from "../base/cannot-write.ts"
import { AmanError } from "../base/errors.ts"
import { sha256 } from "../base/sha256.ts"
import type { Filled } from "./edit/json-insert.ts"
import type { FilePlan } from "./file-plan.ts"
import { type FileRecord, type Records, readRecords, writeRecords } from "./record.ts"
import { bytesOf } from "./target-file.ts"
import { keepBackup, removeEmptyFolders, replaceFile } from "./write-file.ts"

export type Applied = {
  readonly plan: FilePlan
  /** A copy of what the file was, where it was there and was changed. */
  readonly backup: string | null
  readonly failure: { readonly message: string; readonly hint: string | null } | null
}

export type Keeping = {
  /** Where records and backups are. */
  readonly folder: string
  readonly now: Date
  readonly isRemoval: boolean
}

/** Does what was planned, file by file; one that cannot be written does not keep the others from it. */
export function applyPlan(plans: readonly FilePlan[], keeping: Keeping): Applied[] {
  return plans.map((plan) => {
    if (plan.state === "kept" || plan.state === "broken") return { plan, backup: null, failure: null }
    try {
      return { plan, backup: applyOne(plan, keeping), failure: null }
    } catch (error) {
      return { plan, backup: null, failure: failureOf(error, keeping) }
    }
  })
}

/** What is no AmanError and of the system is of a record: replaceFile and keptCopy say themselves what they could not do. */
function failureOf(error: unknown, { folder }: Keeping): NonNullable<Applied["failure"]> {
  if (!(error instanceof AmanError || (error instanceof Error && "syscall" in error))) throw error
  const { message, hint } = error instanceof AmanError ? error : cannotWrite(folder, error, MEND)
  return { message, hint: hint ?? null }
}

const MEND = "make it writable, or set AMAN_DATA_DIR"

/** Without a copy nothing is written. */
function keptCopy(plan: FilePlan, keeping: Keeping, bytes: Uint8Array): string {
  try {
    return keepBackup(join(keeping.folder, "backups"), nameOf(plan, keeping), bytes)
  } catch (cause) {
    const { message, hint } = cannotWrite(keeping.folder, cause, MEND)
    throw new AmanError("IO", `no copy is kept, and so nothing changed: ${message}`, { hint: hint!, cause })
  }
}

/** The record is written first: should the program end between the two, setup still knows what it may have made. */
function applyOne(plan: FilePlan, keeping: Keeping): string | null {
  const { path, before, after } = plan
  const records = readRecords(keeping.folder) ?? {}
  const old = records[path]
  if (plan.state === "same") {
    const next = sameRecord(plan, old, keeping)
    if (next !== old) writeRecords(keeping.folder, withRecord(records, path, next))
    return null
  }
  const { hasMark } = plan.target!
  const bytes = before === null ? null : bytesOf(before, hasMark)
  // Nothing is lost by the end of a file that setup made and nobody changed.
  const isOurs = after === null && old?.created === true && old.written === sha256(before!)
  const backup = bytes === null || isOurs ? null : keptCopy(plan, keeping, bytes)
  const next = keeping.isRemoval ? removedRecord(plan, old) : writtenRecord(plan, old, backup)
  writeRecords(keeping.folder, withRecord(records, path, next))
  try {
    replaceFile(path, bytes, after === null ? null : bytesOf(after, hasMark))
  } catch (error) {
    takeBackRecord(keeping.folder, records)
    throw error
  }
  if (after === null) removeEmptyFolders(old?.folders ?? [])
  return backup
}

/** Why the file could not be written is what counts; a record too many is as if the program had ended before it. */
function takeBackRecord(folder: string, records: Records): void {
  try {
    writeRecords(folder, records)
  } catch {}
}

function nameOf({ path }: FilePlan, { now }: Keeping): string {
  return `${now.toISOString().replaceAll(":", "-").slice(0, 19)}-${basename(path)}`
}

function withRecord(records: Records, path: string, record: FileRecord | undefined): Records {
  const { [path]: _, ...others } = records
  return record === undefined ? others : { ...others, [path]: record }
}

/** Nothing to write, but one more client that has what is there, or one less. */
function sameRecord({ owners }: FilePlan, old: FileRecord | undefined, { isRemoval }: Keeping) {
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
  const first = backup === null || before === null ? null : { backup, sha256: sha256(before) }
  return {
    created: before === null || (old?.created ?? false),
    folders: [...(old?.folders ?? []), ...(target?.missingFolders ?? [])],
    original: old === undefined ? first : isUntouched ? old.original : null,
    written: sha256(after!),
    filled: merged(old?.filled ?? [], filled),
    owners: [...new Set([...(old?.owners ?? []), ...owners])],
  }
}

/** Of a removal that leaves parts of ours in the file. */
function removedRecord({ before, after, owners }: FilePlan, old: FileRecord | undefined) {
  if (old === undefined || after === null) return undefined
  const others = old.owners.filter((owner) => !owners.includes(owner))
  if (others.length === 0) return undefined
  const original = old.written === sha256(before!) ? old.original : null
  return { ...old, original, written: sha256(after), owners: others }
}

/** What a container was at first counts. */
function merged(old: readonly Filled[], added: readonly Filled[]): Filled[] {
  const known = new Set(old.map(({ path }) => JSON.stringify(path)))
  return [...old, ...added.filter(({ path }) => !known.has(JSON.stringify(path)))]
}
