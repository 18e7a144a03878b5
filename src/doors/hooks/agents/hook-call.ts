/*
 * Translates the JSON of an agent's hook into a `HookCall`. The first half reads event, session, prompt and working
 * directory; the second half the tool call: files that it reads, pattern that it searches, command that it runs and
 * whether it failed, for the tools of all agents.
 */

import { isAbsolute, join } from "node:path"
import { withoutPrivate } from "../../../memory/index.ts"
import { HOOK_AGENTS, type HookAgent, type HookEvent } from "../hook-events.ts"

/** An event reported by an agent, independent of the agent. */
export type HookCall = {
  readonly event: HookEvent
  readonly agent: HookAgent
  /** The agent's own name for the event, such as PreToolUse, BeforeTool, preToolUse; "" if missing. */
  readonly named: string
  /** Id of a conversation or of one of its sub-agents, which have separate contexts. */
  readonly session: string
  /** Working directory of the agent; "" if the agent does not send it. */
  readonly cwd: string
  /** Reason of a session start: startup, resume, clear, compact, fork. */
  readonly source: string
  /** Prompt without the parts marked as private. */
  readonly prompt: string
  readonly tool: ToolCall | null
  /** True if a stop hook caused this turn. The hook must then stay silent, or the agent would never stop. */
  readonly isContinued: boolean
}

/** Parses an agent's JSON; a field of an unexpected type counts as missing. */
export function hookCall(
  event: HookEvent,
  agentArgument: string | null,
  input: Json,
  env: Environment,
): HookCall {
  const it = objectOf(input)
  const agent = agentOf(agentArgument, it, env)
  const ids = ["session_id", "conversation_id", "sessionId"] as const
  const session = ids.map((name) => stringOrEmpty(it[name])).find((id) => id !== "") ?? ""
  const subagent = stringOrEmpty(it["agent_id"])
  return {
    event,
    agent,
    named: stringOrEmpty(it["hook_event_name"]),
    session: JSON.stringify([session, subagent]),
    cwd: cwdOf(it, env),
    source: stringOrEmpty(it["source"]),
    prompt: withoutPrivate(stringOrEmpty(it["prompt"]).slice(0, MAX_PROMPT)),
    tool: toolCall(it),
    isContinued: it["stop_hook_active"] === true || isPositive(it["loop_count"]),
  }
}

function isPositive(value: Json | undefined): boolean {
  return typeof value === "number" && value > 0
}

/** Max characters of a prompt that are read; the beginning of a longer one shows its subject. */
const MAX_PROMPT = 20_000

const PROJECT_VARIABLES = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"] as const

function cwdOf(it: { readonly [key: string]: Json }, env: Environment): string {
  const roots = it["workspace_roots"]
  const first = Array.isArray(roots) ? stringOrEmpty(roots[0]) : ""
  const named = PROJECT_VARIABLES.map((name) => env[name]).find((value) => value)
  return stringOrEmpty(it["cwd"]) || first || named || ""
}

type Environment = Readonly<Record<string, string | undefined>>

/** Event names that only Gemini CLI uses. */
const GEMINI_EVENTS: ReadonlySet<unknown> = new Set(["BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"])

/**
 * The calling agent: by the command line, else by the JSON, else by the environment. Cursor also runs the
 * hooks in Claude Code's settings and accepts only its own answer format, so its marker in the JSON comes
 * first.
 */
function agentOf(agentArgument: string | null, input: JsonObject, env: Environment): HookAgent {
  if ("cursor_version" in input) return "cursor"
  const named = HOOK_AGENTS.find((agent) => agent === agentArgument)
  if (named !== undefined) return named
  if ("conversation_id" in input || "workspace_roots" in input) return "cursor"
  if (GEMINI_EVENTS.has(input["hook_event_name"])) return "gemini-cli"
  if ("turn_id" in input) return "codex"
  // Copilot CLI names a transcript only in an event that Gemini CLI does not have.
  if ("timestamp" in input)
    return "transcript_path" in input && input["hook_event_name"] !== "Stop" ? "gemini-cli" : "copilot-cli"
  return byEnvironment(env)
}

function byEnvironment(env: Environment): HookAgent {
  if (env["CLAUDE_PROJECT_DIR"] && !env["GEMINI_PROJECT_DIR"]) return "claude-code"
  if (env["GEMINI_PROJECT_DIR"]) return "gemini-cli"
  if (env["CURSOR_VERSION"]) return "cursor"
  return "claude-code"
}

