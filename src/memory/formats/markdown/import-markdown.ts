/*
 * Imports Markdown that a person has edited. `planMarkdown` reads the files and compares each entry with the store:
 * edited, new, removed, or changed on both sides (a conflict). `applyMarkdown` carries the plan out in one
 * transaction.
 */

import { AmanError } from "../../../base/errors.ts"
import type { Entry, EntrySource } from "../../entries/entry.ts"
import { isLiving } from "../../entries/entry-rows.ts"
import { comparable } from "../../entries/labels.ts"
import type { Knowledge } from "../../knowledge.ts"
import type { EntryFields } from "../../log/event.ts"
import { isId } from "../../log/ids.ts"
import { changesBetween, type EditableFields, editableOf, formHash } from "../export/editable.ts"
import type { ImportFormat } from "../import-format.ts"
import type { SourceFile } from "../imported.ts"
import { withoutContext } from "../injected.ts"
import { type BadLine, badLines } from "../input-lines.ts"
import { remarkLines } from "./markdown-fields.ts"
import { type MarkdownEntry, readMarkdown } from "./markdown-read.ts"
import { MARKDOWN_FORMAT } from "./markdown-write.ts"

/** The format of `aman memory export --format markdown`; a person may have edited the files. */
export const MARKDOWN: ImportFormat = {
  name: "markdown",
  detects: (sample) => !sample.isJson && sample.page.meta["format"] === MARKDOWN_FORMAT,
}

type MarkdownPlan = {
  readonly revised: readonly { readonly id: string; readonly changes: Partial<EditableFields> }[]
  readonly added: readonly EditableFields[]
  /** Entries that were in the files when they were exported and that a person has removed from them since. */
  readonly removed: readonly Entry[]
  /**
   * Entries that were edited in the file and also changed in the store since the export. They are left unchanged
   * unless forced.
   */
  readonly conflicts: readonly { readonly id: string; readonly place: string; readonly why: string }[]
  /** Remarks on the state of an entry that a person added; they are not imported. */
  readonly unread: readonly { readonly place: string; readonly why: string }[]
}

type MarkdownOptions = {
  /** Project of new entries. */
  readonly project: string | null
  /** Resolves a source from the text that a person wrote. */
  readonly capture: (source: string) => EntrySource | null
  /** Delete entries that were removed from the files. */
  readonly deleteRemoved?: boolean
}

type PlanOptions = {
  /** True: the version in the file replaces changes made in the store since the export. */
  readonly force?: boolean
}

/** The changes that importing the files would make. Throws USAGE for lines that cannot be read. */
export function planMarkdown(
  knowledge: Knowledge,
  files: readonly SourceFile[],
  { force = false }: PlanOptions = {},
): MarkdownPlan {
  const known = new Map([...knowledge.pages()].flat().map((entry) => [entry.id, entry]))
  const read = files.map((file) => ({ name: file.name, ...readMarkdown(file.text) }))
  const present = new Map<string, string>()
  const plan = { revised: [], added: [], removed: [], conflicts: [], unread: [] } as Writable<MarkdownPlan>
  for (const { name, entries, bad } of read) {
    if (isOfAnotherStore(entries, known)) throw ofAnotherStore(name)
    const wrong = [...bad, ...idProblems(entries, known, present, name)].sort((a, b) => a.line - b.line)
    if (wrong.length > 0) throw badLines(name, wrong, false)
    for (const entry of entries) {
      const own = known.get(entry.id ?? "")
      planEntry(entry, own, `${name}:${entry.line}`, force, plan)
      plan.unread.push(...unreadRemarks(entry, own, name))
    }
  }
  const texts = new Set([...known.values()].filter(isLiving).map(textKey))
  plan.added = plan.added.filter((form) => !texts.has(textKey(form)))
  const exported = new Set(read.flatMap((file) => file.exported ?? []))
  for (const id of exported) {
    const entry = known.get(id)
    if (entry && entry.deletedAt === null && !present.has(id)) plan.removed.push(entry)
  }
  return plan
}

/** The sources of new and edited entries, as a person wrote them. */
export function editedSources(files: readonly SourceFile[]): Set<string> {
  const edited = files
    .flatMap(({ text }) => readMarkdown(text).entries)
    .filter(({ hash, form }) => hash !== formHash(form))
  return new Set(edited.flatMap(({ form: { source } }) => source ?? []))
}

