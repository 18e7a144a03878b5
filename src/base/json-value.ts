/** An object parsed from JSON, whose fields are not checked yet. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The first of the fields that is a non-blank text or a number, as text; null when there is none. */
export function firstTextField(object: JsonObject, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = object[key]
    if (typeof value === "string" && value.trim() !== "") return value
    if (typeof value === "number") return String(value)
  }
  return null
}

export function firstListField(object: JsonObject, ...keys: readonly string[]): readonly unknown[] | null {
  for (const key of keys) if (Array.isArray(object[key])) return object[key]
  return null
}

/** The value of a JSON text; undefined when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
