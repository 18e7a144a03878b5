import { nearest } from "../../../base/nearest.ts"
import { ENTRY_KINDS, type Entry } from "../../entries/entry.ts"
import { ENTRY_FIELDS, jsonName } from "../../entries/entry-fields.ts"
import { EDITABLE, type EditableFields } from "../export/editable.ts"
import { parseImportTime } from "../import-time.ts"
import { parseJson } from "../json-value.ts"

/** The lines "key: value" of the comment above an entry, without absent and default values. */
export function fieldLines(form: EditableFields, shownTopic: string): string[] {
  return FIELDS.flatMap(({ property, name }) => {
    const value = fieldText(form, property, shownTopic)
    return value === null ? [] : [`${name}: ${value}`]
  })
}

/** Lines that tell a reader the state of the entry, such as "superseded"; an import ignores them. */
export function remarkLines({ supersededBy, invalidReason }: Entry): string[] {
  const [by, because] = REMARKS
  return [
    ...(supersededBy === null ? [] : [`${by}: ${supersededBy}`]),
    ...(invalidReason === null ? [] : [`${because}: ${one(invalidReason)}`]),
  ]
}

const REMARKS = ["superseded-by", "no-longer-holds"] as const

/** The line in the form that `remarkLines` writes; null when it is not a remark. */
export function readRemark(line: string): string | null {
  const [, name, value] = /^\s*([\w-]+):\s*(.*?)\s*$/s.exec(line) ?? []
  const known = name?.toLowerCase().replaceAll("_", "-")
  return REMARKS.some((remark) => remark === known) ? `${known}: ${value}` : null
}

/** The field in a line of the comment; a string is an error message. */
export function readField(line: string): Partial<EditableFields> | string {
  const [, name, value] = /^\s*([\w-]+):\s*(.*?)\s*$/s.exec(line) ?? []
  if (name === undefined || value === undefined) return `${JSON.stringify(line.trim())} is not "key: value"`
  const known = name.toLowerCase().replaceAll("_", "-")
  const field = FIELDS.find((each) => each.name === known)
  if (field) return readValue(field.property, value)
  const near = nearest(
    name,
    FIELDS.map((each) => each.name),
  )
  return `unknown key "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`
}

/** True when editors or decoders would change the text in a Markdown file. */
export function isUnprintable(text: string): boolean {
  return /[\r\0]/.test(text) || !text.isWellFormed() || text.startsWith("\ufeff")
}

/**
 * The text is the last field. It is written as a field only when it could not be written unchanged below the comment.
 */
const FIELDS = EDITABLE.toSorted((a, b) => Number(a === "text") - Number(b === "text")).map((property) => ({
  property,
  name: jsonName(property).replaceAll("_", "-"),
}))

/** The value in the form for the file; null when it is absent or equals the default. */
function fieldText(form: EditableFields, property: keyof EditableFields, shownTopic: string): string | null {
  const value = form[property]
  if (property === "text") return isUnprintable(form.text) ? jsonForComment(form.text) : null
  if (property === "topic" && value === shownTopic) return null
  if (property === "kind" && value === "semantic") return null
  return Array.isArray(value) ? listText(value) : one(value as string | null)
}

/** The value that an empty field in a file means; other fields may not be empty. */
const EMPTY: Partial<EditableFields> = { topic: "general", text: "" }

function readValue(property: keyof EditableFields, value: string): Partial<EditableFields> | string {
  switch (ENTRY_FIELDS[property]) {
    case "kind": {
      const kind = ENTRY_KINDS.find((each) => each === value.toLowerCase())
      return kind === undefined ? `kind "${value}" is not one of ${ENTRY_KINDS.join(", ")}` : { kind }
    }
    case "words":
    case "names":
      return { [property]: readMany(value) }
    case "time": {
      const when = value === "" ? null : parseImportTime(value)
      if (when === null && value !== "") return `${JSON.stringify(value)} is not a date; write 2026-11-21`
      return { [property]: when }
    }
    default:
      return { [property]: readSingleValue(value) ?? EMPTY[property] ?? null }
  }
}

/** A value as text; as a JSON string if the plain text could be misread. */
function one(value: string | null): string | null {
  if (value === null) return null
  const isPlain = /^[^\s"'[]/.test(value) && !/[\r\n\0]|\s$|-->/.test(value) && value.isWellFormed()
  return isPlain ? value : jsonForComment(value)
}

function readSingleValue(value: string): string | null {
  const parsed = value.startsWith('"') ? parseJson(value) : undefined
  if (typeof parsed === "string") return parsed
  return value === "" ? null : value
}

function listText(values: readonly string[]): string | null {
  if (values.length === 0) return null
  const isPlain = values.every((value) => one(value) === value && !value.includes(","))
  return isPlain ? values.join(", ") : jsonForComment(values)
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

/** The value as JSON, without ">", which could end the comment. */
function jsonForComment(value: string | readonly string[]): string {
  return JSON.stringify(value).replaceAll(">", "\\u003e").replaceAll("\ufeff", "\\ufeff")
}
