import type { Definition } from "./definition.ts"
import { type Edge, kindOf } from "./edge.ts"
import { isCallable, isType } from "./kinds.ts"

/** Ruby and its kin call without brackets. */
export function isCalled({ kind, file }: Edge, { symbol }: Definition): boolean {
  if (kind === "call") return isCallable(symbol) || isType(symbol)
  return kind === "mention" && isCallable(symbol) && BARE_CALLS.has(file.family)
}

/** Whether a use in a file of this family may be a call at all. */
export function mayCall(flags: number, family: string): boolean {
  const kind = kindOf(flags)
  return kind === "call" || (kind === "mention" && BARE_CALLS.has(family))
}

const BARE_CALLS: ReadonlySet<string> = new Set([
  "ruby",
  "elixir",
  "lua",
  "bash",
  "julia",
  "haskell",
  "ocaml",
])
