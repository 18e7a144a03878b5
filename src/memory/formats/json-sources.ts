/*
 * Formats of other tools that are JSON: conversations, sessions of Claude Code, mem0, engram and the memory server of the
 * Model Context Protocol. `FIELDS` says which keys of their rows fill which fields of an entry; the code below finds the
 * rows and adds what no key says.
 */

import { isObject, type JsonObject, parseJson } from "../../base/index.ts"
import { readEngramRows } from "../../store/index.ts"
import type { Json } from "../entries/entry.ts"
import { parseImportTime } from "../entries/times.ts"
import {
  entryKind,
  type ForeignFormat,
  type Imported,
  type ImportedEntity,
  type ImportedEntry,
  type ImportedRelation,
  type ImportRemark,
  nothingImported,
  roleOf,
  type SourceFile,
  stem,
} from "./imported.ts"
import { withoutTagged } from "./injected.ts"

const SPEAKERS = ["role", "speaker", "author", "name", "from", "sender"]
const TIMES = ["timestamp", "created_at", "createdAt", "time", "date", "date_time", "ts"]

/** The keys of a row that fill a field of an entry; the first one with a value counts. */
const FIELDS = {
  message: { author: ["author", "name", "speaker", "sender", "from"], recordedAt: TIMES },
  claude: { recordedAt: ["timestamp"] },
  mem0: {
    ...{ author: ["actor_id", "user_id"], role: ["role"], session: ["run_id"] },
    ...{ recordedAt: ["created_at"], revisedAt: ["updated_at"], validUntil: ["expiration_date"] },
  },
  observation: { session: ["session_id"], recordedAt: ["created_at"], revisedAt: ["updated_at"] },
  summary: { session: ["id"], recordedAt: ["ended_at", "started_at"] },
} satisfies Readonly<Record<string, { readonly [field: string]: readonly string[] }>>

/** The fields of an entry that the table names for such a row; validUntil only if the row has it. */
function fieldsOf(
  source: keyof typeof FIELDS,
  row: JsonObject,
): { readonly recordedAt: string | null; readonly author?: string | null } {
  const fields = Object.entries(FIELDS[source]).map(([field, keys]) => {
    const isTime = field.endsWith("At") || field === "validUntil"
    const value = isTime ? firstTime(row, keys) : firstTextField(row, ...keys)
    return [field, field === "role" && value !== null ? roleOf(value) : value]
  })
  const found = fields.filter(([field, value]) => field !== "validUntil" || value !== null)
  return { recordedAt: null, ...Object.fromEntries(found) }
}

/** The first of the fields that is a time; null when there is none. */
function firstTime(row: JsonObject, keys: readonly string[]): string | null {
  for (const key of keys) {
    const found = parseImportTime(row[key])
    if (found !== null) return found
  }
  return null
}

/** Number of rows that have a time in one of these fields, none of which can be read. */
function undatedIn(rows: Iterable<JsonObject>, keys: readonly string[]): number {
  const hasTime = (row: JsonObject) => keys.some((key) => (row[key] ?? "") !== "")
  return [...new Set(rows)].filter((row) => hasTime(row) && firstTime(row, keys) === null).length
}

const UNDATED = "imported with an unreadable date"

/** The objects of a file with their lines: the value or the items of a list, whose line is null, or one per line. */
function objectsIn(file: SourceFile, warnings: ImportRemark[] = []) {
  const whole = parseJson(file.text)
  if (whole !== undefined)
    return [whole]
      .flat()
      .filter(isObject)
      .map((item) => ({ item, line: null }))
  return file.text.split("\n").flatMap((text, index): { item: JsonObject; line: number | null }[] => {
    if (text.trim() === "") return []
    const item = parseJson(text)
    if (isObject(item)) return [{ item, line: index + 1 }]
    warnings.push({ file: file.name, line: index + 1, message: "not a JSON object" })
    return []
  })
}

/** The text of a message, or of the blocks of text that it consists of. */
function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks
    .map((block) => (isObject(block) && (block["type"] ?? "text") === "text" ? block["text"] : block))
    .filter((text) => typeof text === "string")
    .join("\n\n")
    .trim()
}

/**
 * Conversations as JSON: a list of messages {"role","content","timestamp"}, one message per line, an object with such
 * a list, or a list of those objects. Messages of systems and tools are left out.
 */
