import {
  ACTIONS,
  type Action,
  type ActionName,
  type KnowledgeCall,
  toCall,
} from "../app/memory/actions/actions.ts"
import { AmanError } from "../base/errors.ts"
import { CALL } from "../verbs/memory.ts"
import type { Input } from "./command.ts"
import { fromFlags } from "./flags/flags.ts"
import { standardInput } from "./flags/standard-input.ts"

/** Converts the command line to a call; throws USAGE, which names the missing or surplus argument. */
export async function memoryCall(
  verb: ActionName,
  words: readonly string[],
  input: Input,
): Promise<KnowledgeCall> {
  const named = await textFromInput(verb, nameWords(verb, words), input)
  const flags = valuesFromFlags(input)
  // Positional words override flags.
  const args = { action: verb, ...flags, ...named, cwd: input.cwd, overwrite: true }
  const { words: takes, flags: flagUsage = "" }: Pick<Action, "words" | "flags"> = ACTIONS[verb]
  return toCall(args, `write: aman memory ${verb} ${inUsage(takes)} ${flagUsage}`.trimEnd())
}

/** Formats the argument names of an action for a usage line: "id text…?" as "ID [TEXT…]". */
export function inUsage(words: string): string {
  return words.toUpperCase().replace(/(\S+)\?/g, "[$1]")
}

/** Assigns words to the names in ACTIONS: "ids…" takes the rest as a list, "text…" joins the rest. */
function nameWords(verb: ActionName, words: readonly string[]): Record<string, unknown> {
  const rest = [...words]
  const names = ACTIONS[verb].words.split(" ").filter((name) => name !== "")
  const named = Object.fromEntries(names.map((name) => [wordName(name), takeWord(name, rest)] as const))
  if (rest.length === 0) return givenValues(named)
  const takes = names.join(" ") || "no words"
  throw new AmanError("USAGE", `${verb} takes ${takes}, but also got ${JSON.stringify(rest[0])}`, {
    hint: "put a text of several words in quotes; see: aman memory --help",
  })
}

function wordName(name: string): string {
  return name.startsWith("on|off") ? "how" : name.replace(/[…?]/g, "")
}

function takeWord(name: string, rest: string[]): unknown {
  if (rest.length === 0) return undefined
  if (name.includes("ids…")) return rest.splice(0)
  if (name.includes("…")) return rest.splice(0).join(" ")
  return name.startsWith("days") ? days(rest.shift()!) : rest.shift()
}

function days(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new AmanError("USAGE", `days must be a whole number, not ${JSON.stringify(text)}`)
}

/** Replaces the text "-" by all of stdin. The action merge-entries always reads its text from stdin. */
async function textFromInput(
  verb: ActionName,
  named: Record<string, unknown>,
  { signal }: Input,
): Promise<Record<string, unknown>> {
  const isPiped = named["text"] === "-" || verb === "merge-entries"
  return isPiped ? { ...named, text: await standardInput(signal) } : named
}

function valuesFromFlags({ flags }: Input): Record<string, unknown> {
  return givenValues(fromFlags(CALL, flags))
}

/** Leaves out absent and empty values, so that they do not override given ones. */
function givenValues(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
