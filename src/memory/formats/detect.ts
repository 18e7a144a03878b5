import { observationIn } from "./foreign/basic-memory-line.ts"
import { isMessage, turnsOf } from "./foreign/chat.ts"
import { isDialogues } from "./foreign/dialogues.ts"
import { isMem0 } from "./foreign/mem0.ts"
import { isTranscript } from "./foreign/transcript.ts"
import { readPage } from "./front-matter.ts"
import type { SourceFile } from "./imported.ts"
import { isObject, type JsonObject, parseJson, textOf } from "./json-value.ts"

export const FORMATS = [
  "aman",
  "batch",
  "markdown",
  "server-memory",
  "engram",
  "mem0",
  "basic-memory",
  "claude-memory",
  "instructions",
  "notes",
  "claude-session",
  "chat",
  "dialogues",
  "transcript",
] as const
export type Format = (typeof FORMATS)[number]

/** Format names at the start of files written by `aman memory export`, as JSON Lines and as Markdown. */
export const JSONL_FORMAT = "aman-knowledge"
export const MARKDOWN_FORMAT = "aman-knowledge-markdown"

/**
 * The format of a file, by content first and name last; null when it cannot be told, as for an empty file.
 */
export function detectFormat(file: SourceFile): Format | null {
  const text = file.text.trimStart()
  if (text === "") return null
  if (text.startsWith("{") || text.startsWith("[")) return jsonFormat(text)
  if (isTranscript(text)) return "transcript"
  return markdownFormat(file)
}

function jsonFormat(text: string): Format | null {
  const end = text.indexOf("\n")
  const first = parseJson(end < 0 ? text : text.slice(0, end))
  if (isObject(first)) {
    const format = lineFormat(first)
    if (format !== null) return format
    // A session of Claude Code begins with lines that are no messages.
    const lines = text.slice(0, MAX_DETECTED_CHARACTERS).split("\n").slice(1, 50).map(parseJson)
    for (const line of lines) if (isObject(line) && isSessionLine(line)) return "claude-session"
  }
  const format = documentFormat(parseJson(text))
  // mem0 also exports one page or row per line.
  return format ?? (isMem0(first) || isMem0([first]) ? "mem0" : null)
}

const MAX_DETECTED_CHARACTERS = 200_000

function lineFormat(line: JsonObject): Format | null {
  if (line["format"] === JSONL_FORMAT) return "aman"
  if (line["type"] === "entity" || line["type"] === "relation") return "server-memory"
  if (isSessionLine(line)) return "claude-session"
  if (documentFormat(line) !== null) return null
  if (typeof line["text"] === "string" && !("speaker" in line)) return "batch"
  return isMessage(line) ? "chat" : null
}

function isSessionLine(line: JsonObject): boolean {
  const { type, message } = line
  return (
    (type === "user" || type === "assistant") && isObject(message) && ("uuid" in line || "sessionId" in line)
  )
}

function documentFormat(value: unknown): Format | null {
  if (isDialogues(value)) return "dialogues"
  if (isMem0(value)) return "mem0"
  if (Array.isArray(value)) return value.some(isConversation) ? "chat" : null
  if (!isObject(value)) return null
  if (Array.isArray(value["observations"]) && Array.isArray(value["sessions"])) return "engram"
  if (Array.isArray(value["entities"]) && Array.isArray(value["relations"])) return "server-memory"
  const lists = ["sessions", "conversations", "chats"].map((key) => value[key])
  return isConversation(value) || lists.some((list) => Array.isArray(list) && list.some(isConversation))
    ? "chat"
    : null
}

function isConversation(value: unknown): boolean {
  return isObject(value) && (isMessage(value) || turnsOf(value) !== null)
}

function markdownFormat(file: SourceFile): Format {
  const { meta, body } = readPage(file.text)
  if (meta["format"] === MARKDOWN_FORMAT) return "markdown"
  const name = file.name.slice(file.name.lastIndexOf("/") + 1)
  if (INSTRUCTIONS.test(name)) return "instructions"
  const inner = isObject(meta["metadata"]) ? meta["metadata"] : meta
  const isMemory = CLAUDE_TYPES.has(textOf(inner, "type") ?? "") && textOf(meta, "name") !== null
  if (name === "MEMORY.md" || isMemory) return "claude-memory"
  return "permalink" in meta || hasObservation(body) ? "basic-memory" : "notes"
}

const INSTRUCTIONS =
  /^(?:CLAUDE|AGENTS?|GEMINI|QWEN|WARP|CRUSH|CONVENTIONS)(?:\.local)?\.md$|^\.(?:cursor|windsurf|cline)rules$|\.mdc$|^copilot-instructions\.md$/i
const CLAUDE_TYPES: ReadonlySet<string> = new Set(["user", "feedback", "project", "reference"])

function hasObservation(body: string): boolean {
  return body.split("\n").some((line) => {
    const item = /^\s*[-*+]\s+(\[[^\]]+\]\s.*)$/.exec(line)?.[1]
    return item !== undefined && observationIn(item)?.category != null
  })
}
