import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"
import type { SearchAnswer } from "../../app/answers.ts"
import { cutAllToBudget } from "../../app/cut-answer.ts"
import { withoutRepeats } from "../../app/without-repeats.ts"
import { AmanError } from "../../base/errors.ts"
import { searchText, searchTexts } from "../search-text.ts"
import type { Session } from "../session.ts"
import { READS_ONLY, toolResult } from "../tool-result.ts"
import description from "./search.md" with { type: "text" }

const MOST_QUERIES = 10
// A query that is longer is answered by its beginning; this only keeps a call from being a file.
const MOST_CHARACTERS = 200_000
const DEFAULT_TOKENS = 6000

// Models give one string as readily as a list of them.
const list = (meaning: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(meaning)

const INPUT = {
  query: z
    .string()
    .max(MOST_CHARACTERS)
    .optional()
    .describe("An identifier, some words, an error message, or a question in plain words"),
  queries: z
    .array(z.string().max(MOST_CHARACTERS))
    .max(MOST_QUERIES)
    .optional()
    .describe("Several queries at once instead, each answered for itself"),
  like: z
    .string()
    .max(10_000)
    .optional()
    .describe("Find code like that at path:line, e.g. src/app.ts:120; query may be left out then"),
  limit: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe("At most this many files (default: the project's search.limit, 10)"),
  offset: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe("Go on after so many files: next_offset of the answer before, all else alike"),
  path: list(
    "Only below this folder or matching this glob, e.g. src/auth or **/*.test.ts; several: any of them",
  ),
  language: list("Only files of this language, e.g. go, typescript; several: any of them"),
  kind: list(
    "Only where one of these is defined: function, method, class, interface, struct, enum, trait, type, module, constant, variable, field, macro, property, section, component, selector, element, resource, key, route",
  ),
  content: z.enum(["all", "code", "docs"]).default("all").describe("Code, documentation, or both"),
  mode: z
    .enum(["hybrid", "keyword", "semantic"])
    .default("hybrid")
    .describe("Words and meaning, or one of them alone"),
  explain: z.boolean().default(false).describe("Also tell how each score came about"),
  max_tokens: z
    .number()
    .int()
    .min(500)
    .max(20_000)
    .default(DEFAULT_TOKENS)
    .describe("Spend about this many tokens on the text of the results"),
}

const PLACE = { start_line: z.number(), end_line: z.number(), symbol: z.string().nullable() }

const ANSWER = z.looseObject({
  query: z.string(),
  class: z.string().describe("What kind of query it was taken for"),
  results: z.array(
    z.looseObject({
      ...PLACE,
      path: z.string().describe("Relative to the project root"),
      language: z.string(),
      kind: z.string(),
      score: z.number(),
      text: z.string().describe("The lines from start_line on"),
      cut: z.boolean().describe("Whether text ends before end_line; read has the rest"),
      also: z.array(z.looseObject(PLACE)).describe("Further places in the same file"),
      variants: z.array(z.string()).optional().describe("The same module for other platforms"),
      shown_for: z.string().optional().describe("The query of this call that has the text of these lines"),
    }),
  ),
  offset: z.number(),
  next_offset: z.number().nullable().describe("The offset of the next page; null after the last"),
  partial: z
    .looseObject({ done: z.number(), total: z.number(), share: z.number() })
    .nullable()
    .describe("How much is indexed so far; null when all is"),
  took_ms: z.number(),
  notices: z.array(z.string()),
})

// What a client gets must be one object: the answer, or all of them where several queries were asked.
const OUTPUT = ANSWER.partial().extend({
  answers: z.array(ANSWER).optional().describe("In the order of queries"),
})

export function registerSearch(server: McpServer, session: Session): void {
  const config = {
    title: "Search the project",
    description,
    inputSchema: INPUT,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  server.registerTool("search", config, ({ max_tokens, path, language, kind, ...asked }, { signal }) =>
    toolResult(async () => {
      const filters = { paths: many(path), languages: many(language), kinds: many(kind) }
      const { query, queries, ...rest } = asked
      const answers: SearchAnswer[] = []
      for (const each of everyQuery(asked)) {
        const request = { ...rest, ...filters, query: each }
        answers.push(await session.call((project) => project.search(request, signal)))
      }
      const cut = cutAllToBudget(withoutRepeats(answers), max_tokens)
      if (queries === undefined) return { text: searchText(cut[0]!), structured: cut[0]! }
      return { text: searchTexts(cut), structured: { answers: cut } }
    }),
  )
}

type Asked = { readonly query?: string | undefined; readonly queries?: readonly string[] | undefined }

function everyQuery({ query, queries = [], like }: Asked & { readonly like?: string | undefined }): string[] {
  const all = [...(query === undefined ? [] : [query]), ...queries].filter((each) => each.trim() !== "")
  if (all.length > 0) return all
  if (like !== undefined) return [""]
  throw new AmanError("USAGE", "nothing to search for", { hint: "give query, queries or like" })
}

function many(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value
}
