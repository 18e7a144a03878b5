/*
 * Imports Markdown that a person has edited. `planMarkdown` reads the files and compares each entry with the store:
 * edited, new, removed, or changed on both sides (a conflict). `applyMarkdown` carries the plan out in one transaction.
 */

import { AmanError, nearest, parseJson, sha256 } from "../../base/index.ts"
import type { Entry, EntryInput, EntrySource } from "../entries/entry.ts"
import { changedFields, jsonName } from "../entries/entry-fields.ts"
import { isLiving } from "../entries/entry-rows.ts"
import { comparable, tidyLabel } from "../entries/labels.ts"
import { normaliseTags } from "../entries/tags.ts"
import type { Knowledge } from "../knowledge.ts"
import type { EntryFields } from "../log/event.ts"
import { DEFAULTS } from "../log/fold-entry.ts"
import { isId } from "../log/ids.ts"
import { InvalidLine, readFieldValue, unknownKey } from "./batch.ts"
import type { ImportFormat, SourceFile } from "./imported.ts"
import { withoutContext } from "./injected.ts"
import { type BadLine, badLines } from "./input-lines.ts"
import { markdownLines, openAfter, readPage } from "./pages.ts"

/** Fields that a person may edit in a file, in the order in which `formHash` hashes them. */
const EDITABLE = [
  ...(["text", "topic", "kind", "tags", "key", "source", "author", "entities"] as const),
  ...(["validFrom", "validUntil"] as const),
]

/** The editable fields of an entry; `source` as a person writes it: "src/pay.ts:3-9", "src/pay.ts#retry". */
export type EditableFields = Required<Pick<EntryInput, (typeof EDITABLE)[number]>>

export function editableOf(entry: Entry): EditableFields {
  const form = Object.fromEntries(EDITABLE.map((name) => [name, entry[name]]))
  return { ...(form as EditableFields), source: entry.source && sourceText(entry.source) }
}

/** The fields as the store would normalise them, so that values with the same meaning are equal. */
function tidied(form: EditableFields): EditableFields {
  return {
    ...form,
    topic: tidyLabel(form.topic) || "general",
    tags: normaliseTags(form.tags),
    entities: form.entities.map(tidyLabel),
  }
}

/**
 * A hash of the editable fields, eight hexadecimal digits. White space at the ends of lines is ignored, because
 * editors remove it.
 */
export function formHash(form: EditableFields): string {
  const tidy = tidied(form)
  const plain = { ...tidy, text: tidy.text.replaceAll(/(?<![ \t\r])[ \t\r]+$/gm, "").trimEnd() }
  const parts = EDITABLE.map((name) => plain[name])
  return sha256(JSON.stringify(parts)).slice(0, 8)
}

function sourceText({ path, startLine, endLine, symbol }: EntrySource): string {
  if (symbol !== null) return `${path}#${symbol}`
  if (startLine === null) return path
  return endLine === null || endLine === startLine
    ? `${path}:${startLine}`
    : `${path}:${startLine}-${endLine}`
}

