/*
 * Flags: their parser, and the arguments of a verb from them. The flags of a verb come from its fields (src/doors/verbs).
 */

import { existsSync } from "node:fs"
import { posix, relative, resolve, sep } from "node:path"
import { AmanError, LOG_LEVELS, nearest } from "../../base/index.ts"
import { belowRoot, type Project, TEAM_PREFIX, withoutLines, withoutMark } from "../../index/index.ts"
import type { Json } from "../../memory/index.ts"
import { decodeText } from "../../text/index.ts"
import { type ArgumentsOf, type Field, type Fields, type Schema, valuesOf } from "../verbs/fields.ts"
import type { Flag, FlagValues, Input, UsageExample } from "./command.ts"

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
    if (flag.value === undefined) {
      if (joined === undefined) return
      throw new AmanError("USAGE", `${typed} takes no value, but got ${JSON.stringify(joined)}`)
    }
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
    text: (name) => onlyValue(name, values.get(name) ?? []),
    all: (name) => values.get(name) ?? [],
  }
}

function onlyValue(name: string, values: readonly string[]): string | undefined {
  if (values.length < 2) return values[0]
  const given = values.map((value) => JSON.stringify(value)).join(" and ")
  throw new AmanError("USAGE", `--${name} takes one value, but got ${given}`, { hint: "give one of them" })
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

function typedValue(field: Field, { name }: Flag, flags: FlagValues): unknown {
  const { form, one } = formOf(field)
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, enum: choices } = one
  const checked = (values: readonly string[]) => {
    const unknown = choices && values.find((value) => !choices.includes(value))
    if (unknown === undefined) return values
    throw wrongValue(name, `one of ${choices!.join(", ")}`, unknown)
  }
  switch (form.type) {
    case "boolean":
      // --no-tests turns off what is on unless it is given.
      return form.default !== true
    case "integer":
    case "number":
      return numberFlag(flags, name, minimum, maximum, form.type)
    case "object":
      return pairsOf(name, flags.all(name))
    case "array":
      if (one.type === "object") return flags.all(name).map(relationOf)
      return checked(field.hasCommas ? listFlag(flags, name) : flags.all(name))
    default:
      return checked([flags.text(name)!])[0]
  }
}

function wrongValue(name: string, wanted: string, value: string): AmanError {
  return new AmanError("USAGE", `--${name} must be ${wanted}, not ${JSON.stringify(value)}`)
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

/** A number within bounds; undefined if the flag is absent. */
export function numberFlag(
  ...[flags, name, min, max, form = "integer"]: [FlagValues, string, number, number, ("integer" | "number")?]
): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const number = (form === "number" ? /\S/ : /^\d+$/).test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw wrongValue(name, `a ${form === "number" ? "" : "whole "}number from ${min} to ${max}`, text)
}

/** The value of a flag that allows only certain words; undefined if the flag is absent. */
export function choiceFlag<T extends string>(
  flags: FlagValues,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = flags.text(name)
  const choice = choices.find((each) => each === text)
  if (text === undefined || choice !== undefined) return choice
  throw wrongValue(name, `one of ${choices.join(", ")}`, text)
}

/** Values of a flag that may be repeated or contain several, separated by commas. */
export function listFlag(flags: FlagValues, name: string): string[] {
  return flags
    .all(name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "")
}

/** Flags of every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "root", value: "DIR", help: "Root of the project (default: found from the working directory)" },
  { name: "json", help: 'Print JSON; errors as {"error":{"code","message","hint"}}' },
  { name: "quiet", short: "q", help: "Print only the result" },
  { name: "verbose", help: "Log to stderr, and show stack traces of errors" },
  {
    name: "log-level",
    value: "LEVEL",
    choices: LOG_LEVELS,
    help: "silent, error, warn, info or debug (default: warn)",
  },
  { name: "help", short: "h", help: "Show this help" },
]

/**
 * The arguments with the command first: flags of every command may stand before it, so `aman --root DIR search` is
 * `aman search --root DIR`.
 */
export function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0
  while (argv[at]?.startsWith("--")) {
    const [typed] = argv[at]!.slice(2).split("=", 1)
    const flag = COMMON_FLAGS.find(({ name }) => name === typed && name !== "help")
    if (flag === undefined) break
    at += flag.value === undefined || argv[at]!.includes("=") ? 1 : 2
  }
  return at >= argv.length ? argv : [argv[at]!, ...argv.slice(0, at), ...argv.slice(at + 1)]
}

