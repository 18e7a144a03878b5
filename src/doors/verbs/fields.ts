/*
 * The fields of verbs. A field says once what an argument is: its form and limits (a JSON Schema), its meaning for models,
 * and its flag for people. Each door derives the rest: the command line flags and help (cli/flags), the MCP server the
 * schemas of its tools, the page and the team's node the parameters of their requests.
 *
 * Arguments are read as models send them. Guessed names are replaced by the verb's own, and values get the type that the
 * schema names: many clients send numbers, booleans, lists and objects as strings, and fill unused fields with empty
 * strings or null. Anything else that does not fit is explained (`mistakesIn`).
 */

import { AmanError, isObject } from "../../base/index.ts"

/** The part of JSON Schema that fields use. */
export type Schema = {
  readonly [word: string]: unknown
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object"
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** False: other names are mistakes. An object: other names are allowed, and their values stay as they are. */
  readonly additionalProperties?: false | object
  readonly anyOf?: readonly Schema[]
}

/** How a field is offered. */
type Options = {
  /** Meaning for models; absent: the MCP tool has no such argument. */
  readonly text?: string
  /**
   * Flag for people, as its help shows it: "-n, --limit N", with "..." behind the value if it may be repeated, or a
   * word without dashes for an argument without a flag. Absent: people cannot give it.
   */
  readonly flag?: string
  /** Help of the flag; absent: the meaning for models. */
  readonly help?: string
  /** See `Flag`. */
  readonly verbs?: Readonly<Record<string, string>>
  /** Limits for people, where they differ from those for models. */
  readonly person?: Schema
}

export type Field<Value = unknown> = Options & {
  readonly schema: Schema
  /** True if a call without it is wrong. */
  readonly isRequired?: boolean
  /** True if a comma divides the text of the flag. */
  readonly hasCommas?: boolean
  /** The argument for a value that fits the schema; undefined: the argument is absent. */
  read(value: unknown): Value
}

export type Fields = Readonly<Record<string, Field>>

/** The arguments of a verb with these fields. */
export type ArgumentsOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never
}

type Text<D> = string | (D extends undefined ? undefined : never)
type Usual<D> = Options & { readonly usual?: D }

function field<Value>(schema: Schema, options: Options & { readonly usual?: unknown }): Field<Value> {
  const { usual, ...offered } = options
  const whole = usual === undefined ? schema : { default: usual, ...schema }
  return { ...offered, schema: whole, read: (value) => (value ?? usual) as Value }
}

/** A text of at most `max` characters. */
export function text<const D extends string | undefined = undefined>(
  max: number,
  options: Usual<D> = {},
): Field<Text<D>> {
  return field({ type: "string", maxLength: max }, options)
}

/** The field as one that every call has to give. */
export function required<Value>(given: Field<Value>): Field<Exclude<Value, undefined>> {
  return { ...given, isRequired: true } as Field<Exclude<Value, undefined>>
}

/** A whole number. */
export function whole<const D extends number | undefined = undefined>(
  [min, max = Number.MAX_SAFE_INTEGER]: readonly [min: number, max?: number],
  options: Usual<D> = {},
): Field<number | (D extends undefined ? undefined : never)> {
  return field({ type: "integer", minimum: min, maximum: max }, options)
}

export function number([min, max]: readonly [min: number, max: number], options: Options = {}) {
  return field<number | undefined>({ type: "number", minimum: min, maximum: max }, options)
}

/** True or false; absent: the default. */
export function toggle<const D extends boolean | undefined = undefined>(
  options: Usual<D> = {},
): Field<boolean | (D extends undefined ? undefined : never)> {
  return field({ type: "boolean" }, options)
}

/** One of some words. */
export function choice<const T extends string, const D extends T | undefined = undefined>(
  values: readonly T[],
  options: Usual<D> = {},
): Field<T | (D extends undefined ? undefined : never)> {
  return field({ type: "string", enum: values }, options)
}

type ListOptions = Options & {
  readonly items?: Schema
  readonly maxItems?: number
  /** A comma divides a text. Names that may contain commas have none. */
  readonly hasCommas?: boolean
  /** The form that a model is shown: the other is accepted as well, of "lists" only if a text can be read as one. */
  readonly shows?: "list" | "text" | "lists"
}

/**
 * A list of texts, or a single text, because models send a text as often as a list. Undefined if it is absent.
 */
