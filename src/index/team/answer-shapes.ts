import { z } from "zod"

const [text, number] = [z.string(), z.number()]
const PLACE = { repository: text.optional(), path: text }
const LINES = { start_line: number, end_line: number }
const notices = z.array(text)
const listOf = (fields: z.ZodRawShape) => z.array(z.looseObject(fields))

const RESULT_LINES = { ...LINES, symbol: text.nullable() }
const RESULTS = {
  query: text,
  results: listOf({
    ...{ ...PLACE, ...RESULT_LINES, language: text, kind: text, score: number, text },
    also: listOf(RESULT_LINES),
    ...{ sum: number.optional(), sum_as_code: number.nullable().optional() },
  }),
  next_offset: number.nullable(),
  notices,
}
// The sums of the client's own files are multiplied and divided by these numbers.
const amount = number.min(-1).max(1e9)
const [amounts, divisor] = [z.array(amount), amount.min(1e-7)]
const SCALE = z.looseObject({
  ...{ files: amount, chunks: amount, hasMatch: z.boolean(), stems: z.array(text) },
  ...{ weights: amounts, fileIdf: amounts, chunkIdf: amounts, idfSum: divisor, chunkIdfSum: divisor },
  ...{ maxScore: amount, maxChunk: amount, maxTopChunks: amount, strangeness: amount, maxExactWords: amount },
})
const SYMBOLS = listOf({ ...PLACE, ...LINES, name: text })
const USES = listOf({ ...PLACE, line: number, text: text })

/** The parts of each answer of a team's server on which its client depends, by the path of the request. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  "/v1/status": z.looseObject({ version: text, principal: text, key: text, repositories: number }),
  "/v1/repositories": z.looseObject({
    repositories: listOf({
      ...{ repository: text, commit: text, files: number, published_at: text },
      error: text.nullable(),
    }),
  }),
  "/v1/revisions": z.looseObject({
    revisions: listOf({
      ...{ repository: text, commit: text, manifest: text, index_version: number },
      ...{ shape: text, signature: text },
    }),
  }),
  "/v1/search": z.looseObject({
    ...{ ...RESULTS, repositories: listOf({ repository: text }).optional() },
    scale: SCALE.optional(),
  }),
  "/v1/grep": z.looseObject({ ...RESULTS, files: number, matches: number }),
  "/v1/context": z.looseObject({
    ...{ summary: text, hints: notices, tokens: number },
    files: listOf({ ...PLACE, snippets: z.array(z.looseObject({})) }),
    commits: listOf({ repository: text, commit: text.nullable() }).optional(),
  }),
  "/v1/symbol": z.looseObject({
    ...{ definitions: SYMBOLS, related: SYMBOLS, outline: SYMBOLS, references: USES },
    ...{ unresolved: z.looseObject({ total: number, places: USES }), notices },
  }),
  "/v1/read": z.looseObject({
    ...{ path: text, ...LINES, total_lines: number, text: text },
    notices: notices.optional(),
  }),
  "/v1/memory/push": z.looseObject({ stored: number, refused: listOf({ subject: text, reason: text }) }),
  "/v1/memory/pull": z.looseObject({
    events: listOf({ owner: text, body: text }),
    ...{ next: text, more: z.boolean(), digest: text, principal: text },
  }),
}

/** True if `answer` has the parts that an answer to a request with this path must have. */
export function hasAnswerShape(path: string, answer: unknown): boolean {
  return SHAPES[path]?.safeParse(answer).success ?? false
}