/** Names of the agents' tools, in lower case and without "_", by what the tool does. */
const KINDS: readonly (readonly [ToolKind, string])[] = [
  ["file", "read readfile readmanyfiles viewfile view notebookread"],
  [
    "file",
    "create edit multiedit write writefile replace strreplace searchreplace editfile createfile notebookedit",
  ],
  ["file", "applypatch"],
  ["search", "grep glob grepsearch searchfilecontent codebasesearch filesearch findfiles"],
  ["shell", "bash powershell shell localshell runshellcommand execcommand unifiedexec runterminalcmd"],
]
const KIND_OF: ReadonlyMap<string, ToolKind> = new Map(
  KINDS.flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const)),
)

/** The tool of a call; null if it is not about a tool. */
export function toolCall(it: JsonObject): ToolCall | null {
  const name = stringOrEmpty(it["tool_name"])
  // Cursor has a separate event for shell commands.
  const isShellEvent = name === "" && stringOrEmpty(it["command"]) !== ""
  if (name === "" && !isShellEvent) return null
  const input = isShellEvent ? it : inputOf(it["tool_input"])
  const kind = isShellEvent ? "shell" : (KIND_OF.get(name.toLowerCase().replaceAll("_", "")) ?? "other")
  const command = commandOf(input)
  return { ...toolUse(kind, name, input, command), command, failed: hasFailed(it) }
}

function toolUse(kind: ToolKind, name: string, input: JsonObject, command: string): ToolUse {
  switch (kind) {
    case "file":
      return { kind, paths: pathsOf(name, input, command), pattern: "" }
    case "search":
      return { kind, paths: [], pattern: searchedPattern(input) }
    case "shell":
      return readByShell(command)
    case "other":
      return { kind, paths: [], pattern: "" }
  }
}

/** Input as an object; some agents send it as a JSON string. */
function inputOf(value: Json | undefined): JsonObject {
  return objectOf(typeof value === "string" ? parseJsonOrNull(value) : value)
}

function commandOf({ command, cmd }: JsonObject): string {
  const raw = command ?? cmd
  if (!Array.isArray(raw)) return stringOrEmpty(raw)
  const words = raw.map((part) => stringOrEmpty(part))
  // The argument of `sh -c` is the command.
  const isShell = /(?:^|[\\/])(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "")
  return isShell ? (words[2] ?? "") : words.join(" ")
}

const PATH_FIELDS = [
  "file_path",
  "notebook_path",
  "target_file",
  "absolute_path",
  "filePath",
  "path",
] as const
const MAX_PATHS = 5
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm

function pathsOf(name: string, input: JsonObject, command: string): string[] {
  const named = PATH_FIELDS.map((field) => stringOrEmpty(input[field])).find((path) => path !== "")
  if (named !== undefined) return [named]
  const { paths } = input
  if (Array.isArray(paths))
    return paths
      .map((path) => stringOrEmpty(path))
      .filter(Boolean)
      .slice(0, MAX_PATHS)
  if (!/patch/i.test(name)) return []
  const patch = command || stringOrEmpty(input["patch"]) || stringOrEmpty(input["input"])
  return Array.from(patch.matchAll(PATCHED), ([, path]) => path!.trim()).slice(0, MAX_PATHS)
}

function searchedPattern(input: JsonObject): string {
  return (
    stringOrEmpty(input["pattern"]) || stringOrEmpty(input["query"]) || stringOrEmpty(input["glob_pattern"])
  )
}

/**
 * True if a tool failed; null if unknown. Claude Code and Cursor have a separate event for it; the others
 * include it in the answer, in several forms.
 */
function hasFailed(it: JsonObject): boolean | null {
  if (/failure$/i.test(stringOrEmpty(it["hook_event_name"]))) return it["is_interrupt"] === true ? null : true
  const response =
    it["tool_response"] ?? it["tool_output"] ?? it["tool_result"] ?? it["output"] ?? it["result_json"]
  return response === undefined || response === null ? null : failedBy(response)
}

const CODES = ["exit_code", "exitCode", "returncode", "code"] as const
const TEXTS = [
  "llmContent",
  "output",
  "stdout",
  "stderr",
  "content",
  "text",
  "text_result_for_llm",
  "error",
] as const

