import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server"
import { z } from "zod"
import { AmanError, log, messageOf, systemError } from "../../../base/index.ts"

/**
 * Annotations of a tool that changes nothing and reads only local data. The protocol defines the others, such as
 * `destructiveHint`, only for tools that change something.
 */
export const READS_ONLY: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
/** Annotations of a tool that adds to local data; calling it twice with the same arguments changes nothing more. */
export const WRITES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** Annotations of a tool that may remove local data. */
export const MAY_REMOVE: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  openWorldHint: false,
}

type RenderedAnswer = { readonly text: string; readonly structured: object }

/** Result of a tool call; an error becomes a message that a model can act on. */
export async function toolResult(answer: () => Promise<RenderedAnswer>): Promise<CallToolResult> {
  try {
    const { text, structured } = await answer()
    return { content: [{ type: "text", text }], structuredContent: { ...structured } }
  } catch (error) {
    return { content: [{ type: "text", text: failureText(error) }], isError: true }
  }
}

function failureText(thrown: unknown): string {
  const error = systemError(thrown) ?? thrown
  if (error instanceof AmanError)
    return error.hint ? `${error.message}\nhint: ${agentHint(error.hint)}` : error.message
  if (isCancelled(error)) return "cancelled"
  log.error("a tool failed", {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return `aman failed: ${messageOf(error)}`
}

/** True if the error is that of a cancelled call: an AbortError, or the client's reason, which is a string. */
function isCancelled(error: unknown): boolean {
  return !(error instanceof Error) || error.name === "AbortError"
}

type Rule = readonly [command: RegExp, call: (...groups: string[]) => string]

const call = (tool: string, args: object) => `${tool} ${JSON.stringify(args)}`

/** The value of a word of a command: of a JSON string its content, of any other word the word itself. */
function typed(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word
  }
}

/** Patterns for commands in hints, each with the tool call that does the same. */
const RULES: readonly Rule[] = [
  [
    /run: aman index\b(?! --force)/g,
    () => 'the server is indexing: try again shortly, or call manage {"action":"status"}',
  ],
  [/\baman status\b/g, () => call("manage", { action: "status" })],
  [/\baman projects list\b/g, () => call("manage", { action: "projects" })],
  [
    /run: aman repos sync ([^\s;,"]+)/g,
    (repository) => `run: ${call("manage", { tool: "repositories", action: "sync", repository })}`,
  ],
  [/\baman repos sync\b/g, () => call("manage", { tool: "repositories", action: "sync" })],
  [/\baman symbol (\w+)/g, (name) => call("symbol", { name })],
  [
    /\baman symbol --outline ("(?:[^"\\]|\\.)*"|[^\s;,"]+)/g,
    (path) => call("symbol", { relation: "outline", path: typed(path) }),
  ],
  [/\baman search ("(?:[^"\\]|\\.)*")/g, (query) => call("search", { query: typed(query) })],
  [/\baman memory (list|topics|entities|projects)\b/g, (action) => call("manage", { action })],
  [/\baman memory restore ([^\s;,"]+)/g, (id) => call("manage", { action: "restore", ids: [id] })],
  [/\baman memory (?:import) ([^\s;,"]+)/g, (path) => call("manage", { action: "import", path })],
  [
    /\baman memory related ("(?:[^"\\]|\\.)*")/g,
    (entity) => call("manage", { action: "related", entity: typed(entity) }),
  ],
  [
    /\baman memory merge ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")/g,
    (from, into) => call("manage", { action: "merge", from: typed(from), into: typed(into) }),
  ],
  [
    /\baman memory rename ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")/g,
    (topic, to) => call("manage", { action: "rename", topic: typed(topic), to: typed(to) }),
  ],
  [/\bwith --force\b/g, () => "with force: true"],
  [/\bsee aman memory --help for what is read\b/g, () => "give format: jsonl or markdown"],
]

/**
 * Rewrites a hint for an agent: tool calls in place of commands. Commands that only a person can run stay.
 */
export function agentHint(hint: string): string {
  return RULES.reduce(
    (text, [command, render]) =>
      text.replace(command, (_, ...rest: string[]) => render(...rest.slice(0, -2))),
    hint,
  )
}

/** Schema of `partial` in answers. */
export const INDEX_SHARE = z
  .looseObject({
    done: z.number(),
    total: z.number(),
    share: z.number(),
    is_stopped: z.literal(true).optional().describe("No process is adding to it: the notices say why"),
  })
  .nullable()
  .describe("How much is indexed so far; null when complete")
