import {
  type Imported,
  type ImportedEntry,
  nothingImported,
  type Remark,
  type SourceFile,
} from "../imported.ts"
import { withoutTagged } from "../injected.ts"
import { isObject, type JsonObject, parseJson, textOf } from "../json-value.ts"
import { stem } from "../sections.ts"
import { readWhen } from "../when.ts"

/**
 * A session of Claude Code, ~/.claude/projects/<project>/<session>.jsonl: what the person and the agent said to each
 * other, in order. Left out is what neither said: tools and their output, thinking, reminders, commands, summaries
 * of the conversation itself, the talk of sub-agents.
 */
export function importClaudeSession(file: SourceFile): Imported {
  const warnings: Remark[] = []
  const entries: ImportedEntry[] = []
  for (const [index, line] of file.text.split("\n").entries()) {
    if (line.trim() === "") continue
    const record = parseJson(line)
    if (isObject(record)) {
      const entry = messageOf(record, entries.length + 1, stem(file.name))
      if (entry) entries.push(entry)
    } else {
      warnings.push({ file: file.name, line: index + 1, message: "not a JSON object" })
    }
  }
  return { ...nothingImported(warnings), entries }
}

/** A session that goes on in another file begins with a copy of the first: its messages keep their ids. */
function messageOf(record: JsonObject, ordinal: number, file: string): ImportedEntry | null {
  const { type, message } = record
  if ((type !== "user" && type !== "assistant") || !isObject(message) || isOfNobody(record)) return null
  const text = saidIn(message["content"])
  if (text === "" || /^\[Request interrupted by user/.test(text)) return null
  const session = textOf(record, "sessionId") ?? file
  const isAgent = type === "assistant"
  return {
    ref: textOf(record, "uuid") ?? `${session}\n${ordinal}`,
    text,
    topic: "conversation",
    kind: "episodic",
    role: isAgent ? "agent" : "person",
    author: isAgent ? (textOf(message, "model") ?? "claude") : null,
    session,
    ordinal,
    recordedAt: readWhen(record["timestamp"]),
  }
}

const FLAGS = ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly"]

function isOfNobody(record: JsonObject): boolean {
  return FLAGS.some((flag) => record[flag] === true) || record["promptSource"] === "system"
}

function saidIn(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  const text =
    typeof content === "string"
      ? content
      : blocks
          .filter((block) => block["type"] === "text" && typeof block["text"] === "string")
          .map((block) => block["text"])
          .join("\n\n")
  return withoutTagged(text, NOT_SAID).trim()
}

/** What the client writes into a person's message. */
const NOT_SAID = [
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
