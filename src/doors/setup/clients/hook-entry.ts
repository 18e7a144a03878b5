import type { HookChange } from "../planned-change.ts"
import { DIALECTS, type HookDialect } from "./hook-dialects.ts"
import { isCalledAman } from "./program.ts"

export type HookEntry = {
  /** The agent's name of the event. */
  readonly name: string
  /** The value to add to the list of the event: a group with one handler, or the handler itself. */
  readonly value: object
  readonly handler: Handler
}

export type Handler =
  | { readonly command: string; readonly args?: readonly string[] }
  | { readonly exec: string; readonly args: readonly string[] }

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
 * Handler as one line for a shell. On Windows, Claude Code may use any of three shells, and Copilot CLI uses PowerShell,
 * which does not start a quoted path, so both get separate words there.
 */
function handlerOf(dialect: HookDialect, words: readonly string[], platform: NodeJS.Platform): Handler {
  const [command, ...args] = words
  if (dialect === "claude-code" && platform === "win32") return { command: command!, args }
  if (dialect === "copilot-cli" && platform === "win32") return { exec: command!, args }
  return { command: words.map((word) => quoteForCommand(word, platform)).join(" ") }
}

/** Words of a hook's command, which agents store as one line or as a program with arguments. */
export function commandWords(handler: unknown): string[] {
  if (typeof handler !== "object" || handler === null) return []
  const {
    command: line,
    exec,
    args,
  } = handler as {
    readonly [Key in "command" | "exec" | "args"]?: unknown
  }
  const command = line ?? exec
  if (typeof command !== "string") return []
  if (Array.isArray(args)) return [command, ...args.map(String)]
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => {
    return double ?? single ?? bare ?? ""
  })
}

/** True if the hook is ours, whichever aman it starts. */
export function isOurHook(handler: unknown): boolean {
  const [program, verb, , flag] = commandWords(handler)
  return program !== undefined && isCalledAman(program) && verb === "hook" && flag === "--agent"
}

/** Quotes a word for a shell, if needed. */
export function quoteForCommand(word: string, platform: NodeJS.Platform): string {
  if (platform === "win32") return /[\s&()^;,]/.test(word) ? `"${word}"` : word
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return /'/.test(word) && !/["$`\\!]/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}
