/*
 * Parses command lines with the library cac. Arguments are first rewritten (`spellOut`): short flags become long
 * ones, every value gets a prefix that keeps the parser from changing it, and unknown flags are replaced by one
 * internal flag. After parsing the prefixes are removed.
 */

import { cac } from "cac"
import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import type { Flag, FlagValues } from "../command.ts"

export type Parsed = { readonly words: readonly string[]; readonly flags: FlagValues }

/** Splits arguments into flags and words; everything after "--" is a word. */
export function parseFlags(
  argv: readonly string[],
  flags: readonly Flag[],
  refusals: Readonly<Record<string, string>> = {},
): Parsed {
  const parser = cac("aman")
  for (const flag of flags) parser.option(declaration(flag), flag.help, { type: [String] })
  // The parser uses its own names: memory-limit becomes memoryLimit.
  const spellings = parser.globalCommand.options.map(({ name }, index) => ({
    flag: flags[index]!,
    spelling: name,
  }))
  const { args, options } = parser.parse(["", "aman", ...spellOut(argv, spellings)], { run: false })
  const given = new Map<string, readonly string[]>()
  for (const { flag, spelling } of spellings) {
    const values: readonly string[] | undefined = options[spelling]
    if (values)
      given.set(flag.name, flag.value === undefined ? [] : values.map((text) => requiredValue(flag, text)))
  }
  const [unknown]: string[] = [options[UNKNOWN] ?? []].flat()
  if (unknown !== undefined) throw unknownFlag(removeMark(unknown) ?? "", flags, refusals)
  return {
    words: [...args.map((word) => removeMark(word) ?? word), ...options["--"]],
    flags: flagValues(given),
  }
}

/**
 * Declaration of a flag for the parser. The parser would treat --no-x as the negation of --x, so a flag with such a
 * name gets another one here.
 */
function declaration({ name, value }: Flag): string {
  const spelling = name.replace(/^no-/, "not-")
  return value === undefined ? `--${spelling}` : `--${spelling} <${value}>`
}

function requiredValue(flag: Flag, text: string): string {
  const typed = removeMark(text)
  if (typed) return typed
  throw new AmanError("USAGE", `--${flag.name} needs a value`, {
    hint: `write: --${flag.name} ${flag.value}`,
  })
}

function unknownFlag(
  typed: string,
  flags: readonly Flag[],
  refusals: Readonly<Record<string, string>>,
): AmanError {
  const refused = refusals[typed] ?? refusals[typed.slice(0, 2)]
  if (refused !== undefined) return new AmanError("USAGE", `no flag ${typed} here`, { hint: refused })
  // An argument with a blank is not a flag but quoted text that begins with a dash; it must follow "--".
  if (/\s/.test(typed)) {
    return new AmanError("USAGE", `text that starts with a dash is read as a flag: ${typed}`, {
      hint: `put -- before it: -- ${JSON.stringify(typed)}`,
    })
  }
  const bare = typed.replace(/^-+/, "")
  const names = flags.map(({ name }) => name)
  const meant = nearest(bare, names) ?? names.find((name) => name.split("-").includes(bare))
  const hint = meant ? `did you mean --${meant}?` : "see --help; put -- before words that start with a dash"
  return new AmanError("USAGE", `unknown flag ${typed}`, { hint })
}

function flagValues(values: ReadonlyMap<string, readonly string[]>): FlagValues {
  return {
    has: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name) ?? [],
  }
}

/** A flag, and its name in the parser. */
type Spelling = { readonly flag: Flag; readonly spelling: string }

/** Internal flag that replaces each unknown flag; its value is the typed argument. */
const UNKNOWN = "?"

// Prefix put before every value, because the parser changes some values: it reads 007 as a number, - as a flag and
// --no-x as a negation, loses the order of -n and --limit, and turns the value in --json=yes into a word. It leaves
// values with this prefix alone.
const MARK = "="

/** Rewrites arguments unambiguously for the parser; those after "--" stay as they are. */
function spellOut(argv: readonly string[], spellings: readonly Spelling[]): string[] {
  const end = argv.indexOf("--")
  const before = end < 0 ? argv : argv.slice(0, end)
  const written = before.flatMap((typed, at) =>
    isValue(typed, before[at - 1], spellings) ? [MARK + typed] : spellOutFlag(typed, spellings),
  )
  return [...written, ...(end < 0 ? [] : argv.slice(end))]
}

// Negative numbers are values, not flags; the command checks them.
const NEGATIVE = /^-\d/

/** True if an argument that may look like a flag is the value of the flag before it. */
function isValue(typed: string, previous: string | undefined, spellings: readonly Spelling[]): boolean {
  if (!typed.startsWith("-") || !previous?.startsWith("-")) return false
  const last = spellOutFlag(previous, spellings).at(-1)
  const flag = spellings.find(({ spelling }) => last === `--${spelling}`)?.flag
  return flag?.value !== undefined && (flag.takesDash === true || NEGATIVE.test(typed))
}

/** Removes the mark from a parsed word or value; undefined if a flag got no value. */
function removeMark(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined
}

function spellOutFlag(typed: string, spellings: readonly Spelling[]): string[] {
  if (!typed.startsWith("-") || typed === "-") return [MARK + typed]
  if (!typed.startsWith("--")) return spellOutShortFlags(typed, spellings)
  const equals = typed.indexOf("=")
  const name = typed.slice(2, equals < 0 ? undefined : equals)
  const match = spellings.find(({ flag }) => flag.name === name)
  if (!match) return [markUnknown(`--${name}`)]
  return [longFlag(match, `--${name}`, equals < 0 ? undefined : typed.slice(equals + 1))]
}

/** Short flags: -q, several as -qh, and a value joined to the last one: -n5 or -n=5. */
function spellOutShortFlags(typed: string, spellings: readonly Spelling[]): string[] {
  const written: string[] = []
  for (let at = 1; at < typed.length; at++) {
    const name = `-${typed[at]}`
    const match = spellings.find(({ flag }) => flag.short === typed[at])
    // -json is reported as one unknown flag, and so is an argument with a blank.
    if (!match) return [...written, markUnknown(at === 1 || /\s/.test(typed) ? typed : name)]
    const rest = typed.slice(at + 1)
    if (match.flag.notJoined?.test(rest)) continue
    const takesRest = rest.startsWith("=") || (rest !== "" && match.flag.value !== undefined)
    written.push(longFlag(match, name, takesRest ? rest.replace(/^=/, "") : undefined))
    if (takesRest) break
  }
  return written
}

function longFlag({ flag, spelling }: Spelling, typed: string, value: string | undefined): string {
  if (value === undefined) return `--${spelling}`
  if (flag.value !== undefined) return `--${spelling}=${MARK}${value}`
  throw new AmanError("USAGE", `${typed} takes no value, but got ${JSON.stringify(value)}`)
}

function markUnknown(typed: string): string {
  return `--${UNKNOWN}=${MARK}${typed}`
}
