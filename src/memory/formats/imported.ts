import { isObject, type JsonObject, parseJson } from "../../base/index.ts"
import type { EntryKind, Role } from "../entries/entry.ts"
import type { EntryFields } from "../log/event.ts"
import { type FrontMatter, readPage } from "./pages.ts"

/** A file to import, as text. */
export type SourceFile = {
  /** Path relative to the folder given for import, with "/". */
  readonly name: string
  /** Text from `decodeText`: lines end with "\n". */
  readonly text: string
  /** ISO instant of its last change; null when unknown, as for standard input. */
  readonly modified: string | null
}

/** The content of a source, converted to entries, entities and relations that can be stored. */
export type Imported = {
  readonly entries: readonly ImportedEntry[]
  readonly entities: readonly ImportedEntity[]
  readonly relations: readonly ImportedRelation[]
  readonly warnings: readonly ImportRemark[]
}

/** A remark on a line of a source, counted from 1; a null line means the whole source. */
export type ImportRemark = { readonly file: string; readonly line: number | null; readonly message: string }

export function remarkText({ file, line, message }: ImportRemark): string {
  return `${file}${line === null ? "" : `:${line}`}: ${message}`
}

export type ImportedEntry = Partial<Omit<EntryFields, "text" | "project" | "source" | "key">> & {
  /** Unique within its format and the same at each import; the entry's id is derived from it. */
  readonly ref: string
  readonly text: string
  /** Date or instant at which the text was said or written; null when the source does not contain it. */
  readonly recordedAt: string | null
  /** Time of the last revision; null or absent if there was none after `recordedAt`. */
  readonly revisedAt?: string | null
}

export type ImportedEntity = {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly aliases: readonly string[]
}

/** A relation between two entities, by name. */
export type ImportedRelation = { readonly from: string; readonly to: string; readonly relation: string }

export function nothingImported(warnings: readonly ImportRemark[] = []): Imported {
  return { entries: [], entities: [], relations: [], warnings }
}

/** Adds a number to equal refs, which occur when two sections in the same place have the same title. */
export function numberEqualRefs(entries: readonly ImportedEntry[]): ImportedEntry[] {
  const seen = new Map<string, number>()
  return entries.map((entry) => {
    const count = (seen.get(entry.ref) ?? 0) + 1
    seen.set(entry.ref, count)
    return count === 1 ? entry : { ...entry, ref: `${entry.ref}\n${count}` }
  })
}

/** The file name without folder and extension: "auth-notes" for "docs/auth-notes.md". */
export function stem(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.\w{1,8}$/, "")
}

/** The kind of entry for another tool's type of note; undefined for an unknown type. */
export function entryKind(word: string): EntryKind | undefined {
  return KINDS.get(word.toLowerCase().replace(/[\s_]+/g, "-"))
}

const WORDS: Readonly<Record<EntryKind, string>> = {
  decision: "decision decisions adr choice architecture design architecture-decision",
  procedural:
    "procedural procedure howto how-to method technique workflow runbook recipe command commands guide feedback rule",
  episodic:
    "episodic event log meeting bugfix bug incident session session-summary summary passive journal diary history",
  semantic: "semantic fact discovery learning pattern config preference reference project user idea note",
}

const KINDS: ReadonlyMap<string, EntryKind> = new Map(
  (Object.entries(WORDS) as [EntryKind, string][]).flatMap(([kind, words]) =>
    words.split(" ").map((word) => [word, kind] as const),
  ),
)

/**
 * The role that a speaker's name stands for; null for systems and tools, whose messages are not imported. An
 * unknown name gives `otherwise`, which is "person" by default.
 */
export function roleOf(word: string, otherwise: Role | null = "person"): Role | null {
  const plain = word.trim().toLowerCase()
  if (AGENTS.has(plain)) return "agent"
  if (PERSONS.has(plain)) return "person"
  return OTHERS.has(plain) ? null : otherwise
}

const AGENTS = new Set("assistant agent ai bot model claude chatgpt gpt gemini copilot".split(" "))
const PERSONS = new Set("user human person me you".split(" "))
const OTHERS = new Set("system developer tool function tool_result".split(" "))

/** A format of files that can be imported. */
export interface ImportFormat {
  /** Name of the format in `--format` and in answers. */
  readonly name: string
  /** True when the sample is of this format, judging by its content and then by its file name. */
  readonly detects: (sample: Sample) => boolean
}

/** A format of another tool, or plain notes. */
export interface ForeignFormat extends ImportFormat {
  /** The content of one file; `all` are the files of this format in the same import. */
  readonly read: (file: SourceFile, all: readonly SourceFile[]) => Imported
}

/** A file whose format is to be detected. */
export type Sample = {
  readonly file: SourceFile
  /** The text without leading white space. */
  readonly text: string
  /** True when the text begins as a JSON object or list does. */
  readonly isJson: boolean
  /** The whole text parsed as JSON; undefined when it is not JSON. */
  readonly whole: unknown
  /** The first line parsed as JSON; undefined when it is not JSON. */
  readonly firstLine: unknown
  /** The first line when it is a JSON object, else an empty object. */
  readonly firstObject: JsonObject
  /** The front matter of the text as a Markdown page. */
  readonly meta: FrontMatter
}

export function sampleOf(file: SourceFile): Sample {
  const text = file.text.trimStart()
  const isJson = /^[{[]/.test(text)
  const [whole, firstLine] = isJson ? [parseJson(text), parseJson(text.split("\n", 1)[0]!)] : []
  const firstObject = isObject(firstLine) ? firstLine : {}
  return { file, text, isJson, whole, firstLine, firstObject, meta: readPage(file.text).meta }
}
