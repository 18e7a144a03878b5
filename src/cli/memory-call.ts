import {
  ACTIONS,
  type Action,
  type ActionName,
  type KnowledgeCall,
  toCall,
} from "../app/memory/actions/actions.ts"
import type { EntryFilter } from "../app/memory/requests.ts"
import { AmanError } from "../base/errors.ts"
import type { Input } from "./command.ts"
import { standardInput } from "./flags/standard-input.ts"
import { listFlag, numberFlag } from "./flags/values.ts"

/** Converts the command line to a call; throws USAGE, which names the missing or surplus argument. */
export async function memoryCall(
  verb: ActionName,
  words: readonly string[],
  input: Input,
  filter: EntryFilter,
): Promise<KnowledgeCall> {
  const named = await textFromInput(verb, nameWords(verb, words), input)
  const flags = valuesFromFlags(input)
  // Positional words override flags.
  const args = { action: verb, ...givenValues(filter), ...flags, ...named, cwd: input.cwd, overwrite: true }
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
  const types = listFlag(flags, "type")
  const aliases = flags.all("alias")
  return givenValues({
    limit: numberFlag(flags, "limit", 1, 100_000),
    offset: numberFlag(flags, "offset", 0, 10_000_000),
    reason: flags.text("reason"),
    successor: flags.text("successor"),
    at: flags.text("at"),
    known_at: flags.text("known-at"),
    deleted: flags.has("deleted") || undefined,
    match: flags.text("match"),
    source: flags.text("source"),
    key: flags.text("key"),
    valid_from: flags.text("valid-from"),
    valid_until: flags.text("valid-until"),
    type: types[0],
    types: types.length > 0 ? types : undefined,
    description: flags.text("description"),
    aliases: aliases.length > 0 ? aliases : undefined,
    kind: listFlag(flags, "kind")[0],
    weight: weightFlag(flags.text("weight")),
    depth: numberFlag(flags, "depth", 1, 5),
    direction: flags.text("direction"),
    around: flags.text("around"),
    days: numberFlag(flags, "days", 0, 100_000),
    hours: numberFlag(flags, "hours", 0, 1_000_000),
    max_tokens: numberFlag(flags, "max-tokens", 100, 1_000_000),
    accept: flags.has("accept") || undefined,
    format: flags.text("format"),
    dry_run: flags.has("dry-run") || undefined,
    skip_bad: flags.has("skip-bad") || undefined,
    with_paths: flags.has("with-paths") || undefined,
    with_deleted: flags.has("with-deleted") || undefined,
    everything: flags.has("everything") || undefined,
    force: flags.has("force") || undefined,
    accept_purges: flags.has("accept-purges") || undefined,
    trust: trustFlag(flags),
    team: flags.text("team"),
    delete_missing: flags.has("delete-missing") || undefined,
  })
}

/** True for --trust, false for --no-trust, undefined without either. */
function trustFlag(flags: Input["flags"]): boolean | undefined {
  if (flags.has("trust")) return true
  return flags.has("no-trust") ? false : undefined
}

function weightFlag(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const weight = Number(text)
  if (weight >= 0 && weight <= 1) return weight
  throw new AmanError("USAGE", `--weight must be between 0 and 1, not ${JSON.stringify(text)}`)
}

/** Leaves out absent and empty values, so that they do not override given ones. `trust` stays if it is false. */
function givenValues(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        value !== undefined &&
        (value !== false || name === "trust") &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}