export const CHAT: ForeignFormat = {
  name: "chat",
  detects: ({ whole, firstLine }) => {
    if (Array.isArray(whole)) return whole.some(isConversation)
    // JSON Lines are not JSON as a whole.
    if (!isObject(whole)) return isConversation(firstLine)
    const lists = SESSIONS.map((key) => whole[key])
    return isConversation(whole) || lists.some((list) => Array.isArray(list) && list.some(isConversation))
  },
  read: (file) => {
    const warnings: ImportRemark[] = []
    const objects = objectsIn(file, warnings).map(({ item }) => item)
    const found = conversationsIn(objects, stem(file.name))
    const undated = undatedIn([...objects, ...found.flatMap(({ turns }) => turns)], TIMES)
    if (undated > 0) warnings.push({ file: file.name, line: null, message: `${UNDATED}: ${undated}` })
    return { ...nothingImported(warnings), entries: found.flatMap(messageEntries) }
  },
}

/** True for a message, and for an object with a list of messages. */
export function isConversation(value: unknown): boolean {
  return isObject(value) && (isMessage(value) || turnsOf(value) !== null)
}

type Conversation = {
  readonly session: string
  /** Time of the conversation; null when only its messages have dates. */
  readonly when: string | null
  readonly turns: readonly JsonObject[]
}

/** One entry per message with a text, in order. */
function messageEntries({ session, when, turns }: Conversation): ImportedEntry[] {
  const entries: ImportedEntry[] = []
  for (const turn of turns) {
    const text = TEXTS.map((key) => textOf(turn[key])).find((each) => each !== "") ?? ""
    const role = roleOf(firstTextField(turn, ...SPEAKERS) ?? "")
    if (text === "" || role === null) continue
    const ordinal = entries.length + 1
    const id = firstTextField(turn, "id", "uuid", "message_id")
    const { author, recordedAt } = fieldsOf("message", turn)
    entries.push({
      // Without an id the text is part of the ref, because files of the same name may have other conversations.
      ref: `${session}\n${id ?? `${ordinal}\n${text}`}`,
      ...{ text, topic: "conversation", kind: "episodic", role, session, ordinal },
      recordedAt: recordedAt ?? when,
      // The word for a role, such as "user", is no name.
      author: author == null || roleOf(author, null) !== null ? null : author,
    })
  }
  return entries
}

/** True when the value is one message: it has a speaker and a text. */
function isMessage(value: unknown): boolean {
  return isObject(value) && firstTextField(value, ...SPEAKERS) !== null && TEXTS.some((key) => key in value)
}

/** The messages of a conversation; null when no known key has a list with a message. */
function turnsOf(value: JsonObject): readonly JsonObject[] | null {
  const turns = firstListField(value, "messages", "turns", "dialogue", "dialog", "conversation", "utterances")
  return turns?.some(isMessage) ? turns.filter(isObject) : null
}

const TEXTS = ["content", "text", "message", "utterance"]
const SESSIONS = ["sessions", "conversations", "chats"]

function conversationsIn(list: readonly JsonObject[], name: string): Conversation[] {
  if (list.length > 0 && list.every(isMessage)) return [{ session: name, when: null, turns: list }]
  return list.flatMap((value, index) => {
    const sessions = firstListField(value, ...SESSIONS)
    if (sessions) return conversationsIn(sessions.filter(isObject), firstTextField(value, "id") ?? name)
    const turns = turnsOf(value)
    if (turns === null) return []
    const id = firstTextField(value, "session_id", "sessionId", "conversation_id", "id", "uuid")
    const when = firstTime(value, [...TIMES, "started_at"])
    return [{ session: id ?? (list.length === 1 ? name : `${name}/${index + 1}`), when, turns }]
  })
}

/**
 * A session of Claude Code, ~/.claude/projects/<project>/<session>.jsonl: the messages of the person and the agent, in
 * order. Everything else is left out: tools and their output, thinking, reminders, commands, summaries of the
 * conversation, sub-agents.
 */
export const CLAUDE_SESSION: ForeignFormat = {
  name: "claude-session",
  // A session may begin with lines that are no messages.
  detects: ({ text, firstLine }) => {
    if (!isObject(firstLine)) return false
    const next = text.slice(0, 200_000).split("\n").slice(1, 50)
    return isOfSession(firstLine) || next.some((line) => isOfSession(parseJson(line)))
  },
  read: (file) => {
    const warnings: ImportRemark[] = []
    const entries: ImportedEntry[] = []
    for (const { item } of objectsIn(file, warnings)) {
      const entry = sessionEntry(item, entries.length + 1, stem(file.name))
      if (entry) entries.push(entry)
    }
    return { ...nothingImported(warnings), entries }
  },
}

