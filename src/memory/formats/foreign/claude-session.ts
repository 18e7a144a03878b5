import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime } from "../import-time.ts"
import {
  type Imported,
  type ImportedEntry,
  type ImportRemark,
  nothingImported,
  type SourceFile,
  stem,
} from "../imported.ts"
import { withoutTagged } from "../injected.ts"
import { firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"

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
    const next = text.slice(0, MAX_DETECTED_CHARACTERS).split("\n").slice(1, MAX_DETECTED_LINES)
    return isMessage(firstLine) || next.some((line) => isMessage(parseJson(line)))
  },
  read: importClaudeSession,
}

const MAX_DETECTED_CHARACTERS = 200_000
const MAX_DETECTED_LINES = 50

function isMessage(record: unknown): boolean {
  if (!isObject(record) || !isObject(record["message"])) return false
  return (
    (record["type"] === "user" || record["type"] === "assistant") &&
    ("uuid" in record || "sessionId" in record)
  )
}

function importClaudeSession(file: SourceFile): Imported {
  const warnings: ImportRemark[] = []
  const entries: ImportedEntry[] = []
  for (const [index, line] of file.text.split("\n").entries()) {
    if (line.trim() === "") continue
    const record = parseJson(line)
    if (isObject(record)) {
      const entry = messageEntry(record, entries.length + 1, stem(file.name))
      if (entry) entries.push(entry)
    } else {
      warnings.push({ file: file.name, line: index + 1, message: "not a JSON object" })
    }
  }
  return { ...nothingImported(warnings), entries }
}

/**
 * The entry for a message; null for any other record. A session that continues in another file begins with a copy of
 * the first one, whose messages keep their ids.
 */
function messageEntry(record: JsonObject, ordinal: number, file: string): ImportedEntry | null {
  const { type, message } = record
  if ((type !== "user" && type !== "assistant") || !isObject(message) || isHidden(record)) return null
  const text = messageText(message["content"])
  if (text === "" || /^\[Request interrupted by user/.test(text)) return null
  const session = firstTextField(record, "sessionId") ?? file
  const isAgent = type === "assistant"
  return {
    ref: firstTextField(record, "uuid") ?? `${session}\n${ordinal}`,
    text,
    topic: "conversation",
    kind: "episodic",
    role: isAgent ? "agent" : "person",
    author: isAgent ? (firstTextField(message, "model") ?? "claude") : null,
    session,
    ordinal,
    recordedAt: parseImportTime(record["timestamp"]),
  }
}

const FLAGS = ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly"]

/** True for messages that neither the person nor the agent wrote. */
function isHidden(record: JsonObject): boolean {
  return FLAGS.some((flag) => record[flag] === true) || record["promptSource"] === "system"
}

function messageText(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  const text =
    typeof content === "string"
      ? content
      : blocks
          .filter((block) => block["type"] === "text" && typeof block["text"] === "string")
          .map((block) => block["text"])
          .join("\n\n")
  return withoutTagged(text, INSERTED_TAGS).trim()
}

/** Tags around text that the client inserts into a person's message. */
const INSERTED_TAGS = [
  "system-reminder",
  "command-name",
  "command-message",
  "command-args",
  "command-contents",
  "local-command-stdout",
  "local-command-stderr",
  "local-command-caveat",
  "bash-input",
  "bash-stdout",
  "bash-stderr",
  "task-notification",
  "user-prompt-submit-hook",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
]