function failedBy(response: Json): boolean | null {
  if (typeof response !== "string") return failedByObject(objectOf(response))
  const parsed = /^\s*[{[]/.test(response) ? parseJsonOrNull(response) : null
  return typeof parsed === "object" && parsed !== null
    ? failedByObject(objectOf(parsed))
    : failedByText(response)
}

function failedByObject(it: JsonObject): boolean | null {
  if (it["interrupted"] === true) return null
  const code = codeIn(it) ?? codeIn(objectOf(it["metadata"]))
  if (code !== null) return code !== 0
  if (it["is_error"] === true || it["isError"] === true || it["success"] === false) return true
  if (typeof it["error"] === "object" && it["error"] !== null) return true
  return failedByText(TEXTS.map((name) => stringOrEmpty(it[name])).join("\n"))
}

function codeIn(it: JsonObject): number | null {
  const name = CODES.find((each) => typeof it[each] === "number")
  return name === undefined ? null : (it[name] as number)
}

/** Codex, Copilot CLI and Gemini CLI put the exit code into the text, on a line of its own before or after the output. */
const EXIT_CODE = /^(?:process exited with code|exit code:?|<exited with exit code)\s*(-?\d+)>?\s*$/im
/**
 * Failure messages of build tools at the end of the output. They are used if the exit code is hidden, as in a pipe,
 * which ends with the code of its last command.
 */
const FAILED =
  /\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|errors?)\b|\btest result: FAILED\b|^FAIL(?:ED)?\b|\bBUILD FAILED\b|\berror\[E\d+\]|\bnpm ERR!|\berror TS\d+:|^make: \*\*\* |^error: could not compile/m
/** Number of characters at the beginning and at the end of an output in which an exit code is looked for. */
const ENDS = 4000

function failedByText(text: string): boolean {
  const code = EXIT_CODE.exec(text.length > 2 * ENDS ? `${text.slice(0, ENDS)}\n${text.slice(-ENDS)}` : text)
  if (code !== null && code[1] !== "0") return true
  return FAILED.test(text.slice(-ENDS))
}

type ToolKind = "file" | "search" | "shell" | "other"

/** A tool call, reduced to what hooks need. */
type ToolCall = {
  readonly kind: ToolKind
  /** Files that it reads or writes, as named by the agent. */
  readonly paths: readonly string[]
  /** Pattern or words that it searches for. */
  readonly pattern: string
  readonly command: string
  /** True if the tool failed; null before it ran, and if unknown. */
  readonly failed: boolean | null
}

export type ToolUse = Pick<ToolCall, "kind" | "paths" | "pattern">

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** The value if it is an object, else an empty object. */
function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

function stringOrEmpty(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

/** The text parsed as JSON; null if it is invalid. */
export function parseJsonOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

const SEARCHERS: ReadonlySet<string> = new Set(["rg", "grep", "egrep", "ag", "ack"])
const READERS: ReadonlySet<string> = new Set(["cat", "head", "tail", "less", "bat", "nl"])
/** Flags of these programs that take a value. */
const WITH_VALUE = /^-{1,2}(?:[ABCmntgTefj]|n|type|glob|include|exclude|max-count|lines|context)$/

/**
 * The files that a shell command reads, or the pattern that it searches for. Needed for agents that read and search
 * by shell commands. Only the first command of the line counts, or the second after a `cd`.
 */
function readByShell(command: string): ToolUse {
  const [first = [], second = []] = command
    .slice(0, 2000)
    .split(/&&|\|\||[;|\n]/)
    .map((part) => (part.match(WORD) ?? []).map(removeQuotes))
  const isElsewhere = first[0] === "cd" && first.length === 2
  return useOf(isElsewhere ? second : first, isElsewhere ? first[1]! : "")
}

function useOf(words: string[], folder: string): ToolUse {
  if (words[0] === "git" && words[1] === "grep") words.shift()
  const [program = "", ...rest] = words
  const operands = operandsOf(rest)
  if (SEARCHERS.has(program)) return { kind: "search", paths: [], pattern: operands[0] ?? "" }
  // `sed -n 1,40p FILE` reads lines of a file, so its first operand is not a file.
  const isSedRange = program === "sed" && rest.includes("-n") && operands.length === 2
  const readFile = READERS.has(program) ? operands[0] : undefined
  const file = isSedRange ? operands[1] : readFile
  return file === undefined
    ? { kind: "shell", paths: [], pattern: "" }
    : { kind: "file", paths: [isAbsolute(file) ? file : join(folder, file)], pattern: "" }
}

const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g

function removeQuotes(word: string): string {
  return /^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word
}

function operandsOf(words: readonly string[]): string[] {
  const found: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (!word.startsWith("-") || word === "-") found.push(word)
    // After -e PATTERN, the next word is the pattern.
    else if (word !== "-e" && word !== "-n" && WITH_VALUE.test(word)) i++
  }
  return found
}
