import { sha256 } from "../base/files/files.ts"
import { apply } from "./edit/edit-text.ts"
import { changesForFile, type FileGroup, type FilePlan, planFile } from "./file-plan.ts"
import type { Records } from "./record.ts"
import type { TargetFile } from "./target-file.ts"

/** Plans the changes that a file needs. */
export function planWrite(group: FileGroup, records: Records): FilePlan {
  return planFile(group, (target) => {
    const [whole] = group.plannedChanges.flatMap(({ change }) =>
      change.kind === "whole" ? [change.text] : [],
    )
    if (whole !== undefined) return wholeFile(target, whole, records[group.path]?.written)
    const base = currentText(target, group)
    const { text, filled } = apply(base, changesForFile(group.plannedChanges))
    const edited = target.text === null ? "create" : "change"
    return { state: text === target.text ? "same" : edited, after: text, filled }
  })
}

/**
 * Plans a file that belongs to aman entirely, such as a skill. It is rewritten only if it has not been edited since
 * setup wrote it.
 */
function wholeFile({ text }: TargetFile, wanted: string, written: string | undefined) {
  if (text === wanted) return { state: "same" as const, after: text, filled: [] }
  if (text === null) return { state: "create" as const, after: wanted, filled: [] }
  if (written === sha256(text)) return { state: "change" as const, after: wanted, filled: [] }
  const message = "it already exists with other content, so it was not changed"
  return { state: "kept" as const, after: text, filled: [], problem: { message, line: null, byHand: "" } }
}

/** The current text of the file; for a new file its initial content. */
function currentText({ text }: TargetFile, { plannedChanges }: FileGroup): string {
  const seed = plannedChanges.find(({ seed }) => seed !== null)?.seed
  if (seed && (text === null || text.trim() === "")) return `${text ?? ""}${JSON.stringify(seed, null, 2)}\n`
  return text ?? ""
}
