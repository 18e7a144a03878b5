/*
 * Reads the arguments of a call as models send them. Guessed names are replaced by the tool's own, and values get the
 * type that the schema names: many clients send numbers, booleans, lists and objects as strings, and fill unused fields
 * with empty strings or null. Anything else that does not fit the schema is explained (`explainMistakes`).
 */

import type { z } from "zod"

/** The part of JSON Schema that is read here. */
export type Schema = {
  readonly [word: string]: unknown
  readonly type?: string | undefined
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type Arguments = Readonly<Record<string, unknown>>

/**
 * The arguments of a call with the names and types of the schema. Empty strings and null count as absent. Arguments with
 * unknown names stay, so that the answer can name them.
 */
export function readArguments(given: Arguments, schema: Schema): Arguments {
  return withTypes(schema, withNames(given, Object.keys(schema.properties ?? {})))
}

/** The object that a value is or, as a string of JSON, contains; {} for null and "". Any other value stays. */
export function objectIn(value: unknown): unknown {
  if (value === null || value === "") return {}
  return typeof value === "string" ? (jsonIn(value, "{") ?? value) : value
}

/**
 * Names that agents guess for an argument, in the order in which they are tried. A guessed name is replaced only if the
 * tool has no argument of that name and the call does not have the argument that is meant.
 */
const GUESSES: readonly (readonly [argument: string, guesses: readonly string[]])[] = [
  ["query", ["q", "text", "task", "question", "search", "search_query", "keywords", "pattern", "prompt"]],
  ["names", ["identifiers", "symbols", "keywords", "terms", "guesses"]],
  ["name", ["symbol", "symbol_name", "identifier", "query", "q"]],
  ["what", ["path", "symbol", "name", "file", "file_path", "target", "query"]],
  ["text", ["content", "note", "fact", "memory", "message"]],
  ["path", ["file", "file_path", "filepath", "filename", "folder", "directory", "dir", "paths", "glob"]],
  ["source", ["file", "path", "location"]],
  ["limit", ["max_results", "num_results", "top_k", "k", "n", "count", "max"]],
  ["max_tokens", ["tokens", "token_budget", "budget"]],
  ["start_line", ["start", "line", "from", "offset"]],
  ["end_line", ["end", "to"]],
  ["language", ["lang", "languages"]],
  ["relation", ["action", "type"]],
  ["repository", ["repo"]],
  ["tags", ["tag"]],
  ["action", ["command", "operation"]],
]

/** The arguments with guessed names replaced by the tool's own names. */
function withNames(given: Arguments, names: readonly string[]): Arguments {
  const known = new Set(names)
  const present = Object.entries(given).filter(([, value]) => !isAbsent(value))
  const taken = new Set(present.flatMap(([name]) => (known.has(name) ? [name] : [])))
  const entries: [string, unknown][] = []
  for (const [name, value] of present) {
    const argument = known.has(name) ? name : argumentFor(snakeCase(name), known, taken)
    taken.add(argument ?? name)
    entries.push([argument ?? name, value])
  }
  // Object.fromEntries defines properties, so a key named __proto__ stays an unknown argument.
  return Object.fromEntries(entries)
}

function argumentFor(name: string, known: ReadonlySet<string>, taken: ReadonlySet<string>): string | null {
  const isFree = (argument: string) => known.has(argument) && !taken.has(argument)
  if (isFree(name)) return name
  return GUESSES.find(([argument, guesses]) => isFree(argument) && guesses.includes(name))?.[0] ?? null
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "")
}

/** The object with the types of its schema; without what is absent. Names that the schema does not have stay. */
function withTypes({ properties = {} }: Schema, given: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      const read = schema === undefined || isAbsent(value) ? value : withType(schema, value)
      return schema !== undefined && isAbsent(read) ? [] : [[name, read]]
    }),
  )
}

/** The value as the schema wants it; unchanged if it cannot be read as that. */
function withType(schema: Schema, value: unknown): unknown {
  const forms = schema.anyOf ?? [schema]
  if (typeof value === "string") {
    const read = valueIn(value, new Set(forms.map(({ type = "string" }) => type)))
    return read === value ? asListed(forms, value) : withType(schema, read)
  }
  if (Array.isArray(value)) return listWithType(forms, value)
  if (typeof value === "object" && value !== null) return objectWithType(forms, value)
  const isWanted = forms.some(({ type }) => type === undefined || type === typeof value || type === "integer")
  return isWanted || value === null ? value : asListed(forms, String(value))
}

function formOf(forms: readonly Schema[], type: string): Schema | undefined {
  return forms.find((form) => form.type === type)
}

/** A list of this one text where the schema takes only lists of texts. */
function asListed(forms: readonly Schema[], value: string): unknown {
  return !formOf(forms, "string") && formOf(forms, "array")?.items?.type === "string" ? [value] : value
}

function listWithType(forms: readonly Schema[], values: readonly unknown[]): unknown {
  const list = formOf(forms, "array")
  if (list !== undefined) return values.map((each) => withType(list.items ?? {}, each))
  const isOneText = values.length === 1 && typeof values[0] === "string"
  return isOneText && formOf(forms, "string") ? values[0] : values
}

