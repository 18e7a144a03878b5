import { readFileSync } from "node:fs"
import { sha256 } from "../base/sha256.ts"
import { withdraw } from "./edit/edit-text.ts"
import { type FileGroup, type FilePlan, ownersOf, planned, wishesOf } from "./file-plan.ts"
import type { FileRecord, Records } from "./record.ts"
import type { TargetFile } from "./target-file.ts"
import type { Placed } from "./wish.ts"

/**
 * What to write so that nothing of ours is left in a file: what it was, or, where it was changed since, all but ours.
 */
export function planRemoval(group: FileGroup, records: Records): FilePlan {
  const record = records[group.path]
  const others = (record?.owners ?? []).filter((owner) => !ownersOf(group).includes(owner))
  const placed = group.placed.filter((each) => !isSharedWith(each, others))
  const plan = planned({ ...group, placed }, (target) => {
    const { text } = target
    if (text === null || placed.length === 0) return { state: "same", after: text, filled: [] }
    const after = withoutOurs(target, placed, record, others.length === 0)
    if (after === text && isWhole(placed)) return keptWhole(text)
    return { state: after === null ? "delete" : after === text ? "same" : "change", after, filled: [] }
  })
  return {
    ...(hasNothing(plan, record) ? { ...plan, state: "same", problem: null } : plan),
    owners: ownersOf(group),
  }
}

/** A broken file that setup never wrote and that does not speak of us is none of ours to report. */
function hasNothing({ state, before }: FilePlan, record: FileRecord | undefined): boolean {
  return state === "broken" && record === undefined && (before === null || !before.includes("aman"))
}

/** A section or a file that another client, still set up, has too. */
function isSharedWith({ wish, part }: Placed, others: readonly string[]): boolean {
  if (wish.kind !== "section" && wish.kind !== "whole") return false
  return others.some((owner) => owner.endsWith(`/${part}`))
}

function withoutOurs(
  { text, hasMark }: TargetFile,
  placed: readonly Placed[],
  record: FileRecord | undefined,
  isAll: boolean,
): string | null {
  const now = text!
  const isUntouched = record?.written === sha256(now)
  if (isUntouched && isAll) {
    if (record.created) return null
    const original = originalOf(record, hasMark)
    if (original !== null) return original
  }
  const [whole] = placed.flatMap(({ wish }) => (wish.kind === "whole" ? [wish.text] : []))
  if (whole !== undefined) return now === whole || isUntouched ? null : now
  const left = withdraw(now, wishesOf(placed), record?.filled ?? [])
  return record?.created && isAll && isNothing(left, placed) ? null : left
}

/** What the file was before setup; null where the backup is gone or is no longer that. */
function originalOf({ original }: FileRecord, hasMark: boolean): string | null {
  if (original === null) return null
  try {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(original.backup))
    const bare = hasMark ? text.slice(1) : text
    return sha256(bare) === original.sha256 ? bare : null
  } catch {
    return null
  }
}

/** Blank, or no more than a new file begins with. */
function isNothing(text: string, placed: readonly Placed[]): boolean {
  if (text.trim() === "") return true
  return placed.some(({ seed }) => seed !== null && text.trim() === JSON.stringify(seed, null, 2))
}

function isWhole(placed: readonly Placed[]): boolean {
  return placed.some(({ wish }) => wish.kind === "whole")
}

function keptWhole(text: string) {
  const message = "somebody changed it since setup wrote it; delete it by hand if it is not wanted"
  return { state: "kept" as const, after: text, filled: [], problem: { message, line: null, byHand: "" } }
}
