import { sha256 } from "../../base/index.ts"
import { apply, byHand } from "./edit/edit-text.ts"
import type { FilledContainer } from "./edit/json-edit.ts"
import { NotEditable } from "./edit/text-style.ts"
import type { Change, PlannedChange } from "./planned-change.ts"
import type { Records } from "./record.ts"
import { readTarget, realTarget, type TargetFile } from "./target-file.ts"

/** Planned change of one file. */
export type FilePlan = {
  /** Path in the client's table. */
  readonly file: string
  /** Path with links resolved. */
  readonly path: string
  readonly owners: readonly string[]
  /**
   * `kept`: the file exists and its content is not aman's to change. `broken`: the file cannot be changed until the
   * user has repaired it.
   */
  readonly state: "same" | "create" | "change" | "delete" | "kept" | "broken"
  /** Text of the file without byte-order mark; null if the file does not exist. */
  readonly before: string | null
  readonly after: string | null
  readonly target: TargetFile | null
  readonly filled: readonly FilledContainer[]
  readonly problem: EditProblem | null
}

export type EditProblem = {
  readonly message: string
  readonly line: number | null
  /** Text that the user can insert or remove by hand. */
  readonly byHand: string
}

/** All changes for one file, even if clients name it by different paths. */
export type FileGroup = {
  readonly file: string
  readonly path: string
  readonly plannedChanges: readonly PlannedChange[]
  readonly refused: NotEditable | null
}

export function groupByFile(plannedChanges: readonly PlannedChange[]): FileGroup[] {
  const groups = new Map<string, FileGroup>()
  for (const each of plannedChanges) {
    const { path, refused } = targetPath(each)
    const group = groups.get(path) ?? { file: each.file, path, plannedChanges: [], refused }
    groups.set(path, { ...group, plannedChanges: [...group.plannedChanges, each] })
  }
  return [...groups.values()]
}

export function ownersOf({ plannedChanges }: FileGroup): string[] {
  return [...new Set(plannedChanges.map(({ client, part }) => `${client}/${part}`))]
}

/** Changes for a file; a section or whole file shared by several clients is included once. */
export function changesForFile(plannedChanges: readonly PlannedChange[]): Change[] {
  const shared = new Set<string>()
  return plannedChanges
    .map(({ change }) => change)
    .filter(({ kind }) => {
      if (kind !== "section" && kind !== "whole") return true
      return !shared.has(kind) && shared.add(kind)
    })
}

/**
 * Plans the changes of a file from its current content. An error that prevents the changes is stored in the plan's
 * `problem`.
 */
export function planFile(
  group: FileGroup,
  plan: (
    target: TargetFile,
  ) => Pick<FilePlan, "state" | "after" | "filled"> & { readonly problem?: EditProblem },
): FilePlan {
  const { file, path } = group
  const common = { file, path, owners: ownersOf(group), filled: [], problem: null }
  let target: TargetFile | null = null
  try {
    if (group.refused !== null) throw group.refused
    target = readTarget(path)
    return { ...common, before: target.text, target, ...plan(target) }
  } catch (error) {
    const { message, line } = asNotEditable(error)
    const hand = changesForFile(group.plannedChanges).map(byHand).join("\n")
    const before = target?.text ?? null
    return {
      ...common,
      state: "broken",
      before,
      after: before,
      target,
      problem: { message, line, byHand: hand },
    }
  }
}

function targetPath({ file, within }: PlannedChange): { path: string; refused: NotEditable | null } {
  try {
    return { path: realTarget(file, within), refused: null }
  } catch (error) {
    return { path: file, refused: asNotEditable(error) }
  }
}

/** A NotEditable for an error: an unreadable file is treated like a broken one; other errors are thrown. */
function asNotEditable(error: unknown): NotEditable {
  if (error instanceof NotEditable) return error
  if (error instanceof Error && "syscall" in error)
    return new NotEditable(`it cannot be read: ${error.message}`)
  throw error
}

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
