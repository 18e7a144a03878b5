import { parseArgs } from "node:util"
import { AmanError } from "../base/errors.ts"
import type { Flag, FlagValues } from "./command.ts"
import { nearest } from "./nearest.ts"

/** Taken by every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "root", value: "DIR", help: "The project (default: found from the working directory)" },
  { name: "json", help: 'Print JSON; an error is then {"error":{"code","message","hint"}}' },
  { name: "quiet", short: "q", help: "Print nothing but the result" },
  { name: "verbose", help: "Log what happens to stderr, and show the stack of an error" },
  { name: "help", short: "h", help: "Show this help" },
]

export type Parsed = { readonly words: readonly string[]; readonly flags: FlagValues }

/** Splits what was typed into flags and words; everything after "--" is a word. */
export function parseFlags(argv: readonly string[], flags: readonly Flag[]): Parsed {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(flags.map((flag) => [flag.name, parserOption(flag)])),
    strict: false,
    tokens: true,
  })
  const words: string[] = []
  const values = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value)
    if (token.kind !== "option") continue
    const flag = flags.find(({ name }) => name === token.name)
    if (!flag) throw unknownFlag(token.rawName, flags)
    values.set(flag.name, [...(values.get(flag.name) ?? []), checkedValue(flag, token)])
  }
  return { words, flags: flagValues(values) }
}

function parserOption(flag: Flag) {
  return {
    type: flag.value === undefined ? ("boolean" as const) : ("string" as const),
    ...(flag.short === undefined ? {} : { short: flag.short }),
  }
}

type Typed = {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function checkedValue(flag: Flag, { rawName: typed, value, inlineValue }: Typed): string {
  if (flag.value === undefined && value !== undefined) {
    throw new AmanError("USAGE", `${typed} takes no value, but was given ${JSON.stringify(value)}`)
  }
  // "--lang --json" lacks a value; one that does begin with a dash is written --lang=-x.
  const isFlagLike = !inlineValue && value?.startsWith("-") && value !== "-"
  if (flag.value !== undefined && (!value || isFlagLike)) {
    throw new AmanError("USAGE", `${typed} needs a value`, { hint: `write: --${flag.name} ${flag.value}` })
  }
  return value ?? ""
}

function unknownFlag(typed: string, flags: readonly Flag[]): AmanError {
  const bare = typed.replace(/^-+/, "")
  const meant = nearest(
    bare,
    flags.map(({ name }) => name),
  )
  const hint = meant ? `did you mean --${meant}?` : "see --help; words that begin with a dash go after --"
  return new AmanError("USAGE", `unknown flag ${typed}`, { hint })
}

function flagValues(values: ReadonlyMap<string, readonly string[]>): FlagValues {
  return {
    has: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name) ?? [],
  }
}
