import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime } from "../import-time.ts"
import { type Imported, type ImportedEntry, nothingImported, type SourceFile, stem } from "../imported.ts"
import { firstListField, firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"
import { type Conversation, messageEntries } from "./chat.ts"

/**
 * Dated conversations of two benchmarks for memory: LoCoMo ("session_1", "session_1_date_time" under "conversation")
 * and LongMemEval ("haystack_sessions" beside "haystack_dates"). Their questions are not imported.
 */
export const DIALOGUES: ForeignFormat = {
  name: "dialogues",
  detects: ({ whole }) => {
    const [first] = Array.isArray(whole) ? whole : [whole]
    if (!isObject(first)) return false
    return Array.isArray(first["haystack_sessions"]) || sessionKeys(spokenIn(first)).length > 0
  },
  read: importDialogues,
}

function importDialogues(file: SourceFile): Imported {
  const data = parseJson(file.text)
  const samples = (Array.isArray(data) ? data : [data]).filter(isObject)
  const entries = new Map<string, ImportedEntry>()
  for (const [index, sample] of samples.entries()) {
    const name = firstTextField(sample, "sample_id", "id") ?? `${stem(file.name)}/${index + 1}`
    for (const conversation of [...sessionsOf(sample, name), ...haystackOf(sample, name)]) {
      // LongMemEval repeats a session for each question that needs it.
      for (const entry of messageEntries(conversation)) entries.set(entry.ref, entry)
    }
  }
  return { ...nothingImported(), entries: [...entries.values()] }
}

function sessionsOf(sample: JsonObject, name: string): Conversation[] {
  const spoken = spokenIn(sample)
  return sessionKeys(spoken).map((key) => ({
    session: `${name}/${key}`,
    when: parseImportTime(spoken[`${key}_date_time`] ?? spoken[`${key}_date`]),
    turns: (firstListField(spoken, key) ?? []).filter(isObject).map(withCaption),
  }))
}

function haystackOf(sample: JsonObject, name: string): Conversation[] {
  const dates = firstListField(sample, "haystack_dates") ?? []
  const ids = firstListField(sample, "haystack_session_ids") ?? []
  return (firstListField(sample, "haystack_sessions") ?? []).map((turns, index) => ({
    session: typeof ids[index] === "string" ? ids[index] : `${name}/${index + 1}`,
    when: parseImportTime(dates[index]),
    turns: Array.isArray(turns) ? turns.filter(isObject) : [],
  }))
}

function spokenIn(sample: JsonObject): JsonObject {
  return isObject(sample["conversation"]) ? sample["conversation"] : sample
}

function sessionKeys(spoken: JsonObject): string[] {
  const keys = Object.keys(spoken).filter((key) => /^session_\d+$/.test(key) && Array.isArray(spoken[key]))
  return keys.sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
}

/** The message with the caption of its picture as part of the text. */
function withCaption(turn: JsonObject): JsonObject {
  const caption = firstTextField(turn, "blip_caption")
  if (caption === null) return turn
  return { ...turn, text: `${firstTextField(turn, "text") ?? ""} [picture: ${caption}]`.trim() }
}
