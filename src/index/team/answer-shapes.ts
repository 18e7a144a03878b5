import { z } from "zod"

const PLACE = { repository: z.string().optional(), path: z.string() }
const LINES = { start_line: z.number(), end_line: z.number() }
const [notices, numbers] = [z.array(z.string()), z.array(z.number())]
const listOf = (fields: z.ZodRawShape) => z.array(z.looseObject(fields))

const RESULT_LINES = { ...LINES, symbol: z.string().nullable() }
const RESULTS = {
  query: z.string(),
  results: listOf({
    ...{
      ...PLACE,
      ...RESULT_LINES,
      language: z.string(),
      kind: z.string(),
      score: z.number(),
      text: z.string(),
    },
    also: listOf(RESULT_LINES),
  }),
  next_offset: z.number().nullable(),
  notices,
}
const SYMBOLS = listOf({ ...PLACE, ...LINES, name: z.string() })
const USES = listOf({ ...PLACE, line: z.number(), text: z.string() })

/** The parts of each answer of a team's server on which its client depends, by the path of the request. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  "/v1/status": z.looseObject({
    ...{ version: z.string(), principal: z.string(), key: z.string(), repositories: z.number() },
  }),
  "/v1/repositories": z.looseObject({
    repositories: listOf({
      ...{ repository: z.string(), commit: z.string(), files: z.number(), published_at: z.string() },
      error: z.string().nullable(),
    }),
  }),
  "/v1/revisions": z.looseObject({
    revisions: listOf({
      ...{ repository: z.string(), commit: z.string(), manifest: z.string(), index_version: z.number() },
      ...{ shape: z.string(), signature: z.string() },
    }),
  }),
  "/v1/search": z.looseObject({
    ...{ ...RESULTS, repositories: listOf({ repository: z.string() }).optional() },
    scale: z.looseObject({ hasMatch: z.boolean(), stems: z.array(z.string()), fileIdf: numbers }).optional(),
  }),
  "/v1/grep": z.looseObject({ ...RESULTS, files: z.number(), matches: z.number() }),
  "/v1/context": z.looseObject({
    ...{ summary: z.string(), hints: notices, tokens: z.number() },
    files: listOf({ ...PLACE, snippets: z.array(z.looseObject({})) }),
    commits: listOf({ repository: z.string(), commit: z.string().nullable() }).optional(),
  }),
  "/v1/symbol": z.looseObject({
    ...{ definitions: SYMBOLS, related: SYMBOLS, outline: SYMBOLS, references: USES },
    ...{ unresolved: z.looseObject({ total: z.number(), places: USES }), notices },
  }),
  "/v1/read": z.looseObject({
    ...{ path: z.string(), ...LINES, total_lines: z.number(), text: z.string() },
    notices: notices.optional(),
  }),
  "/v1/memory/push": z.looseObject({
    stored: z.number(),
    refused: listOf({ subject: z.string(), reason: z.string() }),
  }),
  "/v1/memory/pull": z.looseObject({
    events: listOf({ owner: z.string(), body: z.string() }),
    ...{ next: z.string(), more: z.boolean(), digest: z.string(), principal: z.string() },
  }),
}

/** True if `answer` has the parts that an answer to a request with this path must have. */
export function hasAnswerShape(path: string, answer: unknown): boolean {
  return SHAPES[path]?.safeParse(answer).success ?? false
}