export function list(options: ListOptions = {}): Field<readonly string[] | undefined> {
  const {
    items = { type: "string", maxLength: 1000 },
    maxItems = 1000,
    shows,
    hasCommas,
    ...offered
  } = options
  const one: Schema = items
  const many: Schema = { ...(maxItems < Number.POSITIVE_INFINITY && { maxItems }), type: "array", items }
  const anyOf = shows === "list" ? [many, one] : [one, many]
  return {
    ...{ ...offered, hasCommas: hasCommas ?? false, schema: shows === "lists" ? many : { anyOf } },
    read: (value) => (value === undefined ? undefined : wordsIn([value].flat() as string[], hasCommas)),
  }
}

/** A list of names as `list`; empty if it is absent. */
export function names(options: ListOptions = {}): Field<readonly string[]> {
  const { read, ...given } = list({
    items: { type: "string", maxLength: 4096 },
    maxItems: 100,
    ...options,
  })
  return { ...given, read: (value) => read(value) ?? [] }
}

function wordsIn(values: readonly string[], hasCommas = false): readonly string[] {
  const all = hasCommas ? values.flatMap((value) => value.split(",").map((word) => word.trim())) : values
  return all.filter((value) => value.trim() !== "")
}

/** A field with a form of its own. */
export function custom<Value>(schema: Schema, options: Options = {}): Field<Value | undefined> {
  return field(schema, options)
}

/** A list of objects with these fields. */
export function objects<F extends Fields>(
  fields: F,
  maxItems: number,
  options: Options = {},
): Field<readonly ArgumentsOf<F>[] | undefined> {
  return {
    ...options,
    schema: { maxItems, type: "array", items: schemaOf(fields) },
    read: (value) => (value as readonly Arguments[] | undefined)?.map((each) => valuesOf(fields, each)),
  }
}

/** The fields without some, for a door that cannot have them. */
export function without<F extends Fields, Name extends keyof F>(
  fields: F,
  ...names: readonly Name[]
): Omit<F, Name> {
  const kept = Object.entries(fields).filter(([name]) => !names.some((each) => each === name))
  return Object.fromEntries(kept) as unknown as Omit<F, Name>
}

/** Some of the fields. */
export function pick<F extends Fields, Name extends keyof F & string>(
  fields: F,
  ...names: readonly Name[]
): Pick<F, Name> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as Pick<F, Name>
}

/** The JSON Schema of the fields that models may give. */
export function schemaOf(fields: Fields, isOpen = false): Schema {
  const offered = Object.entries(fields).filter(([, { text: meaning }]) => meaning !== undefined)
  const properties = offered.map(([name, { schema, text: meaning }]) => {
    const { default: usual, ...form } = schema
    const described = meaning === "" ? {} : { description: meaning }
    return [name, { ...(usual === undefined ? {} : { default: usual }), ...described, ...form }] as const
  })
  return objectSchema(offered, Object.fromEntries(properties), isOpen)
}

function objectSchema(
  fields: readonly (readonly [string, Field])[],
  properties: Readonly<Record<string, Schema>>,
  isOpen: boolean,
): Schema {
  const needed = fields.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
  return {
    ...{ type: "object", properties, ...(needed.length > 0 && { required: needed }) },
    additionalProperties: isOpen ? {} : false,
  }
}

/** The schema of the fields with the limits for people: all, or those that have a flag. */
function schemaForPeople(fields: Fields, which: "all" | "flags"): Schema {
  const offered = Object.entries(fields).filter(([, { flag }]) => which === "all" || flag !== undefined)
  const properties = offered.map(([name, { schema, person }]) => [name, { ...schema, ...person }] as const)
  return objectSchema(offered, Object.fromEntries(properties), false)
}

