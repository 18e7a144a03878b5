/*
 * Reads `remember --batch` files: JSON Lines with one entry per line. Keys are matched in any spelling of their
 * words, values are converted to the fields of an entry, and bad lines are collected or reported together.
 */

import { AmanError, isObject, nearest } from "../../base/index.ts"
import { CredentialError } from "../../text/index.ts"
import { checkEntry } from "../entries/check-entry.ts"
import {
  ENTRY_KINDS,
  type EntryInput,
  type Json,
  type NewEntry,
  type NewRelation,
  ROLES,
  type Role,
} from "../entries/entry.ts"
import { ENTRY_FIELDS, type EntryField, type FieldForm, jsonName } from "../entries/entry-fields.ts"
import { parseImportTime } from "../entries/times.ts"
import { type ImportFormat, roleOf } from "./imported.ts"
import { withoutContext } from "./injected.ts"
import { type BadLine, badLines, linesIn } from "./input-lines.ts"
import { isConversation } from "./json-sources.ts"

/** Entries as JSON Lines, as `remember --batch` reads them. */
export const BATCH: ImportFormat = {
  name: "batch",
  // A line with an author or a role could belong to a batch or to a chat. It counts as a batch if it has only fields
  // of a batch, unless the whole file is a single JSON value that is a chat.
  detects: ({ whole, firstObject: line }) =>
    typeof line["text"] === "string" &&
    !("speaker" in line) &&
    (!isConversation(line) || (!isConversation(whole) && Object.keys(line).every(isField))),
}

type Batch = {
  readonly entries: readonly EntryInput[]
  /** The skipped lines; empty unless `skipBad`. */
  readonly bad: readonly BadLine[]
}

export type BatchOptions = {
  /** Skip lines that cannot be read or would be refused, and return them as `bad`. */
  readonly skipBad?: boolean
  /** Accept text that looks like a credential. */
  readonly force?: boolean
}

/**
 * Reads entries from JSON Lines, one object per line with the fields of ENTRY_FIELDS; only "text" is required. Throws
 * USAGE with all bad lines unless `skipBad`.
 */
export function readBatch(
  text: string,
  file: string,
  { skipBad = false, force = false }: BatchOptions = {},
): Batch {
  const entries: EntryInput[] = []
  const bad: BadLine[] = []
  for (const line of linesIn(text)) {
    try {
      const entry = readBatchLine(line.text)
      if (skipBad) refuseUnfit(entry, force)
      entries.push(entry)
    } catch (error) {
      if (!(error instanceof InvalidLine)) throw error
      bad.push({ line: line.number, message: error.message })
    }
  }
  if (bad.length > 0 && !skipBad) throw badLines(file, bad)
  return { entries, bad }
}

function readBatchLine(line: string): EntryInput {
  const value = parseJsonLine(line)
  if (!isObject(value)) throw new InvalidLine("not a JSON object")
  const fields: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(value)) {
    const field = fieldOf(key)
    // Other programs write null for an unknown value.
    if (given !== null) fields[field.property] = field.read(given, field.name)
  }
  const text = withoutContext((fields["text"] as string | undefined) ?? "")
  if (text.trim() === "") throw new InvalidLine('"text" is missing or empty')
  return { ...fields, text }
}

/** Throws `InvalidLine` for an entry that the store would refuse, because the store then refuses all entries of the call. */
function refuseUnfit(entry: EntryInput, force: boolean): void {
  try {
    checkEntry(entry as NewEntry, { force })
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    throw new InvalidLine(error instanceof CredentialError ? error.finding : error.message)
  }
}

function parseJsonLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidLine(`not JSON: ${(error as Error).message.replace(/^JSON Parse error: /, "")}`)
  }
}

/** A line that cannot be read as what it should be. */
export class InvalidLine extends Error {}

/** The value of a field; throws `InvalidLine` for a value of another form. */
type ReadField = (value: unknown, name: string) => unknown

type Field = { readonly property: string; readonly name: string; readonly read: ReadField }

function isField(key: string): boolean {
  return BY_KEY.has(comparableKey(key))
}

