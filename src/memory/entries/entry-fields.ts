/** The form in which a caller writes the value of a field. */
type OtherForm = "kind" | "role" | "time" | "number" | "object" | "relations"
export type FieldForm = "text" | "words" | "names" | OtherForm

/**
 * The fields that a caller can give for an entry, by their name in `EntryInput`. Batch files, Markdown, JSON requests
 * and the command line derive their fields from this table; the MCP schema is checked against it.
 */
export const ENTRY_FIELDS = {
  text: "text",
  topic: "text",
  kind: "kind",
  tags: "words",
  key: "text",
  source: "text",
  author: "text",
  role: "role",
  session: "text",
  ordinal: "number",
  entities: "names",
  relations: "relations",
  metadata: "object",
  validFrom: "time",
  validUntil: "time",
  recordedAt: "time",
  replaces: "words",
} as const satisfies Readonly<Record<string, FieldForm>>

export type EntryField = keyof typeof ENTRY_FIELDS

/** A property's name in JSON: valid_from for validFrom. */
export type JsonName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${JsonName<Rest>}`
  : Name

export type JsonFields<T> = { readonly [Name in keyof T as JsonName<Name & string>]: T[Name] }

export function jsonName<Name extends string>(property: Name): JsonName<Name> {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as JsonName<Name>
}

/** The fields, each of which may be absent or undefined. */
export type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/** The fields of `after` whose values differ from those of `before`; an absent one equals null. */
export function changedFields<T extends object>(before: Partial<T>, after: T): Partial<T> {
  const changed = Object.entries(after).filter(
    ([name, value]) => !Bun.deepEquals(before[name as keyof T] ?? null, value ?? null),
  )
  return Object.fromEntries(changed) as Partial<T>
}

/** The object with the names that its properties have in JSON; values are unchanged. */
export function jsonFields<T extends object>(object: T): JsonFields<T> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [jsonName(name), value]),
  ) as JsonFields<T>
}