/** The format of `aman memory export --format markdown`; a person may have edited the files. */
export const MARKDOWN: ImportFormat = {
  name: "markdown",
  detects: ({ meta }) => meta["format"] === MARKDOWN_FORMAT,
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

/**
 * The changes that importing the files would make. `force`: the version in the file replaces changes made in the store
 * since the export. Throws USAGE for lines that cannot be read.
 */
export function planMarkdown(
  knowledge: Knowledge,
  files: readonly SourceFile[],
  { force = false }: { readonly force?: boolean } = {},
): MarkdownPlan {
  const known = new Map([...knowledge.pages()].flat().map((entry) => [entry.id, entry]))
  const read = files.map((file) => ({ name: file.name, ...readMarkdown(file.text) }))
  const present = new Map<string, string>()
  const plan = { revised: [], added: [], removed: [], conflicts: [], unread: [] } as Writable<MarkdownPlan>
  for (const { name, entries, bad } of read) {
    // As in an export of another machine: all ids in the file are valid, and none exists in the store.
    const ids = entries.flatMap(({ id }) => id ?? [])
    if (ids.length > 1 && ids.every((id) => isId(id) && !known.has(id))) throw ofAnotherStore(name)
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
  const edited = files.flatMap(({ text }) => readMarkdown(text).entries).filter(isEdited)
  return new Set(edited.flatMap(({ form: { source } }) => source ?? []))
}

/** True if a person changed the text of an export, also if it cannot be read any more. */
export function isTouched(text: string): boolean {
  const { entries, bad } = readMarkdown(text)
  return bad.length > 0 || entries.some(isEdited)
}

function isEdited({ hash, form }: MarkdownEntry): boolean {
  return hash !== formHash(form)
}

/** Carries out the plan in one transaction. Entries that were not edited are not written. */
export function applyMarkdown(knowledge: Knowledge, plan: MarkdownPlan, options: MarkdownOptions): void {
  const { project, capture, deleteRemoved = false } = options
  const withSource = <T extends { readonly source?: string | null }>(form: T) => {
    const { source, ...fields } = form
    return source === undefined ? fields : { ...fields, source: source === null ? null : capture(source) }
  }
  const revised = plan.revised.map(({ id, changes }) => [id, withSource(changes)] as const)
  const added = plan.added.map((form) => ({ ...withSource(form), project }))
  knowledge.write(() => {
    for (const [id, fields] of revised)
      knowledge.revise(id, fields as Partial<EntryFields>, { reason: "edited as Markdown" })
    if (added.length > 0) knowledge.remember(added)
    const removed = deleteRemoved ? plan.removed.map(({ id }) => id) : []
    if (removed.length > 0) knowledge.delete(removed, "removed from the Markdown file")
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
    plan.revised.push({ id: entry.id, changes: changedFields(tidied(current), tidied(form)) })
  }
}

/** Remarks in an entry that the export did not write. Their author may expect them to take effect, but they have none. */
function unreadRemarks({ id, remarks }: MarkdownEntry, entry: Entry | undefined, file: string) {
  const written = new Set(entry === undefined ? [] : remarkLines(entry))
  return remarks
    .filter(({ text }) => !written.has(text))
    .map(({ line, text }) => {
      const option = text.startsWith("superseded-by") ? "--successor ID" : "--reason TEXT"
      const instead = `aman memory invalidate ${id ?? "ID"} ${option}`
      return { place: `${file}:${line}`, why: `${JSON.stringify(text)} is ignored; instead, run: ${instead}` }
    })
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

/*
 * Reads a Markdown file of entries. `MarkdownReader` goes line by line: a comment begins an entry and has its fields,
 * headings give topics, and text outside of entries becomes a new entry. Lines that cannot be read are collected with
 * their numbers.
 */

/** An entry as read from a file. */
type MarkdownEntry = {
  /** Null for a new entry. */
  readonly id: string | null
  /** Hash of the entry when it was exported; null for a new entry. */
  readonly hash: string | null
  readonly form: EditableFields
  readonly line: number
  /** Remarks on the entry's state; see `remarkLines`. */
  readonly remarks: readonly MarkdownRemark[]
}

type MarkdownRemark = { readonly line: number; readonly text: string }

type ReadMarkdown = {
  readonly entries: readonly MarkdownEntry[]
  /** Ids in the file when it was exported; null when the list was removed. */
  readonly exported: readonly string[] | null
  readonly bad: readonly BadLine[]
}

const { topic, kind, tags, key, author, entities, validFrom, validUntil } = DEFAULTS
const NEW: EditableFields = {
  ...{ text: "", topic, kind, tags, key, source: null, author, entities, validFrom, validUntil },
}

/** Reads a file that `writeMarkdown` wrote and a person may have edited. */
export function readMarkdown(file: string): ReadMarkdown {
  return new MarkdownReader(file).read()
}

class MarkdownReader {
  readonly #lines: readonly string[]
  readonly #entries: MarkdownEntry[] = []
  readonly #bad: BadLine[] = []
  readonly #offset: number
  #exported: string[] | null = null
  #topic: string | null = null
  #loose: { line: number; texts: string[] } | null = null
  /** The fence or comment that is open outside of entries; null when none is. */
  #open: string | null = null

  constructor(file: string) {
    const { body, firstLine } = readPage(file)
    this.#lines = body.split("\n")
    this.#offset = firstLine
  }

  read(): ReadMarkdown {
    let at = 0
    while (at < this.#lines.length) at = this.#step(at)
    this.#endLoose()
    return { entries: this.#entries, exported: this.#exported, bad: this.#bad }
  }

  /** Reads from the line `at`; returns the index of the next line to read. */
  #step(at: number): number {
    const line = this.#lines[at]!
    if (this.#open === null && /^<!--\s*aman exported\b/.test(line)) return this.#list(at)
    if (this.#open === null && /^<!--\s*aman(?:\s|$)/.test(line)) return this.#entry(at)
    if (this.#open === null && /^<!--\s*\/aman\b/.test(line)) {
      this.#wrong(at, "an entry ends here without a start: its <!-- aman … --> is missing")
      return at + 1
    }
    this.#outside(at, line)
    return at + 1
  }

  #outside(at: number, line: string): void {
    const wasOpen = this.#open
    this.#open = openAfter(wasOpen, line)
    const isPlain = wasOpen === null && this.#open === null
    const heading = isPlain ? markdownLines(line)[0]!.heading : null
    const isPreamble = this.#topic === null && this.#loose === null
    if (heading?.depth === 2) {
      this.#endLoose()
      this.#topic = heading.title
    } else if (isPlain && /^(?:---+|\*\*\*+|___+)\s*$/.test(line)) this.#endLoose()
    else if (isPreamble && (heading?.depth === 1 || isComment(wasOpen, this.#open, line))) return
    else if (this.#loose) this.#loose.texts.push(line)
    else if (line.trim() !== "") this.#loose = { line: this.#number(at), texts: [line] }
  }

  /** Adds text outside of entries as a new entry. */
  #endLoose(): void {
    if (this.#loose) {
      const text = this.#loose.texts.join("\n").trimEnd()
      const form = { ...NEW, topic: this.#topic ?? NEW.topic, text }
      this.#entries.push({ id: null, hash: null, form, line: this.#loose.line, remarks: [] })
    }
    this.#loose = null
  }

  #entry(start: number): number {
    this.#endLoose()
    const [head, fields, begin] = this.#comment(start)
    const [id = null, hash = null] = head.split(/\s+/).filter((word) => word !== "")
    const { read, remarks } = this.#fields(fields, start)
    let end = begin
    while (end < this.#lines.length && !/^<!--\s*\/?aman\b/.test(this.#lines[end]!)) end++
    if (!/^<!--\s*\/aman\b/.test(this.#lines[end] ?? "")) {
      this.#wrong(start, "an entry starts here without an end: <!-- /aman --> is missing")
      return Math.max(end, start + 1)
    }
    const text = this.#lines.slice(begin, end).map((line) => (MARKER.test(line) ? line.slice(1) : line))
    const form = { ...NEW, topic: this.#topic ?? NEW.topic, text: text.join("\n"), ...read }
    this.#entries.push({ id: id?.toLowerCase() ?? null, hash, form, line: this.#number(start), remarks })
    return end + 1
  }

  /** Parses a comment of aman: the words after "aman" in it, its further lines, and the index of the line after it. */
  #comment(start: number): [head: string, fields: readonly string[], next: number] {
    let end = start
    while (end < this.#lines.length - 1 && !this.#lines[end]!.includes("-->")) end++
    const [first, ...rest] = this.#lines
      .slice(start, end + 1)
      .map((line) => line.replace(/(?<!\s)\s*-->.*$/, ""))
    return [first!.replace(/^<!--\s*aman/, ""), rest, end + 1]
  }

  /** The fields in the lines of a comment, and the remarks on the entry's state. */
  #fields(lines: readonly string[], start: number) {
    let read: Partial<EditableFields> = {}
    const remarks: MarkdownRemark[] = []
    for (const [index, line] of lines.entries()) {
      const text = readRemark(line)
      if (text !== null) remarks.push({ line: this.#number(start + 1 + index), text })
      if (text !== null || line.trim() === "") continue
      try {
        read = { ...read, ...readField(line) }
      } catch (error) {
        if (!(error instanceof InvalidLine)) throw error
        this.#wrong(start + 1 + index, error.message)
      }
    }
    return { read, remarks }
  }

  #list(start: number): number {
    this.#endLoose()
    const [head, lines, next] = this.#comment(start)
    const words = [head.replace(/^\s*exported/, ""), ...lines].join(" ").split(/\s+/)
    this.#exported = [...(this.#exported ?? []), ...words.filter((word) => word !== "")]
    return next
  }

  #wrong(at: number, message: string): void {
    this.#bad.push({ line: this.#number(at), message })
  }

  #number(at: number): number {
    return at + this.#offset
  }
}

function isComment(before: string | null, after: string | null, line: string): boolean {
  return before === "<!--" || after === "<!--" || /^ {0,3}<!--.*-->\s*$/.test(line)
}

/** Format name in the front matter of an export. */
const MARKDOWN_FORMAT = "aman-knowledge-markdown"

export type MarkdownFile = { readonly name: string; readonly text: string }

/** Entries as notes that a person can edit and import again: one section per topic, each entry with its text. */
export function writeMarkdown(entries: readonly Entry[], title: string): string {
  const sections = [...Map.groupBy(entries, ({ topic }) => comparable(topic)).values()].map(topicSection)
  const ids = entries
    .map(({ id }, at) => `${id}${at % 5 === 4 || at === entries.length - 1 ? "\n" : " "}`)
    .join("")
  const head = `---\nformat: ${MARKDOWN_FORMAT}\nversion: 1\n---\n\n# ${title.replace(/\s+/g, " ")}\n\n${HOW_TO}\n`
  return `${head}\n${sections.join("")}<!-- aman exported\n${ids}-->\n`
}

/** Renders the entries as one file per topic. */
export function writeMarkdownFolder(entries: readonly Entry[]): MarkdownFile[] {
  const taken = new Set<string>()
  return [...Map.groupBy(entries, ({ topic }) => comparable(topic)).values()].map((own) => {
    const [{ topic }] = own as [Entry]
    return { name: `${unusedName(topic, taken)}.md`, text: writeMarkdown(own, topic) }
  })
}

/** A line that begins or ends an entry; a line of the text that looks like one is escaped with "\". */
const MARKER = /^\\*<!--\s*\/?aman\b/

const HOW_TO = `<!-- aman: edit the texts between the comments, or what the comments say (kind, tags, topic, source,
valid-from, valid-until …). Text that stands outside of them becomes a new entry. Then run: aman memory import FILE -->`

function topicSection(entries: readonly Entry[]): string {
  const { topic } = entries[0]!
  // A topic that would not be read back from a heading is written into the comments of its entries instead.
  const heading =
    /^[^\s#`~<\\-][^\n\r\0]*$/.test(topic) && topic.isWellFormed() && !/\s#+$/.test(topic) ? topic : "general"
  return `## ${heading}\n\n${entries.map((entry) => `${entryText(entry, heading)}\n`).join("")}`
}

function entryText(entry: Entry, heading: string): string {
  const form = editableOf(entry)
  const fields = [...remarkLines(entry), ...fieldLines(form, heading)]
  const name = `<!-- aman ${entry.id} ${formHash(form)}`
  const comment = fields.length === 0 ? `${name} -->` : `${name}\n${fields.join("\n")}\n-->`
  if (isUnprintable(form.text)) return `${comment}\n<!-- /aman -->\n`
  const text = form.text.split("\n").map((line) => (MARKER.test(line) ? `\\${line}` : line))
  return `${comment}\n${text.join("\n")}\n<!-- /aman -->\n`
}

function unusedName(topic: string, taken: Set<string>): string {
  const plain = topic
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
  // Windows reserves these names for devices.
  const base =
    plain === "" || /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(plain) ? `topic${plain && "-"}${plain}` : plain
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`
  taken.add(name)
  return name
}

/** The lines "key: value" of the comment above an entry, without absent and default values. */
function fieldLines(form: EditableFields, shownTopic: string): string[] {
  return FIELDS.flatMap(({ property, name }) => {
    const value = fieldText(form, property, shownTopic)
    return value === null ? [] : [`${name}: ${value}`]
  })
}

/** Lines that tell a reader the state of the entry, such as "superseded"; an import ignores them. */
function remarkLines({ supersededBy, invalidReason }: Entry): string[] {
  const [by, because] = REMARKS
  return [
    ...(supersededBy === null ? [] : [`${by}: ${supersededBy}`]),
    ...(invalidReason === null ? [] : [`${because}: ${one(invalidReason)}`]),
  ]
}

const REMARKS = ["superseded-by", "no-longer-holds"] as const

/** The name, the key that it stands for, and the value in a line "name: value"; null for another line. */
function keyAndValue(line: string) {
  const [, name, value] = /^\s*([\w-]+):\s*(.*?)\s*$/s.exec(line) ?? []
  return name === undefined ? null : { name, key: name.toLowerCase().replaceAll("_", "-"), value: value! }
}

/** The line in the form that `remarkLines` writes; null when it is not a remark. */
function readRemark(line: string): string | null {
  const { key, value } = keyAndValue(line) ?? {}
  return REMARKS.some((remark) => remark === key) ? `${key}: ${value}` : null
}
/** The field in a line of the comment. Throws `InvalidLine` for a line that is none. */
function readField(line: string): Partial<EditableFields> {
  const found = keyAndValue(line)
  if (found === null) throw new InvalidLine(`${JSON.stringify(line.trim())} is not "key: value"`)
  const field = FIELDS.find(({ name }) => name === found.key)
  if (field === undefined) {
    const names = FIELDS.map(({ name }) => name)
    throw unknownKey(found.name, nearest(found.name, names))
  }
  const { property, name } = field
  if (found.value === "") return { [property]: NEW[property] }
  const isJson = /^["[]/.test(found.value)
  const value = (isJson ? parseJson(found.value) : undefined) ?? found.value
  return { [property]: readFieldValue(property, value, name) }
}

/** True when editors or decoders would change the text in a Markdown file. */
function isUnprintable(text: string): boolean {
  return /[\r\0]/.test(text) || !text.isWellFormed() || text.startsWith("\ufeff")
}

/** The text is the last field. It is written as a field only when it could not be written unchanged below the comment. */
const FIELDS = EDITABLE.toSorted((a, b) => Number(a === "text") - Number(b === "text")).map((property) => ({
  property,
  name: jsonName(property).replaceAll("_", "-"),
}))

/** The value in the form for the file; null when it is absent or equals the default. */
function fieldText(form: EditableFields, property: keyof EditableFields, shownTopic: string): string | null {
  const value = form[property]
  if (property === "text") return isUnprintable(form.text) ? jsonForComment(form.text) : null
  if (property === "topic" && value === shownTopic) return null
  if (property === "kind" && value === "semantic") return null
  return Array.isArray(value) ? listText(value) : one(value as string | null)
}

/** A value as text; as a JSON string if the plain text could be misread. */
function one(value: string | null): string | null {
  if (value === null) return null
  const isPlain = /^[^\s"'[]/.test(value) && !/[\r\n\0]|\s$|-->/.test(value) && value.isWellFormed()
  return isPlain ? value : jsonForComment(value)
}

function listText(values: readonly string[]): string | null {
  if (values.length === 0) return null
  const isPlain = values.every((value) => one(value) === value && !value.includes(","))
  return isPlain ? values.join(", ") : jsonForComment(values)
}

/** The value as JSON, without ">", which could end the comment. */
function jsonForComment(value: string | readonly string[]): string {
  return JSON.stringify(value).replaceAll(">", "\\u003e").replaceAll("\ufeff", "\\ufeff")
}