/** The arguments for values that fit the schema; `of` says whose defaults hold. */
export function valuesOf<F extends Fields>(
  fields: F,
  given: Arguments,
  of: "model" | "person" = "model",
): ArgumentsOf<F> {
  const values = Object.entries(fields).flatMap(([name, { read, person }]) => {
    const typed = given[name] ?? undefined
    const isUnset = typed === undefined && of === "person" && person !== undefined && "default" in person
    const value = isUnset ? person.default : read(typed)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(values) as ArgumentsOf<F>
}

/**
 * The arguments in the body of a request, which may give the fields that people can give, or all; throws USAGE with the
 * first mistake.
 */
export function fromBody<F extends Fields>(
  fields: F,
  body: unknown,
  which: "all" | "flags" = "flags",
): ArgumentsOf<F> {
  const schema = schemaForPeople(fields, which)
  const given = objectIn(body)
  const read = isObject(given) ? withTypes(schema, given) : given
  const [mistake] = mistakesIn(schema, read)
  if (mistake === undefined) return valuesOf(fields, read as Arguments, "person")
  throw new AmanError("USAGE", mistake)
}

/** The arguments in the query of a request; a field that is a list may be given several times. */
export function fromQuery<F extends Fields>(fields: F, query: URLSearchParams): ArgumentsOf<F> {
  const given = [...new Set(query.keys())].map((name) => {
    const all = query.getAll(name)
    return [name, all.length > 1 ? all : all[0]]
  })
  return fromBody(fields, Object.fromEntries(given))
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
  ["replaces", ["supersedes", "replace"]],
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
  return typeof object.additionalProperties === "object" ? value : withTypes(object, value as Arguments)
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

const FORMS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
}

/** One line per argument that does not fit the schema: what it takes, and what was given. */
export function explainMistakes(tool: string, schema: Schema, given: Arguments): string | null {
  const mistakes = mistakesIn(schema, given, { tool })
  return mistakes.length === 0 ? null : `Wrong arguments for ${tool}:\n${mistakes.join("\n")}`
}

type Place = { readonly where?: string; readonly tool?: string }

/** What does not fit the schema, one line each. */
function mistakesIn(schema: Schema, value: unknown, { where = "", tool }: Place = {}): string[] {
  const forms = schema.anyOf ?? [schema]
  const form = forms.find(({ type }) => isOfType(type, value))
  if (form === undefined) {
    const wanted = `must be ${[...new Set(forms.map(formText))].join(" or ")}`
    if (value === undefined) return [`${where}: is missing: it ${wanted}`]
    return [`${where || "the request"}: ${wanted}, not ${shortened(value)}`]
  }
  const limit = brokenLimit(form, value)
  if (limit !== null) return [`${where}: ${limit}`]
  if (Array.isArray(value)) {
    return value.flatMap((each, at) => mistakesIn(form.items ?? {}, each, { where: inside(where, `${at}`) }))
  }
  return isObject(value) ? fieldMistakes(form, value, { where, ...(tool !== undefined && { tool }) }) : []
}

/** The limit that a value of the right type does not keep; null if it keeps all. */
function brokenLimit(form: Schema, value: unknown): string | null {
  if (typeof value === "number") {
    if (form.type === "integer" && !Number.isInteger(value)) return `must be a whole number, not ${value}`
    return sizeLimit("must be", value, [form.minimum, form.maximum])
  }
  if (Array.isArray(value)) return sizeLimit("must have", value.length, [0, form.maxItems], " values")
  if (typeof value !== "string") return null
  if (form.enum?.includes(value) === false) return `must be ${formText(form)}, not ${shortened(value)}`
  return sizeLimit("must have", value.length, [0, form.maxLength], " characters")
}

function sizeLimit(
  start: string,
  size: number,
  [min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY]: readonly (number | undefined)[],
  unit = "",
): string | null {
  if (size < min) return `${start} at least ${min}${unit}, not ${size}`
  return size > max ? `${start} at most ${max}${unit}, not ${size}` : null
}

function fieldMistakes(form: Schema, value: Arguments, { where = "", tool }: Place): string[] {
  const { properties = {}, required: needed = [], additionalProperties } = form
  const names = Object.keys(properties)
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  const given = names.filter((name) => value[name] !== undefined || needed.includes(name))
  const mistakes =
    typeof additionalProperties === "object" && where !== ""
      ? []
      : given.flatMap((name) => mistakesIn(properties[name]!, value[name], { where: inside(where, name) }))
  if (additionalProperties !== false || unknown.length === 0) return mistakes
  const keys = unknown.map((key) => JSON.stringify(key)).join(", ")
  return [
    ...mistakes,
    where === ""
      ? `${tool ?? "the request"} has no argument ${keys}; it takes ${names.join(", ")}`
      : `${where}: has no field ${keys}`,
  ]
}

function inside(where: string, name: string): string {
  return where === "" ? name : `${where}.${name}`
}

/** Whether the value has the type; of a number whether it is whole is checked later. Any value has no type. */
function isOfType(type: Schema["type"], value: unknown): boolean {
  if (type === undefined) return true
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  return typeof value === (type === "integer" ? "number" : type)
}

function formText({ type = "string", enum: values }: Schema): string {
  if (values === undefined) return FORMS[type]!
  return `${values.length === 1 ? "" : "one of "}${values.join(", ")}`
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
