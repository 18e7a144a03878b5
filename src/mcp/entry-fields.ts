import { z } from "zod"
import { AGENT_SCOPES } from "../app/memory/requests.ts"
import { ENTRY_KINDS, type Json, ROLES } from "../memory/entries/entry.ts"
import type { EntryField, JsonName } from "../memory/entries/entry-fields.ts"

// Max characters of a text, more than any note has; longer texts belong into a file.
const MAX_CHARACTERS = 1_000_000
const label = (meaning: string) => z.string().max(1000).optional().describe(meaning)
const time = (meaning: string) =>
  z.string().max(40).optional().describe(`${meaning}; ISO 8601, a date or an instant`)

/** Accepts one string in place of a list, because models often send that. */
const list = (meaning: string) =>
  z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)])
    .optional()
    .transform((value) => (typeof value === "string" ? [value] : value))
    .describe(meaning)

/** Like `list`, for words without commas: a string may contain several, separated by commas. */
const words = (meaning: string) =>
  list(meaning).transform((values) =>
    values
      ?.flatMap((value) => value.split(","))
      .map((value) => value.trim())
      .filter((value) => value !== ""),
  )

/** Accepts one kind or a list of kinds. */
export const KINDS = z
  .union([z.enum(ENTRY_KINDS), z.array(z.enum(ENTRY_KINDS))])
  .optional()
  .transform((value) => (typeof value === "string" ? [value] : value))

/**
 * An object with names of the caller's choice. Arguments come from JSON, so their values are not checked again. The
 * schema names an example, because some clients refuse an object without properties.
 */
const METADATA = z
  .record(z.string(), z.unknown())
  .meta({ properties: { ticket: { type: "string" } } }) as z.ZodType<Readonly<Record<string, Json>>>

export const TEXT = z
  .string()
  .max(MAX_CHARACTERS)
  .describe("The fact, understandable by itself; text in <private>…</private> is never stored")

/** Selects one of several folders that are served, for a question about one of them. */
export const FOLDER = label("Name of the folder, if several are served")

/** Fields of an entry beside its text; the same wherever one is created or revised. */
export const ENTRY_FIELDS = {
  topic: label("Topic, e.g. release, auth, people (default: general)"),
  kind: z.enum(ENTRY_KINDS).optional().describe("default: semantic"),
  tags: words("e.g. gotcha, invariant, how-to, performance"),
  key: label("Unique key: remembering with the same key revises that entry"),
  source: label("The code it is about: path, path:line, path:10-20 or path#symbol, relative to the root"),
  metadata: METADATA.optional().describe("Other data, to filter by"),
  valid_from: time("Valid since"),
  valid_until: time("Valid until, exclusive"),
  recorded_at: time("When it was recorded (default: now)"),
  author: label("Author of the entry"),
  role: z.enum(ROLES).optional().describe("Role of the author"),
  session: label("The conversation or task it belongs to"),
  entities: list("People, services, components that it mentions"),
  relations: z
    .array(
      z.object({
        from: z.string().max(1000),
        to: z.string().max(1000),
        type: z.string().max(1000).describe("e.g. depends on, owned by, replaced"),
        weight: z.number().min(0).max(1).optional(),
      }),
    )
    .max(100)
    .optional()
    .describe("Relations between entities; missing entities are created"),
  supersedes: words("Ids or keys of entries that it replaces"),
  global: z.boolean().optional().describe("For all projects"),
} satisfies Readonly<Record<JsonName<Exclude<EntryField, "text" | "ordinal">> | "global", z.ZodType>>

/** Filters for entries. */
export const FILTER_FIELDS = {
  topic: label("Only this topic"),
  tags: words("Only entries with all of these tags"),
  kinds: KINDS.describe("Only these kinds"),
  author: label("Only this author"),
  role: z.enum(ROLES).optional().describe("Only this role"),
  session: label("Only this session"),
  after: time("Recorded at or after"),
  before: time("Recorded before"),
  as_of: time("What was valid and known then"),
  valid: z.boolean().optional().describe("Leave out what is no longer valid"),
  metadata: METADATA.optional().describe("Only with this metadata"),
  scope: z
    .enum(AGENT_SCOPES)
    .optional()
    .describe("both: this project, then global entries (default); project, global"),
}

export const OPTIONAL = { label, list, time }

const MAX_NAMES = 100
const MAX_NAME = 4096

/** Guessed names beside a question: a list, or one string with all of them. */
export const NAMES = z
  .union([z.array(z.string()).max(MAX_NAMES), z.string()])
  .optional()
  .describe('Words and identifiers the code may use, guessed, e.g. ["bounce", "blocklist", "suppressEmail"]')

/** Schema for paths, globs or names: a list, or a single string, because models send a string as often as a list. */
export function nameList(meaning: string) {
  const name = z.string().max(MAX_NAME)
  return z
    .union([name, z.array(name).max(MAX_NAMES)])
    .optional()
    .describe(meaning)
}
