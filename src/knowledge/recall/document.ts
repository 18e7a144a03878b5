import type { Entry } from "../entry.ts"

/** What recall knows of an entry. */
export type RecallDocument = Pick<
  Entry,
  | "id" | "project" | "topic" | "kind" | "text" | "tags" | "author" | "role" | "session" | "ordinal"
  | "entities" | "metadata" | "validFrom" | "validUntil" | "recordedAt" | "supersededAt"
> // biome-ignore format: a list of names

/** A range of a text, in UTF-16 codes. */
export type TextWindow = { readonly start: number; readonly end: number }
