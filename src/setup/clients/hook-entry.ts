import type { HookChange } from "../planned-change.ts"
import { DIALECTS, type HookDialect } from "./hook-dialects.ts"
import { quoted } from "./invocation.ts"

export type HookEntry = {
  /** The agent's name of the event. */
  readonly name: string
  /** The value to add to the list of the event: a group with one handler, or the handler itself. */
  readonly value: object
  readonly handler: Handler
}

type Handler = { readonly command: string; readonly args?: readonly string[] }

/** Entries for all events of the agent. */
export function hookEntries({ dialect, program, platform }: HookChange): HookEntry[] {
  const { events, timeout, isGrouped } = DIALECTS[dialect]
  return events.map(({ name, event, matcher }) => {
    const handler = handlerOf(dialect, [program.command, "hook", event, "--agent", dialect], platform)
    const matching = matcher === undefined ? {} : { matcher }
    const typed = { type: "command", ...handler, timeout }
    const value = isGrouped ? { ...matching, hooks: [typed] } : { ...handler, ...matching, timeout }
    return { name, value, handler }
  })
}

/**
 * Handler as one line for a shell. On Windows, Claude Code may use any of three shells, so it gets separate
 * words there.
 */
function handlerOf(dialect: HookDialect, words: readonly string[], platform: NodeJS.Platform): Handler {
  const [command, ...args] = words
  if (dialect === "claude-code" && platform === "win32") return { command: command!, args }
  return { command: words.map((word) => quoted(word, platform)).join(" ") }
}
