import { nearest } from "../../base/nearest.ts"
import { ENTRY_KINDS, type Json, ROLES, type Role } from "../entry.ts"
import type { NewEntry, NewRelation } from "../new-entry.ts"
import { isObject } from "./json-value.ts"
import { roleOf } from "./role-of.ts"
import { readWhen } from "./when.ts"

/** What a line may say, by its name in lower case without "_"; throws `Unfit` for a value that is of another kind. */
export type BatchFields = { -readonly [K in keyof Omit<NewEntry, "source" | "project">]: NewEntry[K] } & {
  /** "path:line", "path:from-to" or a symbol, to be captured. */
  source?: string | null
}

export class Unfit extends Error {}

type Field = {
  readonly name: string
  readonly read: (value: unknown, name: string) => Partial<BatchFields>
}

/** How a key is compared: recorded_at, recordedAt and RecordedAt are one. */
export function fieldOf(key: string): Field {
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
