import { AmanError } from "../../../base/errors.ts"
import { nearest } from "../../../base/nearest.ts"
import { checkEntry } from "../../entries/check-entry.ts"
import { ENTRY_KINDS, type Json, ROLES, type Role } from "../../entries/entry.ts"
import type { NewEntry, NewRelation } from "../../entries/new-entry.ts"
import { isConversation } from "../foreign/chat.ts"
import type { ImportFormat } from "../import-format.ts"
import { roleOf } from "../imported.ts"
import { withoutContext } from "../injected.ts"
import { isObject } from "../json-value.ts"
import { type BadLine, badLines, type Line, linesOf } from "../lines.ts"
import { readWhen } from "../when.ts"

/** Entries as JSON Lines, as `remember --batch` reads them. */
export const BATCH: ImportFormat = {
  name: "batch",
  detects: ({ firstObject: line }) =>
    typeof line["text"] === "string" && !("speaker" in line) && !isConversation(line),
}

export type BatchEntry = BatchFields & { readonly line: number }

export type Batch = {
  readonly entries: readonly BatchEntry[]
  /** Empty but where bad lines are left out. */
  readonly bad: readonly BadLine[]
}

export type BatchOptions = {
  /** Leaves out the lines that cannot be read or would be refused, and names them. */
  readonly skipBad?: boolean
  /** What looks like a credential is not refused. */
  readonly force?: boolean
}

/**
 * Entries as JSON Lines, one object a line, of which only "text" is needed: {"text","topic","tags","kind","key",
 * "source","metadata","recorded_at","valid_from","valid_until","author","role","session","ordinal","entities",
 * "relations","supersedes"}. A line that is none refuses the whole, naming all of them.
 */
export async function readBatch(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  { skipBad = false, force = false }: BatchOptions = {},
): Promise<Batch> {
  const entries: BatchEntry[] = []
  const bad: BadLine[] = []
  for await (const line of linesOf(chunks)) {
    try {
      const entry = readLine(line)
      if (skipBad) refuseUnfit(entry, force)
      entries.push(entry)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      bad.push({ line: line.number, message: error.message })
    }
  }
  if (bad.length > 0 && !skipBad) throw badLines(file, bad)
  return { entries, bad }
}

function readLine({ number, text }: Line): BatchEntry {
  const value = parsed(text)
  if (!isObject(value)) throw new Unfit("not a JSON object")
  const fields: Partial<BatchFields> = {}
  for (const [key, given] of Object.entries(value)) {
    const field = fieldOf(key)
    // As other programs write what they do not know.
    if (given !== null) Object.assign(fields, field.read(given, field.name))
  }
  const said = withoutContext(fields.text ?? "")
  if (fields.text === undefined || said.trim() === "") throw new Unfit('"text" is missing or empty')
  return { ...fields, text: said, line: number }
}

/** Throws for an entry that the store would refuse: then it would refuse all the others with it. */
function refuseUnfit({ line: _, ...entry }: BatchEntry, force: boolean): void {
  try {
    checkEntry(entry as NewEntry, { force })
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    throw new Unfit(error.message.replace("; nothing was stored", "").replace(/^line \d+ looks/, "looks"))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unfit(`not JSON: ${(error as Error).message.replace(/^JSON Parse error: /, "")}`)
  }
}

/** What a line may say, by its name in lower case without "_"; throws `Unfit` for a value that is of another kind. */
type BatchFields = { -readonly [K in keyof Omit<NewEntry, "source" | "project">]: NewEntry[K] } & {
  /** "path:line", "path:from-to" or a symbol, to be captured. */
  source?: string | null
}

class Unfit extends Error {}

type Field = {
  readonly name: string
  readonly read: (value: unknown, name: string) => Partial<BatchFields>
}

/** How a key is compared: recorded_at, recordedAt and RecordedAt are one. */
function fieldOf(key: string): Field {
  const field = BY_KEY.get(comparable(key))
  if (field) return field
  const near = nearest(
    key,
    FIELDS.map(({ name }) => name),
  )
  throw new Unfit(
    `unknown key ${JSON.stringify(key)}${near === undefined ? "" : `; did you mean "${near}"?`}`,
  )
}

