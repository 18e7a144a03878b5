import { isCalledAman } from "./program.ts"

/** Words of a hook's command, which agents store as one line or as a program with arguments. */
export function wordsOf(handler: unknown): string[] {
  if (typeof handler !== "object" || handler === null) return []
  const { command, args } = handler as { readonly command?: unknown; readonly args?: unknown }
  if (typeof command !== "string") return []
  if (Array.isArray(args)) return [command, ...args.map(String)]
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => {
    return double ?? single ?? bare ?? ""
  })
}

/** True if the hook is ours, whichever aman it starts. */
export function isOurHook(handler: unknown): boolean {
  const [program, verb, , flag] = wordsOf(handler)
  return program !== undefined && isCalledAman(program) && verb === "hook" && flag === "--agent"
}

/** Quotes a word for a shell, if needed. */
export function quoted(word: string, platform: NodeJS.Platform): string {
  if (platform === "win32") return /[\s&()^;,]/.test(word) ? `"${word}"` : word
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return /'/.test(word) && !/["$`\\!]/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}
