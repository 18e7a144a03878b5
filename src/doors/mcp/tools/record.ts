import type { CallToolResult } from "@modelcontextprotocol/server"
import { loadRecordedCalls, type RecordedCall } from "../../../ask/index.ts"
import { countTokens, findCredentialIn } from "../../../text/index.ts"
import type { HookCall } from "../../hooks/agents/hook-call.ts"
import type { HookSources } from "../../hooks/hook-sources.ts"
import type { Session } from "../session/session.ts"

/** A call that was answered. */
export type AnsweredCall = {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly result: CallToolResult
  readonly tookMs: number
}

/** Records a call if the user has set `ui.record_calls`. */
export async function record(
  session: Pick<Session, "opened">,
  client: string,
  { name, args, result, tookMs }: AnsweredCall,
): Promise<void> {
  const { project } = session.opened
  if (project === null || !project.recordsCalls) return
  const call: RecordedCall = {
    at: new Date().toISOString(),
    client: client.slice(0, MAX_NAME),
    tool: name.slice(0, MAX_NAME),
    root: project.root,
    asked: argumentsText(args, MEMORY_TOOLS.test(name)),
    took_ms: Math.round(tookMs * 10) / 10,
    tokens: result.content.reduce(
      (sum, part) => sum + (part.type === "text" ? countTokens(part.text) : 0),
      0,
    ),
    results: resultCount(result),
    is_error: result.isError === true,
    paths: namedPaths(result),
  }
  const { recordCall } = await loadRecordedCalls()
  recordCall(call)
}

/** Records a hook's call, so that a report can tell what an agent read and searched after an answer. */
export async function recordHook(call: HookCall, sources: HookSources, text: string | null) {
  const { agent, event, tool, cwd } = call
  if (sources.root === null) return
  const { recordCall } = await loadRecordedCalls()
  const paths = (tool?.paths ?? []).flatMap((path) => sources.pathOf(path, cwd) ?? [])
  const asked = argumentsText(tool?.pattern ? { pattern: tool.pattern } : {})
  const about = { at: sources.now.toISOString(), client: agent, tool: `hook ${event}`, root: sources.root }
  const answer = { tokens: countTokens(text ?? ""), results: null, is_error: false }
  const took_ms = Math.round(performance.now())
  recordCall({ ...about, asked, took_ms, ...answer, paths: paths.slice(0, MAX_PATHS) })
}

const MAX_NAME = 100
const MAX_ASKED = 300
/**
 * Arguments that contain texts to be stored, such as the text of a memory. They are not recorded, because the record
 * must not be a second copy of the memory.
 */
const STORED = new Set(["text", "entries", "relations", "metadata", "description"])

/** Tools whose questions and names repeat the memory's words, so that only numbers and actions of them are recorded. */
const MEMORY_TOOLS = /^(?:remember|recall|knowledge|manage)$/

function argumentsText(args: Readonly<Record<string, unknown>>, isOfMemory = false): string {
  const isShown = ([name, value]: [string, unknown]) =>
    !STORED.has(name) && !(isOfMemory && name !== "action" && /string|object/.test(typeof value))
  const shown = Object.fromEntries(Object.entries(args).filter(isShown))
  const text = JSON.stringify(shown)
  if (findCredentialIn(shown) !== null) return "(left out: it may hold a credential)"
  return text.length <= MAX_ASKED ? text : `${text.slice(0, MAX_ASKED - 1).toWellFormed()}…`
}

const LISTS = "results entries files related references outline definitions places".split(" ")

const MAX_PATHS = 20

/** The paths of the files that an answer is about, best first. */
function namedPaths({ structuredContent }: CallToolResult): string[] {
  const answer = { ...(structuredContent as Readonly<Record<string, unknown>> | undefined) }
  const items = [answer, ...LISTS.flatMap((name) => answer[name] ?? [])] as readonly {
    readonly path?: unknown
  }[]
  const paths = items.map((item) => item?.path).filter((path) => typeof path === "string")
  return [...new Set(paths)].slice(0, MAX_PATHS)
}

/** Number of items of the first non-empty list in the answer; null for an answer without lists. */
function resultCount({ structuredContent, isError }: CallToolResult): number | null {
  if (isError === true || typeof structuredContent !== "object" || structuredContent === null) return null
  const answer = structuredContent as Readonly<Record<string, unknown>>
  const lists = LISTS.map((name) => answer[name]).filter((list) => Array.isArray(list))
  return lists.length === 0 ? null : (lists.find(({ length }) => length > 0)?.length ?? 0)
}