const FIELDS: readonly Field[] = [
  { name: "text", read: (value, name) => ({ text: textual(value, name) }) },
  { name: "topic", read: (value, name) => ({ topic: textual(value, name) }) },
  { name: "tags", read: (value, name) => ({ tags: names(value, name) }) },
  { name: "kind", read: (value, name) => ({ kind: oneOf(value, ENTRY_KINDS, name) }) },
  { name: "key", read: (value, name) => ({ key: textual(value, name) }) },
  { name: "source", read: (value, name) => ({ source: textual(value, name) }) },
  { name: "metadata", read: (value, name) => ({ metadata: object(value, name) }) },
  { name: "recorded_at", read: (value, name) => ({ recordedAt: when(value, name) }) },
  { name: "valid_from", read: (value, name) => ({ validFrom: when(value, name) }) },
  { name: "valid_until", read: (value, name) => ({ validUntil: when(value, name) }) },
  { name: "author", read: (value, name) => ({ author: textual(value, name) }) },
  { name: "role", read: (value, name) => ({ role: role(value, name) }) },
  { name: "session", read: (value, name) => ({ session: textual(value, name) }) },
  { name: "ordinal", read: (value, name) => ({ ordinal: number(value, name) }) },
  { name: "entities", read: (value, name) => ({ entities: names(value, name) }) },
  { name: "relations", read: (value, name) => ({ relations: list(value, name).map(relation) }) },
  { name: "supersedes", read: (value, name) => ({ supersedes: names(value, name) }) },
]

const BY_KEY: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [comparable(field.name), field]))

function comparable(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase()
}

function textual(value: unknown, name: string): string {
  if (typeof value === "string") return value
  if (typeof value === "number") return String(value)
  throw new Unfit(`${name} is no text`)
}

function number(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value
  throw new Unfit(`${name} is no number`)
}

function list(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Unfit(`${name} is no list`)
}

/** A list, or names with commas between them. */
function names(value: unknown, name: string): string[] {
  const items = typeof value === "string" ? value.split(",") : list(value, name)
  return items.map((item) => textual(item, `an item of ${name}`).trim()).filter((item) => item !== "")
}

function object(value: unknown, name: string): { readonly [key: string]: Json } {
  if (isObject(value)) return value as { readonly [key: string]: Json }
  throw new Unfit(`${name} is no object`)
}

function oneOf<T extends string>(value: unknown, choices: readonly T[], name: string): T {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new Unfit(`${name} ${JSON.stringify(value)} is none of ${choices.join(", ")}`)
}

/** Also as chats say it: user, assistant. */
function role(value: unknown, name: string): Role {
  if (value === "tool") return value
  const found = typeof value === "string" ? roleOf(value, null) : null
  return found ?? oneOf(value, ROLES, name)
}

function when(value: unknown, name: string): string {
  const found = readWhen(value)
  if (found !== null) return found
  throw new Unfit(`${name} ${JSON.stringify(value)} is no date; write 2026-11-21 or 2026-11-21T20:00:00Z`)
}

/** {"from","to","type","weight"}, or [from, type, to]. */
function relation(value: unknown): NewRelation {
  const parts = Array.isArray(value)
    ? { from: value[0], type: value[1], to: value[2] }
    : isObject(value)
      ? { ...value, type: value["type"] ?? value["relation"] ?? value["relationType"] }
      : null
  if (parts === null) throw new Unfit('a relation is no {"from","to","type"}')
  const { from, to, type } = parts as Record<string, unknown>
  const weight = "weight" in parts ? { weight: number(parts["weight"], "a relation's weight") } : {}
  return {
    from: textual(from, "a relation's from"),
    to: textual(to, "a relation's to"),
    type: textual(type, "a relation's type"),
    ...weight,
  }
}
