/*
 * Flags: their parser, and the arguments of a verb from them. The flags of a verb come from its fields (src/verbs).
 */

import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import type { Json } from "../../memory/entries/entry.ts"
import { type ArgumentsOf, type Field, type Fields, type Schema, valuesOf } from "../../verbs/fields.ts"
import type { Flag, FlagValues } from "../command.ts"

export type Parsed = { readonly words: readonly string[]; readonly flags: FlagValues }

/** Splits arguments into flags and words; everything after "--" is a word. */
export function parseFlags(
  argv: readonly string[],
  flags: readonly Flag[],
  refusals: Readonly<Record<string, string>> = {},
): Parsed {
  const words: string[] = []
  const given = new Map<string, string[]>()
  let at = 0
  /** Notes a flag with the value that is joined to it, or else with the next argument. */
  const take = (flag: Flag, typed: string, joined?: string) => {
    const values = given.get(flag.name) ?? []
    given.set(flag.name, values)
    if (flag.value === undefined) return refuseValue(typed, joined)
    const value = joined ?? (isValue(argv[at + 1], flag) ? argv[++at] : undefined)
    if (!value) {
      const hint = `write: --${flag.name} ${flag.value}`
      throw new AmanError("USAGE", `--${flag.name} needs a value`, { hint })
    }
    values.push(value)
  }
  for (; at < argv.length && argv[at] !== "--"; at++) {
    const typed = argv[at]!
    if (!typed.startsWith("-") || typed === "-") words.push(typed)
    else
      for (const { flag, spelling, joined } of flagsIn(typed, flags, refusals)) take(flag, spelling, joined)
  }
  return { words: [...words, ...argv.slice(at + 1)], flags: flagValues(given) }
}

function refuseValue(typed: string, joined: string | undefined): void {
  if (joined === undefined) return
  throw new AmanError("USAGE", `${typed} takes no value, but got ${JSON.stringify(joined)}`)
}

type TypedFlag = { readonly flag: Flag; readonly spelling: string; readonly joined?: string }

/** The flags of an argument: --limit or --limit=5; of short ones -q, several as -qh, and -n5 or -n=5 with a value. */
function flagsIn(
  typed: string,
  flags: readonly Flag[],
  refusals: Readonly<Record<string, string>>,
): readonly TypedFlag[] {
  if (!typed.startsWith("--")) return shortFlags(typed, flags, refusals)
  const [spelling = ""] = typed.split("=", 1)
  const flag = flags.find(({ name }) => `--${name}` === spelling)
  if (flag === undefined) throw unknownFlag(spelling, flags, refusals)
  return [{ flag, spelling, ...(typed !== spelling && { joined: typed.slice(spelling.length + 1) }) }]
}

function shortFlags(
  typed: string,
  flags: readonly Flag[],
  refusals: Readonly<Record<string, string>>,
): readonly TypedFlag[] {
  const found: TypedFlag[] = []
  for (let at = 1; at < typed.length; at++) {
    const spelling = `-${typed[at]}`
    const flag = flags.find(({ short }) => short === typed[at])
    // -json is reported as one unknown flag, and so is an argument with a blank.
    if (flag === undefined)
      throw unknownFlag(at === 1 || /\s/.test(typed) ? typed : spelling, flags, refusals)
    const rest = typed.slice(at + 1)
    if (flag.notJoined?.test(rest)) continue
    const takesRest = rest.startsWith("=") || (rest !== "" && flag.value !== undefined)
    found.push({ flag, spelling, ...(takesRest && { joined: rest.replace(/^=/, "") }) })
    if (takesRest) break
  }
  return found
}

/** True if the argument after a flag is its value; negative numbers are values, which the command checks. */
function isValue(next: string | undefined, { takesDash }: Flag): boolean {
  if (next === undefined || next === "--") return false
  return !next.startsWith("-") || next === "-" || takesDash === true || /^-\d/.test(next)
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

/** The flags of a verb, by its fields; a flag that two fields read is listed once. */
export function flagsOf(fields: Fields): readonly Flag[] {
  const all = Object.values(fields).flatMap((field) => flagOf(field) ?? [])
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at)
}

