import { z } from "zod"
import { SCOPES } from "../app/knowledge/requests.ts"
import { ENTRY_KINDS, type Json, ROLES } from "../knowledge/entry.ts"

// Longer than any note, and shorter than what a client would rather put in a file.
const MOST_CHARACTERS = 1_000_000
const label = (meaning: string) => z.string().max(1000).optional().describe(meaning)
const time = (meaning: string) =>
  z.string().max(40).optional().describe(`${meaning}; ISO 8601, a date or an instant`)

/** Models give one string as readily as a list of them. */
const list = (meaning: string) =>
  z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)])
    .optional()
    .transform((value) => (typeof value === "string" ? [value] : value))
    .describe(meaning)

/** The same of words that hold no comma: one string may be several of them. */
const words = (meaning: string) =>
  list(meaning).transform((values) =>
    values
      ?.flatMap((value) => value.split(","))
      .map((value) => value.trim())
      .filter((value) => value !== ""),
  )

/** One kind or several. */
export const KINDS = z
  .union([z.enum(ENTRY_KINDS), z.array(z.enum(ENTRY_KINDS))])
  .optional()
  .transform((value) => (typeof value === "string" ? [value] : value))

const JSON_VALUE = z.json() as z.ZodType<Json>

export const TEXT = z
  .string()
  .max(MOST_CHARACTERS)
  .describe("What is to be known, understandable by itself; <private>…</private> in it is never stored")

/** What may be said of an entry beside its text; the same wherever one is made or revised. */
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
}

/** What narrows down which entries are meant. */
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
