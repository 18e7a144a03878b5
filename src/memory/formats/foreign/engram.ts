import { readEngramRows } from "../../../store/memory/engram.ts"
import type { ForeignFormat } from "../import-format.ts"
import { parseInstant } from "../import-time.ts"
import {
  entryKind,
  type Imported,
  type ImportedEntry,
  type ImportRemark,
  nothingImported,
  type SourceFile,
} from "../imported.ts"
import { firstListField, firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"

/** `engram export`: {"version","exported_at","sessions":[…],"observations":[…],"prompts":[…]}. */
export const ENGRAM: ForeignFormat = {
  name: "engram",
  detects: ({ whole }) =>
    isObject(whole) && Array.isArray(whole["observations"]) && Array.isArray(whole["sessions"]),
  read: importEngramExport,
}

/** Tables of engram, which its export and its database have in common. */
type EngramTables = {
  readonly sessions: readonly JsonObject[]
  readonly observations: readonly JsonObject[]
}

/** engram's database in the format of its export; null when the file is no database. */
export function engramDatabase(
  path: string,
  file: Omit<SourceFile, "text">,
  head: Uint8Array,
): SourceFile | null {
  if (!new TextDecoder().decode(head.subarray(0, 16)).startsWith("SQLite format 3")) return null
  return { ...file, text: JSON.stringify(readEngramRows(path)) }
}

function importEngramExport(file: SourceFile): Imported {
  const data = parseJson(file.text)
  if (!isObject(data) || firstListField(data, "observations") === null) {
    return nothingImported([{ file: file.name, line: null, message: "not an export of engram" }])
  }
  const rows = (key: string) => (firstListField(data, key) ?? []).filter(isObject)
  return importEngram({ sessions: rows("sessions"), observations: rows("observations") }, file.name)
}

/** Observations and session summaries. Prompts and deleted observations are left out. */
export function importEngram({ sessions, observations }: EngramTables, name: string): Imported {
  const living = observations.filter((row) => firstTextField(row, "deleted_at") === null)
  const entries = [...living.flatMap(observationOf), ...sessions.flatMap(summaryEntries)]
  return { ...nothingImported(deletedRemark(observations.length - living.length, name)), entries }
}

/**
 * The entry for an observation, none when it has no content. Its `sync_id` is the same on all machines of a user;
 * earlier versions of engram have only a number, unique within a session.
 */
function observationOf(row: JsonObject): ImportedEntry[] {
  const content = firstTextField(row, "content")
  if (content === null) return []
  const title = firstTextField(row, "title")
  const type = firstTextField(row, "type") ?? "manual"
  const id =
    firstTextField(row, "sync_id") ??
    `${firstTextField(row, "session_id") ?? ""}/${firstTextField(row, "id") ?? ""}`
  const project = firstTextField(row, "project")
  return [
    {
      ref: `observation\n${id}`,
      text: title === null || content.startsWith(title) ? content : `${title}\n\n${content}`,
      topic: firstTextField(row, "topic_key") ?? (type === "manual" ? "general" : type),
      kind: entryKind(type) ?? "semantic",
      tags: type === "manual" ? [] : [type],
      role: "agent",
      session: firstTextField(row, "session_id"),
      recordedAt: parseInstant(row["created_at"]),
      revisedAt: parseInstant(row["updated_at"]),
      metadata: { engram: withoutNulls({ id, project, scope: firstTextField(row, "scope") }) },
    },
  ]
}

function summaryEntries(row: JsonObject): ImportedEntry[] {
  const summary = firstTextField(row, "summary")
  const id = firstTextField(row, "id")
  if (summary === null || id === null) return []
  return [
    {
      ref: `session\n${id}`,
      text: summary,
      topic: "session summary",
      kind: "episodic",
      tags: ["session-summary"],
      role: "agent",
      session: id,
      recordedAt: parseInstant(row["ended_at"] ?? row["started_at"]),
      metadata: { engram: withoutNulls({ id, project: firstTextField(row, "project") }) },
    },
  ]
}

function withoutNulls(object: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).filter((pair): pair is [string, string] => pair[1] !== null),
  )
}

function deletedRemark(count: number, file: string): ImportRemark[] {
  return count === 0 ? [] : [{ file, line: null, message: `${count} deleted observations were skipped` }]
}