/** The flag of a field; null if it has none. */
function flagOf(field: Field): Flag | null {
  const { flag = "", help, text = "", verbs } = field
  const [, short, name, value, more] = /^(?:-(\w), )?--([\w-]+)(?: (.+?))?(\.\.\.)?$/.exec(flag) ?? []
  if (name === undefined) return null
  const { enum: choices } = formOf(field).one
  return {
    ...{ name, ...(short && { short }), ...(value && { value }), ...(more && { multiple: true }) },
    ...(choices && { choices }),
    ...{ help: help ?? text, ...(verbs && { verbs }) },
  }
}

/** The form of a field's value for people, and of one value in a list. */
function formOf({ schema, person }: Field): { readonly form: Schema; readonly one: Schema } {
  const whole: Schema = { ...schema, ...person }
  const form = whole.anyOf?.find(({ type }) => type === "array") ?? whole
  return { form, one: form.items ?? form }
}

/** The arguments of a verb from its flags, and from `words` those that have no flag. Throws USAGE. */
export function fromFlags<F extends Fields>(
  fields: F,
  flags: FlagValues,
  words: Readonly<Record<string, unknown>> = {},
): ArgumentsOf<F> {
  const given = Object.entries(fields).flatMap(([name, field]) => {
    const flag = flagOf(field)
    return flag === null || !flags.has(flag.name) ? [] : [[name, typedValue(field, flag, flags)]]
  })
  return valuesOf(fields, { ...Object.fromEntries(given), ...words }, "person")
}

function typedValue(field: Field, { name, multiple }: Flag, flags: FlagValues): unknown {
  const { form, one } = formOf(field)
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, enum: choices } = one
  const checked = (values: readonly string[]) => {
    const unknown = choices && values.find((value) => !choices.includes(value))
    if (unknown === undefined) return values
    const wanted = `--${name} must be one of ${choices!.join(", ")}`
    throw new AmanError("USAGE", `${wanted}, not ${JSON.stringify(unknown)}`)
  }
  switch (form.type) {
    case "boolean":
      // --no-tests turns off what is on unless it is given.
      return form.default !== true
    case "integer":
      return numberFlag(flags, name, minimum, maximum)
    case "number":
      return shareFlag(name, flags.text(name)!, minimum, maximum)
    case "object":
      return pairsOf(name, flags.all(name))
    case "array":
      if (one.type === "object") return flags.all(name).map(relationOf)
      return checked(field.hasCommas ? listFlag(flags, name) : flags.all(name))
    default:
      return checked(multiple ? listFlag(flags, name) : [flags.text(name)!])[0]
  }
}

function shareFlag(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() !== "" && value >= min && value <= max) return value
  throw new AmanError("USAGE", `--${name} must be between ${min} and ${max}, not ${JSON.stringify(text)}`)
}

/** The pairs of a flag KEY=VALUE. A value is read as JSON if possible, otherwise it is text. */
function pairsOf(name: string, pairs: readonly string[]): { readonly [key: string]: Json } {
  const read = (text: string): Json => {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at > 0) return [pair.slice(0, at), read(pair.slice(at + 1))]
      throw new AmanError("USAGE", `--${name} takes KEY=VALUE, not ${JSON.stringify(pair)}`)
    }),
  )
}

function relationOf(text: string): object {
  const [from, type, to, ...rest] = text.split(">").map((part) => part.trim())
  if (from && type && to && rest.length === 0) return { from, type, to }
  throw new AmanError("USAGE", `--relation needs two names and their relation, not ${JSON.stringify(text)}`, {
    hint: "for example: --relation 'shop > depends on > redis'",
  })
}

/** A whole number within bounds; undefined if the flag is absent. */
export function numberFlag(flags: FlagValues, name: string, min: number, max: number): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= min && number <= max)) {
    throw new AmanError(
      "USAGE",
      `--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`,
    )
  }
  return number
}

/** The value of a flag that allows only certain words; undefined if the flag is absent. */
export function choiceFlag<T extends string>(
  flags: FlagValues,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const choice = choices.find((each) => each === text)
  if (choice === undefined) {
    throw new AmanError(
      "USAGE",
      `--${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`,
    )
  }
  return choice
}

/** Values of a flag that may be repeated or contain several, separated by commas. */
export function listFlag(flags: FlagValues, name: string): string[] {
  return flags
    .all(name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "")
}
