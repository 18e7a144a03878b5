import { observationIn } from "./basic-memory-line.ts"
import { isMessage, turnsOf } from "./chat.ts"
import { isDialogues } from "./dialogues.ts"
import { readPage } from "./front-matter.ts"
import type { SourceFile } from "./imported.ts"
import { isObject, type JsonObject, parseJson, textOf } from "./json-value.ts"
import { isMem0 } from "./mem0.ts"
import { isTranscript } from "./transcript.ts"

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

/** The first line of what `aman memory export` writes, as JSON Lines and as Markdown. */
export const JSONL_FORMAT = "aman-knowledge"
export const MARKDOWN_FORMAT = "aman-knowledge-markdown"

/** What a file is, by its content first and its name last; null for what says nothing, as an empty one. */
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
    // Claude Code begins a session with lines that no one said.
    const lines = text.slice(0, LOOKED_AT).split("\n").slice(1, 50).map(parseJson)
    for (const line of lines) if (isObject(line) && isSessionLine(line)) return "claude-session"
  }
  const format = documentFormat(parseJson(text))
  // A page or a row a line.
  return format ?? (isMem0(first) || isMem0([first]) ? "mem0" : null)
}

const LOOKED_AT = 200_000

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