function isOfSession(record: unknown): boolean {
  if (!isObject(record) || !isObject(record["message"])) return false
  return (
    (record["type"] === "user" || record["type"] === "assistant") &&
    ("uuid" in record || "sessionId" in record)
  )
}

/**
 * The entry for a message; null for any other record. A session that continues in another file begins with a copy of
 * the first one, whose messages keep their ids.
 */
function sessionEntry(record: JsonObject, ordinal: number, file: string): ImportedEntry | null {
  const { type, message } = record
  // Messages that neither the person nor the agent wrote.
  const isHidden = FLAGS.some((flag) => record[flag] === true) || record["promptSource"] === "system"
  if ((type !== "user" && type !== "assistant") || !isObject(message) || isHidden) return null
  const text = withoutTagged(textOf(message["content"]), INSERTED_TAGS).trim()
  if (text === "" || /^\[Request interrupted by user/.test(text)) return null
  const session = firstTextField(record, "sessionId") ?? file
  const isAgent = type === "assistant"
  return {
    ref: firstTextField(record, "uuid") ?? `${session}\n${ordinal}`,
    ...{ text, topic: "conversation", kind: "episodic", ordinal, ...fieldsOf("claude", record), session },
    role: isAgent ? "agent" : "person",
    author: isAgent ? (firstTextField(message, "model") ?? "claude") : null,
  }
}

const FLAGS = ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly"]

/** Tags around text that the client inserts into a person's message. */
const INSERTED_TAGS =
  `system-reminder command-name command-message command-args command-contents local-command-stdout local-command-stderr
  local-command-caveat bash-input bash-stdout bash-stderr task-notification user-prompt-submit-hook ide_opened_file
  ide_selection ide_diagnostics`.split(/\s+/)

/**
 * The answer of mem0's `get_all`, on the platform and in the library: {"results":[{"id","memory","user_id","metadata",
 * "categories","created_at","updated_at",…}],"relations":[{"source","relationship","target"}]}; from older versions
 * only the list. A file may also be a list of such answers, or have one answer or row per line. If a row occurs twice,
 * the newest one counts. (docs.mem0.ai, "Export Stored Memories" and "Get Memory")
 */
export const MEM0: ForeignFormat = {
  name: "mem0",
  detects: ({ whole, firstLine }) => isMem0([whole ?? firstLine].flat().filter(isObject)),
  read: importMem0,
}

function importMem0(file: SourceFile): Imported {
  const remark = (message: string) => ({ file: file.name, line: null, message })
  const lines: ImportRemark[] = []
  const found = mem0Answers(objectsIn(file, lines).map(({ item }) => item))
  const kept = found.rows.filter(({ event }) => event !== "DELETE")
  const rows = kept.filter(isMem0Row)
  const undated = rows.filter((row) => MEM0_DATES.some((key) => undatedIn([row], [key]) > 0))
  const relations = found.relations.flatMap((row) =>
    relationOf(row, ["source"], ["target", "destination"], ["relationship", "relation"]),
  )
  const warnings: readonly (readonly [string, number])[] = [
    ["skipped, because they are deleted there", found.rows.length - kept.length],
    ["skipped, because they have no id or memory", kept.length - rows.length],
    [UNDATED, undated.length],
    [RELATIONS_SKIPPED, found.relations.length - relations.length],
  ]
  return {
    ...nothingImported([
      ...lines,
      ...warnings.flatMap(([what, count]) => (count === 0 ? [] : [remark(`${what}: ${count}`)])),
    ]),
    ...{ entries: newestOfEach(rows).map(mem0Entry), relations },
  }
}

const MEM0_DATES = ["created_at", "updated_at", "expiration_date"]
const RELATIONS_SKIPPED = "relations skipped, because they have no source, relationship or target"

/**
 * True if at least one of the rows is of mem0. The fields "id" and "memory" alone do not show that, because a list of
 * machines, for example, has them, too.
 */
function isMem0(objects: readonly JsonObject[]): boolean {
  return mem0Answers(objects).rows.some(
    (row) =>
      isMem0Row(row) && (MEM0_FIELDS.some((key) => key in row) || UUID.test(firstTextField(row, "id") ?? "")),
  )
}

const MEM0_FIELDS = ["user_id", "agent_id", "run_id", "hash", "created_at"]
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The rows and relations of answers; an object that is no answer is a row. */
function mem0Answers(objects: readonly JsonObject[]) {
  return {
    rows: objects.flatMap((each) => listedObjects(each, "results") ?? [each]),
    relations: objects.flatMap((each) => listedObjects(each, "relations") ?? []),
  }
}

function isMem0Row(row: JsonObject): boolean {
  return firstTextField(row, "id") !== null && firstTextField(row, "memory") !== null
}

/** The newest row for each id, of equally new ones the last; in the order in which the ids occur first. */
function newestOfEach(rows: readonly JsonObject[]): JsonObject[] {
  const newest = new Map<string, JsonObject>()
  const age = (row: JsonObject) => Date.parse(firstTime(row, ["updated_at", "created_at"]) ?? "") || 0
  for (const row of rows) {
    const id = firstTextField(row, "id")!
    const known = newest.get(id)
    if (known === undefined || age(row) >= age(known)) newest.set(id, row)
  }
  return [...newest.values()]
}

/** The entry for a row. Its author is the person whose memory it is; the model only wrote it down. */
function mem0Entry(row: JsonObject): ImportedEntry {
  const metadata = isObject(row["metadata"]) ? (row["metadata"] as { readonly [key: string]: Json }) : {}
  const categories = (firstListField(row, "categories") ?? []).filter((each) => typeof each === "string")
  const category = firstTextField(metadata, "category", "type")
  const own = metadata["mem0"]
  return {
    ...{ ref: firstTextField(row, "id")!, text: firstTextField(row, "memory")!, tags: categories },
    topic: categories[0] ?? category ?? "general",
    kind: [...categories, category ?? ""].map(entryKind).find((kind) => kind !== undefined) ?? "semantic",
    ...fieldsOf("mem0", row),
    metadata: {
      ...metadata,
      mem0: {
        ...(isObject(own) && (own as { readonly [key: string]: Json })),
        ...(own !== undefined && !isObject(own) && { said: own }),
        ...namedFields(row, ["id", "user_id", "agent_id", "app_id"]),
      },
    },
  }
}

/** The fields with these keys that have a text. */
function namedFields(row: JsonObject, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = firstTextField(row, key)
      return value === null ? [] : [[key, value]]
    }),
  )
}

