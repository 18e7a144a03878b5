import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"
import type { SearchRequest } from "../../app/answers.ts"
import { cutToBudget } from "../cut-answer.ts"
import { searchText } from "../search-text.ts"
import type { Session } from "../session.ts"
import { READS_ONLY, toolResult } from "../tool-result.ts"
import description from "./search.md" with { type: "text" }

const DEFAULT_LIMIT = 8
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
    .min(1)
    .max(10_000)
    .describe("An identifier, some words, an error message, or a question in plain words"),
  limit: z.number().int().min(1).max(50).default(DEFAULT_LIMIT).describe("At most this many files"),
  path: list(
    "Only below this folder or matching this glob, e.g. src/auth or **/*.test.ts; several: any of them",
  ),
  language: list("Only files of this language, e.g. go, typescript; several: any of them"),
  kind: list(
    "Only where one of these is defined: function, method, class, interface, struct, enum, trait, type, module, constant, variable, field, macro, property, section",
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

const OUTPUT = z.looseObject({
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
    }),
  ),
  partial: z
    .looseObject({ done: z.number(), total: z.number(), share: z.number() })
    .nullable()
    .describe("How much is indexed so far; null when all is"),
  took_ms: z.number(),
  notices: z.array(z.string()),
})

export function registerSearch(server: McpServer, session: Session): void {
  const config = {
    title: "Search the project",
    description,
    inputSchema: INPUT,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  server.registerTool("search", config, ({ max_tokens, path, language, kind, ...rest }, { signal }) =>
    toolResult(async () => {
      const request: SearchRequest = {
        ...rest,
        paths: many(path),
        languages: many(language),
        kinds: many(kind),
      }
      const answer = cutToBudget(await session.call((project) => project.search(request, signal)), max_tokens)
      return { text: searchText(answer), structured: answer }
    }),
  )
}

function many(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value
}
