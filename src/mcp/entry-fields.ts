import { z } from "zod"
import { SCOPES } from "../app/memory/requests.ts"
import { ENTRY_KINDS, type Json, ROLES } from "../memory/entries/entry.ts"
import type { EntryField, JsonName } from "../memory/entries/entry-fields.ts"

// Longer than any note; a client puts longer texts into a file.
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

const JSON_VALUE = z.json() as z.ZodType<Json>

export const TEXT = z
  .string()
  .max(MAX_CHARACTERS)
  .describe("What is to be known, understandable by itself; <private>…</private> in it is never stored")

/** Fields of an entry beside its text; the same wherever one is created or revised. */
export const ENTRY_FIELDS = {
  topic: label("What it is about, e.g. release, auth, people (default: general)"),
  kind: z.enum(ENTRY_KINDS).optional().describe("default: semantic"),
  tags: words("e.g. gotcha, invariant, how-to, performance"),
  key: label("At most one entry has a key: remembering under it again revises that one"),
  source: label("The code it speaks of: path, path:line, path:10-20 or path#symbol, below the project root"),
  metadata: z.record(z.string(), JSON_VALUE).optional().describe("Anything else, to filter by"),
  valid_from: time("Since when it holds in the world"),
  valid_until: time("Until when, exclusive"),
  recorded_at: time("When it was said, if not now"),
  author: label("Who says so"),
  role: z.enum(ROLES).optional().describe("What the author is"),
  session: label("The conversation or task it belongs to"),
  entities: list("Names of people, services, components that it mentions"),
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
    .describe("How entities relate; they are made where they are missing"),
  supersedes: words("Ids or keys of entries whose place it takes"),
  global: z.boolean().optional().describe("For all projects rather than this one"),
} satisfies Readonly<Record<JsonName<Exclude<EntryField, "text" | "ordinal">> | "global", z.ZodType>>

/** Filters for entries. */
export const FILTER_FIELDS = {
  topic: label("Only this topic"),
  tags: words("Only what has all of these tags"),
  kinds: KINDS.describe("Only of these kinds"),
  author: label("Only what this author said"),
  role: z.enum(ROLES).optional().describe("Only what such an author said"),
  session: label("Only this session"),
  after: time("Recorded then or later"),
  before: time("Recorded earlier"),
  as_of: time("What held and was known then"),
  valid: z.boolean().optional().describe("Leave out what no longer holds"),
  metadata: z.record(z.string(), JSON_VALUE).optional().describe("Only where the metadata says so"),
  scope: z
    .enum(SCOPES)
    .optional()
    .describe(
      "both: this project first, then what belongs to all (default); project, global; all: every project",
    ),
}

export const OPTIONAL = { label, list, time }
