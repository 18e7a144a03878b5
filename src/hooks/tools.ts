import { type Json, type JsonObject, objectOf, parsed, textOf } from "./json.ts"
import { hasFailed } from "./outcome.ts"
import { readByShell } from "./shell-use.ts"
import type { ToolCall, ToolKind, ToolUse } from "./tool-call.ts"

/** Names of the agents' own tools, lower case without "_". */
const KINDS: readonly (readonly [ToolKind, string])[] = [
  ["file", "read readfile readmanyfiles viewfile view notebookread"],
  [
    "file",
    "edit multiedit write writefile replace strreplace searchreplace editfile createfile notebookedit",
  ],
  ["file", "applypatch"],
  ["search", "grep glob grepsearch searchfilecontent codebasesearch filesearch findfiles"],
  ["shell", "bash powershell shell localshell runshellcommand execcommand unifiedexec runterminalcmd"],
]
const KIND_OF: ReadonlyMap<string, ToolKind> = new Map(
  KINDS.flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const)),
)

/** Null where the call is not about a tool. */
export function toolCall(it: JsonObject): ToolCall | null {
  const name = textOf(it["tool_name"])
  // Cursor has an event for the shell alone.
  const isShellEvent = name === "" && textOf(it["command"]) !== ""
  if (name === "" && !isShellEvent) return null
  const input = isShellEvent ? it : inputOf(it["tool_input"])
  const kind = isShellEvent ? "shell" : (KIND_OF.get(name.toLowerCase().replaceAll("_", "")) ?? "other")
  const command = commandOf(input)
  const found = used(kind, name, input, command)
  return { ...found, command, failed: hasFailed(it) }
}

function used(kind: ToolKind, name: string, input: JsonObject, command: string): ToolUse {
  switch (kind) {
    case "file":
      return { kind, paths: pathsOf(name, input, command), pattern: "" }
    case "search":
      return { kind, paths: [], pattern: patternOf(input) }
    case "shell":
      return readByShell(command)
    case "other":
      return { kind, paths: [], pattern: "" }
  }
}

/** Some send it as JSON within a text. */
function inputOf(value: Json | undefined): JsonObject {
  return objectOf(typeof value === "string" ? parsed(value) : value)
}

function commandOf({ command, cmd }: JsonObject): string {
  const said = command ?? cmd
  if (!Array.isArray(said)) return textOf(said)
  const words = said.map((part) => textOf(part))
  // What a shell is given to run is the command.
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
const MOST_PATHS = 5
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm

function pathsOf(name: string, input: JsonObject, command: string): string[] {
  const named = PATH_FIELDS.map((field) => textOf(input[field])).find((path) => path !== "")
  if (named !== undefined) return [named]
  const { paths } = input
  if (Array.isArray(paths))
    return paths
      .map((path) => textOf(path))
      .filter(Boolean)
      .slice(0, MOST_PATHS)
  if (!/patch/i.test(name)) return []
  const patch = command || textOf(input["patch"]) || textOf(input["input"])
  return Array.from(patch.matchAll(PATCHED), ([, path]) => path!.trim()).slice(0, MOST_PATHS)
}

function patternOf(input: JsonObject): string {
  return textOf(input["pattern"]) || textOf(input["query"]) || textOf(input["glob_pattern"])
}