/** Carries out the plan in one transaction. Entries that were not edited are not written. */
export function applyMarkdown(knowledge: Knowledge, plan: MarkdownPlan, options: MarkdownOptions): void {
  const { project, capture, deleteRemoved = false } = options
  const withSource = <T extends { readonly source?: string | null }>(form: T) => {
    const { source, ...fields } = form
    return source === undefined ? fields : { ...fields, source: source === null ? null : capture(source) }
  }
  const revised = plan.revised.map(({ id, changes }) => ({
    id,
    fields: withSource(changes) as Partial<EntryFields>,
  }))
  const added = plan.added.map((form) => ({ ...withSource(form), project }))
  knowledge.write(() => {
    for (const { id, fields } of revised) knowledge.revise(id, fields, { reason: "edited as Markdown" })
    if (added.length > 0) knowledge.remember(added)
    if (deleteRemoved)
      knowledge.delete(
        plan.removed.map(({ id }) => id),
        "removed from the Markdown file",
      )
  })
}

/** Identifies a new entry by its text: a file does not contain the id of an entry that an earlier import added. */
function textKey({ topic, text }: Pick<EditableFields, "topic" | "text">): string {
  return `${comparable(topic)}\n${text.trim()}`
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] }

function planEntry(
  { hash, form: read }: MarkdownEntry,
  entry: Entry | undefined,
  place: string,
  force: boolean,
  plan: Writable<MarkdownPlan>,
): void {
  const form = { ...read, text: withoutContext(read.text) }
  if (entry === undefined) {
    if (form.text.trim() !== "") plan.added.push(form)
    return
  }
  const current = editableOf(entry)
  const found = formHash(form)
  // There is nothing to change: the entry was not edited in the file, or the edit equals its current state.
  if (found === hash || found === formHash(current)) return
  const isChanged = hash !== formHash(current)
  if (!force && (isChanged || entry.deletedAt !== null)) {
    const why = entry.deletedAt === null ? "was changed here after the export" : "was deleted here"
    plan.conflicts.push({ id: entry.id, place, why })
  } else if (entry.deletedAt === null) {
    plan.revised.push({ id: entry.id, changes: changesBetween(current, form) })
  }
}

/**
 * Remarks in an entry that the export did not write. Their author may expect them to take effect, but they have none.
 */
function unreadRemarks(
  { id, remarks }: MarkdownEntry,
  entry: Entry | undefined,
  file: string,
): MarkdownPlan["unread"] {
  const written = new Set(entry === undefined ? [] : remarkLines(entry))
  return remarks
    .filter(({ text }) => !written.has(text))
    .map(({ line, text }) => {
      const named = id ?? "ID"
      const instead = text.startsWith("superseded-by")
        ? `aman memory invalidate ${named} --successor ID`
        : `aman memory invalidate ${named} --reason TEXT`
      return { place: `${file}:${line}`, why: `${JSON.stringify(text)} is ignored; instead, run: ${instead}` }
    })
}

/** True when all ids in the file are valid and none exists in the store, as in an export of another machine. */
function isOfAnotherStore(entries: readonly MarkdownEntry[], known: ReadonlyMap<string, Entry>): boolean {
  const ids = entries.flatMap(({ id }) => id ?? [])
  return ids.length > 1 && ids.every((id) => isId(id) && !known.has(id))
}

function ofAnotherStore(file: string): AmanError {
  return new AmanError("USAGE", `${file}: this store has none of its entries`, {
    hint:
      "to move entries between machines: aman memory export FILE.jsonl there, aman memory import FILE.jsonl here; " +
      "to create new entries with these texts, write <!-- aman --> without ids",
  })
}

/** Problems with ids: unknown ones and duplicates, as after copying an entry, could change the wrong entry. */
function idProblems(
  entries: readonly MarkdownEntry[],
  known: ReadonlyMap<string, Entry>,
  present: Map<string, string>,
  file: string,
): BadLine[] {
  return entries.flatMap(({ id, line, form }) => {
    if (id === null) return []
    const former = present.get(id)
    present.set(id, former ?? `${file}:${line}`)
    if (!isId(id) || !known.has(id))
      return [{ line, message: `no entry ${id}; to create a new one, write <!-- aman --> without an id` }]
    if (former !== undefined)
      return [{ line, message: `${id} is also at ${former}; to create a new entry, remove its id` }]
    return form.text.trim() === ""
      ? [{ line, message: `${id} has no text; to delete it, remove the whole entry` }]
      : []
  })
}