/** Returns the chosen subcommand and its words, after checking their number. */
export function subcommand<Name extends string>(
  { words }: Input,
  /** Number of words that each subcommand takes. */
  parts: Readonly<Record<Name, number | "any">>,
  /** Default if no subcommand is given. */
  usual: NoInfer<Name>,
  examples: readonly UsageExample[],
): { readonly name: Name; readonly words: readonly string[] } {
  const names = Object.keys(parts) as Name[]
  const [typed, ...rest] = words.length === 0 ? [usual] : words
  const name = names.find((each) => each === typed)
  if (name === undefined) {
    const meant = nearest(typed!, names)
    throw new AmanError("USAGE", `unknown word ${JSON.stringify(typed)}`, {
      hint: meant ? `did you mean ${meant}?` : `one of ${names.join(", ")}`,
    })
  }
  const wanted = parts[name]
  if (wanted !== "any" && rest.length !== wanted) {
    const example = examples.find(({ line }) => line.split(" ")[2] === name)?.line
    throw new AmanError("USAGE", `${name} takes ${wordCount(wanted)}, but got ${rest.length}`, {
      hint: example === undefined ? "see --help" : `for example: ${example}`,
    })
  }
  return { name, words: rest }
}

function wordCount(count: number): string {
  if (count === 0) return "no words"
  return count === 1 ? "one word" : `${count} words`
}

/** Throws if a command without arguments got a word, which probably was meant as a folder. */
export function refuseArguments({ words }: Input, name: string): void {
  if (words.length === 0) return
  throw new AmanError("USAGE", `${name} takes no arguments, but got ${JSON.stringify(words[0])}`, {
    hint: `if this is the project's folder: aman ${name} --root ${words[0]}`,
  })
}

/**
 * The value of --repository, or "team:NAME" for --team NAME; undefined if the command is about this project. Throws
 * USAGE if both are given.
 */
export function otherRepository({ flags }: Pick<Input, "flags">): string | undefined {
  const [repository, team] = [flags.text("repository"), flags.text("team")]
  if (repository !== undefined && team !== undefined) {
    throw new AmanError("USAGE", "--team and --repository are two places to look in", {
      hint: "give one of them",
    })
  }
  return team === undefined ? repository : `${TEAM_PREFIX}${team}`
}

/**
 * Converts typed paths, which are relative to the working directory, to paths relative to the root. If none is typed,
 * returns the working directory. With --root and a working directory outside of that root, typed paths are relative
 * to the root.
 */
export function inProject({ root, folder }: Project, typed: readonly string[]): string[] {
  if (typed.length === 0) return folder === "" ? [] : [folder]
  return typed.map(
    (path) => belowRoot(root, path) ?? relative(root, resolve(root, folder, path)).replaceAll(sep, "/"),
  )
}

/**
 * Converts typed filters to paths relative to the root. Filters that begin with . or .., and those whose folder or
 * file exists in the working directory, are relative to the working directory; others, such as paths that aman
 * printed, are relative to the root already.
 */
export function asFilters({ root, folder }: Project, typed: readonly string[]): string[] {
  const isHere = (path: string) =>
    /^\.{1,2}(?:[\\/]|$)/.test(path) ||
    (folder !== "" && existsHere(resolve(root, folder), withoutLines(path).path))
  const fromRoot = (path: string) =>
    isHere(path) ? relative(root, resolve(root, folder, path)).replaceAll(sep, "/") : path
  return typed.map((path) => withoutMark(path, fromRoot))
}

/** True if the path exists in the folder `here`. Of a glob, the folder before its first wildcard must exist. */
function existsHere(here: string, path: string): boolean {
  const fixed = path.split(/[*?[{]/)[0]!
  const place = fixed === path ? path : fixed.slice(0, fixed.lastIndexOf("/") + 1)
  return place !== "" && existsSync(resolve(here, place))
}

/** Converts a path relative to the root to a path relative to the working directory. */
export function fromFolder({ folder }: Project, path: string): string {
  return folder === "" ? path : posix.relative(folder, path)
}

const MAX_BYTES = 256 * 1024 * 1024

/** All of stdin as text, in any encoding; can be aborted while it waits for input. */
export async function standardInput(signal: AbortSignal): Promise<string> {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
  const bytes = await Promise.race([allBytes(), ended])
  return decodeText(bytes)?.text ?? new TextDecoder().decode(bytes)
}

async function allBytes(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MAX_BYTES) {
      throw new AmanError("USAGE", "stdin is larger than 256 MiB", { hint: "search it in parts" })
    }
  }
  return Buffer.concat(chunks)
}