/** The field of an entry that a key in the file names. */
function fieldOf(key: string): Field {
  const field = BY_KEY.get(comparableKey(key))
  if (field) return field
  const names = FIELDS.map(({ name }) => name)
  throw unknownKey(key, key === "supersedes" ? jsonName("replaces") : nearest(key, names))
}

export function unknownKey(key: string, near: string | undefined): InvalidLine {
  const hint = near === undefined ? "" : `; did you mean "${near}"?`
  return new InvalidLine(`unknown key ${JSON.stringify(key)}${hint}`)
}

/** The value of a field as given in a file, in the form of an entry's. Throws `InvalidLine` for a value of another form. */
export function readFieldValue(property: EntryField, value: unknown, name: string): unknown {
  return READ[ENTRY_FIELDS[property]](value, name)
}

const READ: Readonly<Record<FieldForm, ReadField>> = {
  text: textual,
  words: readNames,
  names: readNames,
  kind: (value, name) =>
    readChoice(typeof value === "string" ? value.toLowerCase() : value, ENTRY_KINDS, name),
  role,
  time: when,
  number: readNumber,
  object,
  relations: (value, name) => readList(value, name).map(readRelation),
}

const FIELDS = Object.entries(ENTRY_FIELDS).map(
  ([property, form]): Field => ({ property, name: jsonName(property), read: READ[form] }),
)

const BY_KEY: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [comparableKey(field.name), field]))

/** A key in the form in which keys are compared: recorded_at, recordedAt and RecordedAt are equal. */
function comparableKey(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase()
}

function textual(value: unknown, name: string): string {
  if (typeof value === "string") return value
  if (typeof value === "number") return String(value)
  throw new InvalidLine(`${name} is not a text`)
}

function readNumber(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value
  throw new InvalidLine(`${name} is not a number`)
}

function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidLine(`${name} is not a list`)
}

/** The names in a list, or in a text where commas separate them, with or without brackets around. */
function readNames(value: unknown, name: string): string[] {
  const items =
    typeof value === "string" ? value.replace(/^\[(.*)\]$/s, "$1").split(",") : readList(value, name)
  return items.map((item) => textual(item, `an item of ${name}`).trim()).filter((item) => item !== "")
}

function object(value: unknown, name: string): { readonly [key: string]: Json } {
  if (isObject(value)) return value as { readonly [key: string]: Json }
  throw new InvalidLine(`${name} is not an object`)
}

function readChoice<T extends string>(value: unknown, choices: readonly T[], name: string): T {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new InvalidLine(`${name} ${JSON.stringify(value)} is not one of ${choices.join(", ")}`)
}

/** Reads a role. Also accepts the names of roles in chats, such as user and assistant. */
function role(value: unknown, name: string): Role {
  if (value === "tool") return value
  const found = typeof value === "string" ? roleOf(value, null) : null
  return found ?? readChoice(value, ROLES, name)
}

function when(value: unknown, name: string): string {
  const found = parseImportTime(value)
  if (found !== null) return found
  throw new InvalidLine(
    `${name} ${JSON.stringify(value)} is not a date; write 2026-11-21 or 2026-11-21T20:00:00Z`,
  )
}

function relationParts(value: unknown): object | null {
  if (Array.isArray(value)) return { from: value[0], type: value[1], to: value[2] }
  if (!isObject(value)) return null
  return { ...value, type: value["type"] ?? value["relation"] ?? value["relationType"] }
}

/** A relation, given as {"from","to","type","weight"} or [from, type, to]. */
function readRelation(value: unknown): NewRelation {
  const parts = relationParts(value)
  if (parts === null) throw new InvalidLine('a relation must be {"from","to","type"}')
  const { from, to, type } = parts as Record<string, unknown>
  const weight = "weight" in parts ? { weight: readNumber(parts["weight"], "a relation's weight") } : {}
  return {
    from: textual(from, "a relation's from"),
    to: textual(to, "a relation's to"),
    type: textual(type, "a relation's type"),
    ...weight,
  }
}
