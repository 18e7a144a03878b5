import { nearest } from "../../../base/nearest.ts"
import { ENTRY_KINDS, type Entry } from "../../entries/entry.ts"
import type { Editable } from "../export/editable.ts"
import { parseJson } from "../json-value.ts"
import { readWhen } from "../when.ts"

/** "key: value", a line of the comment above an entry; what an entry has not is not written. */
export function fieldLines(form: Editable, shownTopic: string): string[] {
  return FIELDS.flatMap(({ name, write }) => {
    const value = write(form, shownTopic)
    return value === null ? [] : [`${name}: ${value}`]
  })
}

/** What became of an entry, for who reads the file; such lines are not read back. */
export function remarkLines({ supersededBy, invalidReason }: Entry): string[] {
  const [by, because] = REMARKS
  return [
    ...(supersededBy === null ? [] : [`${by}: ${supersededBy}`]),
    ...(invalidReason === null ? [] : [`${because}: ${one(invalidReason)}`]),
  ]
}

const REMARKS = ["superseded-by", "no-longer-holds"] as const

/** Such a line, as `remarkLines` writes it; null where it is none. */
export function readRemark(line: string): string | null {
  const [, name, value] = /^\s*([\w-]+):\s*(.*?)\s*$/s.exec(line) ?? []
  const known = name?.toLowerCase().replaceAll("_", "-")
  return REMARKS.some((remark) => remark === known) ? `${known}: ${value}` : null
}

/** What a line of such a comment says; a text: what is wrong with it. */
export function readField(line: string): Partial<Editable> | string {
  const [, name, value] = /^\s*([\w-]+):\s*(.*?)\s*$/s.exec(line) ?? []
  if (name === undefined || value === undefined) return `${JSON.stringify(line.trim())} is no "key: value"`
  const known = name.toLowerCase().replaceAll("_", "-")
  const field = FIELDS.find((each) => each.name === known)
  if (field) return field.read(value)
  const near = nearest(
    name,
    FIELDS.map((each) => each.name),
  )
  return `unknown key "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`
}

/** True where a text cannot stand in a Markdown file as it is: editors and decoders would change it. */
export function isUnprintable(text: string): boolean {
  return /[\r\0]/.test(text) || !text.isWellFormed() || text.startsWith("\ufeff")
}

type Field = {
  readonly name: string
  readonly write: (form: Editable, shownTopic: string) => string | null
  readonly read: (value: string) => Partial<Editable> | string
}

const FIELDS: readonly Field[] = [
  {
    name: "topic",
    write: ({ topic }, shown) => (topic === shown ? null : one(topic)),
    read: (value) => ({ topic: readOne(value) ?? "general" }),
  },
  {
    name: "kind",
    write: ({ kind }) => (kind === "semantic" ? null : kind),
    read: (value) => {
      const kind = ENTRY_KINDS.find((each) => each === value.toLowerCase())
      return kind === undefined ? `kind "${value}" is none of ${ENTRY_KINDS.join(", ")}` : { kind }
    },
  },
  { name: "tags", write: ({ tags }) => many(tags), read: (value) => ({ tags: readMany(value) }) },
  { name: "key", write: ({ key }) => one(key), read: (value) => ({ key: readOne(value) }) },
  { name: "source", write: ({ source }) => one(source), read: (value) => ({ source: readOne(value) }) },
  { name: "author", write: ({ author }) => one(author), read: (value) => ({ author: readOne(value) }) },
  {
    name: "entities",
    write: ({ entities }) => many(entities),
    read: (value) => ({ entities: readMany(value) }),
  },
  { name: "valid-from", write: ({ validFrom }) => validFrom, read: (value) => readTime("validFrom", value) },
  {
    name: "valid-until",
    write: ({ validUntil }) => validUntil,
    read: (value) => readTime("validUntil", value),
  },
  {
    name: "text",
    write: ({ text }) => (isUnprintable(text) ? quoted(text) : null),
    read: (value) => ({ text: readOne(value) ?? "" }),
  },
]

/** In quotes, as JSON, where it is not plainly what it is. */
function one(value: string | null): string | null {
  if (value === null) return null
  const isPlain = /^[^\s"'[]/.test(value) && !/[\r\n\0]|\s$|-->/.test(value) && value.isWellFormed()
  return isPlain ? value : quoted(value)
}

function readOne(value: string): string | null {
  const parsed = value.startsWith('"') ? parseJson(value) : undefined
  if (typeof parsed === "string") return parsed
  return value === "" ? null : value
}

function many(values: readonly string[]): string | null {
  if (values.length === 0) return null
  const isPlain = values.every((value) => one(value) === value && !value.includes(","))
  return isPlain ? values.join(", ") : quoted(values)
}

function readMany(value: string): string[] {
  const parsed = value.startsWith("[") ? parseJson(value) : undefined
  if (Array.isArray(parsed) && parsed.every((item) => typeof item === "string")) return parsed
  const inner = /^\[(.*)\]$/s.exec(value)?.[1] ?? value
  return inner
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
}

function readTime(name: "validFrom" | "validUntil", value: string): Partial<Editable> | string {
  const when = readWhen(value)
  if (when !== null) return { [name]: when }
  return value === "" ? { [name]: null } : `${JSON.stringify(value)} is no date; write 2026-11-21`
}

/** Within a comment its end must not stand. */
function quoted(value: string | readonly string[]): string {
  return JSON.stringify(value).replaceAll(">", "\\u003e").replaceAll("\ufeff", "\\ufeff")
}