function objectWithType(forms: readonly Schema[], value: object): unknown {
  const object = formOf(forms, "object")
  const items = formOf(forms, "array")?.items
  if (object === undefined) return items?.type === "object" ? [withType(items, value)] : value
  // An object with names of the caller's choice, such as metadata, keeps its values.
  return object["propertyNames"] === undefined ? withTypes(object, value as Arguments) : value
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/iu
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, yes: true, no: false }

/** The number, boolean, list or object that a string contains, if one of `types` is that; else the string. */
function valueIn(value: string, types: ReadonlySet<string>): unknown {
  const takesNumber = types.has("number") || types.has("integer")
  if (takesNumber && NUMBER.test(value)) return Number(value)
  const word = value.trim().toLowerCase()
  if (types.has("boolean") && Object.hasOwn(BOOLEANS, word)) return BOOLEANS[word]
  if (types.has("array") && !takesNumber) {
    const read = jsonIn(value, "[") ?? (types.has("string") ? undefined : jsonIn(value, "{"))
    if (read !== undefined) return read
  }
  return (types.has("object") ? jsonIn(value, "{") : undefined) ?? value
}

/** The list or object that a string of JSON contains; undefined if it is none, or has too many values to check. */
function jsonIn(text: string, opening: "[" | "{"): unknown {
  if (!text.trimStart().startsWith(opening)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return valuesProblem(value) === null ? value : undefined
  } catch {
    return undefined
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
}

/** One line per argument that does not fit the schema: what it takes, and what was given. */
export function explainMistakes(tool: string, schema: Schema, { issues }: z.ZodError): string {
  const names = Object.keys(schema.properties ?? {})
  const texts = issues.map(innermost).map((issue) => {
    const where = issue.path.join(".")
    if (issue.code !== "unrecognized_keys") return `${where || tool}: ${issue.message}`
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(", ")
    return where === ""
      ? `${tool} has no argument ${keys}; it takes ${names.join(", ")}`
      : `${where}: has no field ${keys}`
  })
  return `Wrong arguments for ${tool}:\n${texts.join("\n")}`
}

/** Of a value that may have several forms: the mistake in the form that it has; otherwise the issue itself. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue
  const [inside] =
    issue.errors.find(([first]) => first?.code !== "invalid_type" || first.path.length > 0) ?? []
  return inside === undefined ? issue : { ...inside, path: [...issue.path, ...inside.path] }
}

/** What an argument takes and what was given instead; replaces the validator's own words. */
export const mistakeText: z.core.$ZodErrorMap = (issue) => {
  const wanted = wantedText(issue)
  if (issue.input === undefined) return `is missing: it ${wanted}`
  const size = typeof issue.input === "string" || Array.isArray(issue.input) ? issue.input.length : null
  const isTooLong = (issue.code === "too_big" || issue.code === "too_small") && size !== null
  return `${wanted}, not ${isTooLong ? size : shortened(issue.input)}`
}

function wantedText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${NAMES[issue.expected] ?? issue.expected}`
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`
    case "too_big":
      return limitText(issue.origin, "at most", issue.maximum)
    case "too_small":
      return limitText(issue.origin, "at least", issue.minimum)
    case "invalid_union":
      return formsText(issue.errors)
    default:
      return "must be another value"
  }
}

function limitText(origin: string, bound: string, limit: number | bigint): string {
  if (origin === "string") return `must have ${bound} ${limit} characters`
  return origin === "array" ? `must have ${bound} ${limit} values` : `must be ${bound} ${limit}`
}

/** The names of the forms that a value may have. */
function formsText(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const issues = errors.flatMap((each) => each.filter(({ path }) => path.length === 0))
  const expected = issues.flatMap((issue) => {
    if (issue.code === "invalid_type") return [NAMES[issue.expected] ?? issue.expected]
    return issue.code === "invalid_value" ? [`one of ${issue.values.join(", ")}`] : []
  })
  return `must be ${[...new Set(expected)].join(" or ")}`
}

const MAX_SHOWN = 60

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`
}

// Max values in the arguments of a call, far more than any tool accepts: 100 entries with 100 relations and some ten
// metadata fields each.
const MAX_VALUES = 100_000

/** Max values of one list or object. */
const MAX_IN_ONE = 10_000

/**
 * Error message if a call's arguments have too many values; else null. Each value takes up to 40 µs to check
 * against the tool's schema, and each wrong one adds a line to the answer, so 4 MB of them would take
 * minutes.
 */
export function valuesProblem(values: unknown): string | null {
  const pending: unknown[] = [values]
  let count = 0
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null) continue
    const parts: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (parts.length > MAX_IN_ONE) return `a list or an object may have at most ${MAX_IN_ONE} values`
    count += parts.length
    if (count > MAX_VALUES) return `a call may have at most ${MAX_VALUES} values`
    for (const part of parts) if (typeof part === "object") pending.push(part)
  }
  return null
}
