import { type Json, type JsonObject, objectOf, parsed, textOf } from "./json.ts"

/**
 * Whether a tool that ran failed; null where nobody can tell. Claude Code and Cursor have an event of their own for
 * it, Gemini CLI and Codex say it within the answer, in several forms.
 */
export function hasFailed(it: JsonObject): boolean | null {
  if (/failure$/i.test(textOf(it["hook_event_name"]))) return it["is_interrupt"] === true ? null : true
  const response = it["tool_response"] ?? it["tool_output"] ?? it["output"] ?? it["result_json"]
  return response === undefined || response === null ? null : failedBy(response)
}

const CODES = ["exit_code", "exitCode", "returncode", "code"] as const
const TEXTS = ["llmContent", "output", "stdout", "stderr", "content", "text", "error"] as const

function failedBy(response: Json): boolean | null {
  if (typeof response !== "string") return failedByObject(objectOf(response))
  const inner = /^\s*[{[]/.test(response) ? parsed(response) : null
  return typeof inner === "object" && inner !== null
    ? failedByObject(objectOf(inner))
    : failedByText(response)
}

function failedByObject(it: JsonObject): boolean | null {
  if (it["interrupted"] === true) return null
  const code = codeIn(it) ?? codeIn(objectOf(it["metadata"]))
  if (code !== null) return code !== 0
  if (it["is_error"] === true || it["isError"] === true || it["success"] === false) return true
  if (typeof it["error"] === "object" && it["error"] !== null) return true
  return failedByText(TEXTS.map((name) => textOf(it[name])).join("\n"))
}

function codeIn(it: JsonObject): number | null {
  const name = CODES.find((each) => typeof it[each] === "number")
  return name === undefined ? null : (it[name] as number)
}

/** Codex and Gemini CLI put the code into the text, in a line of its own before or after the output. */
const EXIT_CODE = /^(?:process exited with code|exit code:?)\s*(-?\d+)\s*$/im
/** What the tools say themselves, at the end, where nobody else says it: a command behind a pipe ends with 0. */
const FAILED =
  /\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|errors?)\b|\btest result: FAILED\b|^FAIL(?:ED)?\b|\bBUILD FAILED\b|\berror\[E\d+\]|\bnpm ERR!|\berror TS\d+:|^make: \*\*\* |^error: could not compile/m
const ENDS = 4000

function failedByText(text: string): boolean {
  const code = EXIT_CODE.exec(text.length > 2 * ENDS ? `${text.slice(0, ENDS)}\n${text.slice(-ENDS)}` : text)
  if (code !== null && code[1] !== "0") return true
  return FAILED.test(text.slice(-ENDS))
}
