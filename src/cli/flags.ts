import { cac } from "cac"
import { AmanError } from "../base/errors.ts"
import { LOG_LEVELS } from "../base/log.ts"
import { nearest } from "../base/nearest.ts"
import type { Flag, FlagValues } from "./command.ts"
import { spellOut, UNKNOWN, unmarked } from "./spelling.ts"

/** Taken by every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "root", value: "DIR", help: "The project (default: found from the working directory)" },
  { name: "json", help: 'Print JSON; an error is then {"error":{"code","message","hint"}}' },
  { name: "quiet", short: "q", help: "Print nothing but the result" },
  { name: "verbose", help: "Log what happens to stderr, and show the stack of an error" },
  {
    name: "log-level",
    value: "LEVEL",
    choices: LOG_LEVELS,
    help: "silent, error, warn, info or debug (default: warn)",
  },
  { name: "help", short: "h", help: "Show this help" },
]

export type Parsed = { readonly words: readonly string[]; readonly flags: FlagValues }

/** Splits what was typed into flags and words; everything after "--" is a word. */
export function parseFlags(argv: readonly string[], flags: readonly Flag[]): Parsed {
  const parser = cac("aman")
  for (const flag of flags) parser.option(declaration(flag), flag.help, { type: [String] })
  // The parser makes names of its own: it knows memory-limit as memoryLimit.
  const spellings = parser.globalCommand.options.map(({ name }, index) => ({
    flag: flags[index]!,
    spelling: name,
  }))
  const { args, options } = parser.parse(["", "aman", ...spellOut(argv, spellings)], { run: false })
  const given = new Map<string, readonly string[]>()
  for (const { flag, spelling } of spellings) {
    const values: readonly string[] | undefined = options[spelling]
    if (values) given.set(flag.name, flag.value === undefined ? [] : values.map((text) => value(flag, text)))
  }
  const [unknown]: string[] = [options[UNKNOWN] ?? []].flat()
  if (unknown !== undefined) throw unknownFlag(unmarked(unknown) ?? "", flags)
  return {
    words: [...args.map((word) => unmarked(word) ?? word), ...options["--"]],
    flags: flagValues(given),
  }
}

/** The parser takes --no-x for the contrary of --x, so such a flag is called something else there. */
function declaration({ name, value }: Flag): string {
  const spelling = name.replace(/^no-/, "not-")
  return value === undefined ? `--${spelling}` : `--${spelling} <${value}>`
}

function value(flag: Flag, text: string): string {
  const typed = unmarked(text)
  if (typed) return typed
  throw new AmanError("USAGE", `--${flag.name} needs a value`, {
    hint: `write: --${flag.name} ${flag.value}`,
  })
}

function unknownFlag(typed: string, flags: readonly Flag[]): AmanError {
  // No flag is called so: what came in quotation marks is text, and text goes after "--".
  if (/\s/.test(typed)) {
    return new AmanError("USAGE", `a text that begins with a dash is taken for a flag: ${typed}`, {
      hint: `put -- before it: -- ${JSON.stringify(typed)}`,
    })
  }
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
