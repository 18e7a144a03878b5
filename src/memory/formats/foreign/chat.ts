import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, toInstant } from "../import-time.ts"
import {
  type Imported,
  type ImportedEntry,
  nothingImported,
  roleOf,
  type SourceFile,
  stem,
} from "../imported.ts"
import { firstListField, firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"

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
    const lists = [whole["sessions"], whole["conversations"], whole["chats"]]
    return isConversation(whole) || lists.some((list) => Array.isArray(list) && list.some(isConversation))
  },
  read: importChat,
}

/** True for a message, and for an object with a list of messages. */
export function isConversation(value: unknown): boolean {
  return isObject(value) && (isMessage(value) || turnsOf(value) !== null)
}

function importChat(file: SourceFile): Imported {
  const whole = parseJson(file.text)
  const data = whole ?? file.text.split("\n").flatMap((line) => parseJson(line) ?? [])
  const name = stem(file.name)
  return {
    ...nothingImported(),
    entries: conversationsIn(data, name).flatMap((each) => messageEntries(each)),
  }
}

export type Conversation = {
  readonly session: string
  /** Time of the conversation; null when only its messages have dates. */
  readonly when: string | null
  readonly turns: readonly JsonObject[]
}

/** One entry per message, in order. */
export function messageEntries({ session, when, turns }: Conversation): ImportedEntry[] {
  const entries: ImportedEntry[] = []
  for (const turn of turns) {
    const text = textOfTurn(turn)
    const role = roleOf(firstTextField(turn, ...SPEAKERS) ?? "")
    if (text === "" || role === null) continue
    const saidAt =
      parseImportTime(TIMES.map((key) => turn[key]).find((value) => parseImportTime(value) !== null)) ?? when
    const ordinal = entries.length + 1
    entries.push({
      // Without an id the text is part of the ref, because files of the same name may have other conversations.
      ref: `${session}\n${firstTextField(turn, "id", "uuid", "dia_id", "message_id") ?? `${ordinal}\n${text}`}`,
      text,
      topic: "conversation",
      kind: "episodic",
      role,
      author: authorOf(turn),
      session,
      ordinal,
      recordedAt: saidAt && toInstant(saidAt),
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

const SPEAKERS = ["role", "speaker", "author", "name", "from", "sender"]
const NAMES = ["author", "name", "speaker", "sender", "from"]
const TEXTS = ["content", "text", "message", "utterance"]
const TIMES = ["timestamp", "created_at", "createdAt", "time", "date", "date_time", "ts"]

function conversationsIn(data: unknown, name: string): Conversation[] {
  const list = Array.isArray(data) ? data.filter(isObject) : isObject(data) ? [data] : []
  if (list.length > 0 && list.every(isMessage)) return [{ session: name, when: null, turns: list }]
  return list.flatMap((value, index) => {
    const sessions = firstListField(value, "sessions", "conversations", "chats")
    if (sessions) return conversationsIn(sessions, firstTextField(value, "id") ?? name)
    const turns = turnsOf(value)
    if (turns === null) return []
    const id = firstTextField(value, "session_id", "sessionId", "conversation_id", "id", "uuid")
    const when = parseImportTime(
      [...TIMES, "started_at"].map((key) => value[key]).find((each) => parseImportTime(each) !== null),
    )
    return [{ session: id ?? (list.length === 1 ? name : `${name}/${index + 1}`), when, turns }]
  })
}

function textOfTurn(turn: JsonObject): string {
  for (const key of TEXTS) {
    const value = turn[key]
    if (typeof value === "string" && value.trim() !== "") return value.trim()
    if (Array.isArray(value)) return textsIn(value)
  }
  return ""
}

function textsIn(blocks: readonly unknown[]): string {
  return blocks
    .flatMap((block) => {
      if (typeof block === "string") return [block]
      return isObject(block) && typeof block["text"] === "string" ? [block["text"]] : []
    })
    .join("\n\n")
    .trim()
}

/** The author's name; null when it is only the word for a role, such as "user". */
function authorOf(turn: JsonObject): string | null {
  const name = NAMES.map((key) => firstTextField(turn, key)).find((each) => each !== null) ?? null
  return name === null || roleOf(name, null) !== null ? null : name
}