/** The relation in a row, by the keys that may name its ends and its type; none when one of them is missing. */
function relationOf(row: JsonObject, ...keys: readonly (readonly string[])[]): ImportedRelation[] {
  const [from, to, relation] = keys.map((each) => firstTextField(row, ...each))
  return from == null || to == null || relation == null ? [] : [{ from, to, relation }]
}

/**
 * `engram export`: {"version","exported_at","sessions":[…],"observations":[…],"prompts":[…]}. Observations and session
 * summaries are imported; prompts and deleted observations are left out.
 */
export const ENGRAM: ForeignFormat = {
  name: "engram",
  detects: ({ whole }) =>
    isObject(whole) && Array.isArray(whole["observations"]) && Array.isArray(whole["sessions"]),
  read: ({ name, text }) => {
    const data = parseJson(text)
    const remark = (message: string) => nothingImported([{ file: name, line: null, message }])
    const rows = (key: string) => (isObject(data) && listedObjects(data, key)) || []
    const living = rows("observations").filter((row) => firstTextField(row, "deleted_at") === null)
    const deleted = rows("observations").length - living.length
    const entries = [...living.flatMap(observationOf), ...rows("sessions").flatMap(summaryOf)]
    const skipped = deleted === 0 ? nothingImported() : remark(`${deleted} deleted observations were skipped`)
    return { ...skipped, entries }
  },
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

/**
 * The entry for an observation, none when it has no content. Its `sync_id` is the same on all machines of a user;
 * earlier versions of engram have only a number, unique within a session.
 */
function observationOf(row: JsonObject): ImportedEntry[] {
  const content = firstTextField(row, "content")
  if (content === null) return []
  const title = firstTextField(row, "title")
  const type = firstTextField(row, "type") ?? "manual"
  const number = `${firstTextField(row, "session_id") ?? ""}/${firstTextField(row, "id") ?? ""}`
  const id = firstTextField(row, "sync_id") ?? number
  return [
    {
      ref: `observation\n${id}`,
      text: title === null || content.startsWith(title) ? content : `${title}\n\n${content}`,
      topic: firstTextField(row, "topic_key") ?? (type === "manual" ? "general" : type),
      kind: entryKind(type) ?? "semantic",
      tags: type === "manual" ? [] : [type],
      role: "agent",
      ...fieldsOf("observation", row),
      metadata: { engram: { id, ...namedFields(row, ["project", "scope"]) } },
    },
  ]
}

function summaryOf(row: JsonObject): ImportedEntry[] {
  const [text, id] = [firstTextField(row, "summary"), firstTextField(row, "id")]
  if (text === null || id === null) return []
  return [
    {
      ...{ ref: `session\n${id}`, text, topic: "session summary", kind: "episodic" },
      ...{ tags: ["session-summary"], role: "agent" },
      ...fieldsOf("summary", row),
      metadata: { engram: namedFields(row, ["id", "project"]) },
    },
  ]
}

/**
 * The memory server of the Model Context Protocol: a file of lines {"type":"entity"…} and {"type":"relation"…}, or
 * the answer of its read_graph, {"entities":[…],"relations":[…]}. Each observation becomes an entry about its entity.
 */
export const SERVER_MEMORY: ForeignFormat = {
  name: "server-memory",
  detects: ({ firstObject: { type }, whole }) =>
    type === "entity" ||
    type === "relation" ||
    (isObject(whole) && Array.isArray(whole["entities"]) && Array.isArray(whole["relations"])),
  read: importServerMemory,
}

function importServerMemory(file: SourceFile): Imported {
  const warnings: ImportRemark[] = []
  const entities = new Map<string, ImportedEntity>()
  const entries = new Map<string, ImportedEntry>()
  const relations: ImportedRelation[] = []
  for (const { item, line } of graphItems(file, warnings)) {
    const warn = (message: string) => warnings.push({ file: file.name, line, message })
    const name = firstTextField(item, "name")
    if (item["type"] === "relation") {
      const found = relationOf(item, ["from"], ["to"], ["relationType"])
      if (found.length === 0) warn("a relation without from, to or relationType")
      relations.push(...found)
    } else if (item["type"] === "entity" && name !== null) {
      const type = firstTextField(item, "entityType") ?? ""
      entities.set(name, { name, type, description: "", aliases: [] })
      for (const entry of observationsOf(item, name, type, file)) entries.set(entry.ref, entry)
    } else warn("neither an entity nor a relation")
  }
  return { entries: [...entries.values()], entities: [...entities.values()], relations, warnings }
}

function graphItems(file: SourceFile, warnings: ImportRemark[]) {
  return objectsIn(file, warnings).flatMap(({ item, line }) => {
    const entities = listedObjects(item, "entities")?.map((each) => ({ ...each, type: "entity" }))
    if (entities === undefined) return [{ item, line }]
    const relations = (listedObjects(item, "relations") ?? []).map((each) => ({ ...each, type: "relation" }))
    return [...entities, ...relations].map((each) => ({ item: each as JsonObject, line }))
  })
}

/** One entry per observation. The entity is its topic, because the text often does not name it. */
function observationsOf(item: JsonObject, name: string, type: string, file: SourceFile): ImportedEntry[] {
  const texts = (firstListField(item, "observations") ?? []).filter((text) => typeof text === "string")
  return texts
    .filter((text) => text.trim() !== "")
    .map((text) => ({
      ...{ ref: `${name}\n${text}`, text, topic: name, kind: "semantic" as const },
      ...{ tags: type === "" ? [] : [type], entities: [name], recordedAt: file.modified },
    }))
}

/** The first of the fields that is a non-blank text or a number, as text; null when there is none. */
export function firstTextField(object: JsonObject, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = object[key]
    if (typeof value === "string" && value.trim() !== "") return value
    if (typeof value === "number") return String(value)
  }
  return null
}

function firstListField(object: JsonObject, ...keys: readonly string[]): readonly unknown[] | null {
  for (const key of keys) if (Array.isArray(object[key])) return object[key]
  return null
}

/** The objects in the list of a field; null when it has no list. */
function listedObjects(object: JsonObject, key: string): readonly JsonObject[] | null {
  return firstListField(object, key)?.filter(isObject) ?? null
}
