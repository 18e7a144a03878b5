export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** An empty one where it is none. */
export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

/** What a text holds as JSON; null where it holds none. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
