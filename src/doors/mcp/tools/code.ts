import { z } from "zod"
import { contextText, loadMemories, type MemoryHints } from "../../../context/index.ts"
import {
  declaredElsewhere,
  loadCodeLog,
  otherUsesNotes,
  partialNotes,
  RELATIONS,
  type ReferenceAnswer,
  type RelatedAnswer,
  type SymbolAnswer,
  unseenNotes,
} from "../../../symbols/index.ts"
import { DATA_NOTICE, fenced, inline } from "../../../text/index.ts"
import { CONTEXT, contextRequest, LOG, READ, SYMBOL, symbolRequest } from "../../verbs/code.ts"
import { pieceOf, type ReadPiece } from "../../verbs/read-piece.ts"
import type { Session } from "../session/session.ts"
import contextDescription from "./context.md" with { type: "text" }
import logDescription from "./log.md" with { type: "text" }
import readDescription from "./read.md" with { type: "text" }
import symbolDescription from "./symbol.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"
import { INDEX_SHARE, READS_ONLY, toolResult } from "./tool-result.ts"

const CONTEXT_OUTPUT = z.object({
  summary: z.string().describe("What the answer contains"),
  files: z
    .array(
      z.object({
        repository: z.string().optional().describe("The other repository; pass it to read"),
        path: z.string(),
        snippets: z.array(
          z.object({
            text: z.string().describe("Code, or lines with places and signatures"),
            lines: z.string().describe('"10-40": the lines it shows or is about'),
            why: z.string().describe("Why it is included"),
          }),
        ),
      }),
    )
    .describe("Best first"),
  commits: z
    .array(z.object({ repository: z.string(), commit: z.string().nullable() }))
    .optional()
    .describe("Indexed commits of other repositories"),
  hints: z.array(z.string()).describe("Memories, what was left out and how to get it"),
  tokens: z.number().describe("Of this answer, in o200k_base tokens"),
})

export function registerContext(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Context for a task",
    description: contextDescription,
    usual: ["query", "names", "max_tokens", "path"] as const,
    fields: CONTEXT,
    outputSchema: CONTEXT_OUTPUT,
    annotations: READS_ONLY,
    isShownAtOnce: true,
  }
  const hints: MemoryHints = async (query, found) => {
    const { memoryHints } = await loadMemories()
    return session.withMemory((memory) => memoryHints(memory, query, found))
  }
  tools.register("context", config, (asked, call) =>
    toolResult(async () => {
      const asking = { memories: hints, signal: call.signal }
      const bundle = await session.source(asked.repository, call).context(contextRequest(asked), asking)
      return { text: contextText(bundle), structured: bundle }
    }),
  )
}

const READ_OUTPUT = z.looseObject({
  repository: z.string().optional(),
  path: z.string(),
  language: z.string(),
  start_line: z.number(),
  start_column: z
    .number()
    .optional()
    .describe("Where text begins in its first line, if not at its beginning"),
  end_line: z.number().describe("The last line in text"),
  total_lines: z.number().describe("Lines of the whole file"),
  text: z.string(),
  notices: z.array(z.string()).optional(),
  cut: z.boolean().describe("Whether text ends before the end of the requested lines"),
  next: z
    .object({ start_line: z.number(), start_column: z.number().optional() })
    .optional()
    .describe("Arguments for the next piece, if text is cut"),
})

export function registerRead(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Read a file",
    description: readDescription,
    usual: ["path", "start_line", "end_line"] as const,
    fields: READ,
    outputSchema: READ_OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("read", config, ({ path, repository, start_line, end_line, start_column, max_tokens }) =>
    toolResult(async () => {
      const lineRange = {
        ...(start_line && { startLine: start_line }),
        ...(end_line && { endLine: end_line }),
      }
      const request = { path, ...lineRange }
      const answer = await session.source(repository).read(request)
      const structured = pieceOf(answer, { startColumn: start_column, maxTokens: max_tokens })
      return { text: fileAsText(structured), structured }
    }),
  )
}

function fileAsText(piece: ReadPiece): string {
  const { repository, path, start_line, end_line, total_lines, language, text, next, notices = [] } = piece
  const where = repository === undefined ? "" : `${inline(repository)} `
  const from = piece.start_column === undefined ? "" : `, from character ${piece.start_column}`
  const head = `${where}${inline(path)}:${start_line}-${end_line} of ${total_lines} lines${from}. ${DATA_NOTICE}`
  const body = fenced(withLineNumbers(text, start_line), language)
  const further = next === undefined ? [] : [`Cut: continue with ${placeText(next)}.`]
  return [head, body, ...notices.map((notice) => `Note: ${notice}.`), ...further].join("\n")
}

function placeText({ start_line, start_column }: NonNullable<ReadPiece["next"]>): string {
  return `start_line ${start_line}${start_column === undefined ? "" : `, start_column ${start_column}`}`
}

function withLineNumbers(text: string, first: number): string {
  if (text === "") return ""
  const lines = text.replace(/\n$/, "").split("\n")
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n")
}

const LOG_OUTPUT = z.looseObject({
  what: z.string(),
  places: z.array(
    z.looseObject({
      path: z.string(),
      name: z.string().nullable(),
      start_line: z.number().nullable(),
      end_line: z.number().nullable(),
      is_edited: z.boolean().describe("Differs from the last commit"),
      commits: z.array(
        z.looseObject({
          id: z.string(),
          date: z.string(),
          author: z.string(),
          subject: z.string(),
          body: z.string(),
          pull_requests: z.array(z.string()),
        }),
      ),
    }),
  ),
  memories: z.array(z.looseObject({ id: z.string(), text: z.string() })),
  notices: z.array(z.string()),
})

/** This tool is not listed by default; agents reach it through `manage`. */
export function registerLog(tools: ToolBox, session: Session): void {
  const config = {
    title: "Why code is as it is",
    description: logDescription,
    usual: ["what", "limit"] as const,
    fields: LOG,
    outputSchema: LOG_OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("log", config, ({ repository, ...request }, call) =>
    toolResult(async () => {
      const { memoriesAbout } = await loadMemories()
      const { logText } = await loadCodeLog()
      const answer = await session.withProject(async (project) => {
        const roots = await session.roots()
        if (roots !== null) return roots.log({ ...request, repository }, call.signal)
        const { withMemory } = await session.chooseRoot(repository)
        const about = (paths: readonly string[], names: readonly string[]) =>
          withMemory((memory) => memoriesAbout(memory, paths, names))
        return project.log(request, about, call.signal)
      }, call)
      const notices = answer.notices.map((notice) => `Note: ${notice}`)
      return { text: [DATA_NOTICE, logText(answer), ...notices].join("\n\n"), structured: answer }
    }),
  )
}

const PLACE = {
  repository: z.string().optional().describe("The other repository; pass it to read"),
  name: z.string(),
  kind: z.string(),
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
}
const CERTAINTY = z.enum(["certain", "possible", "by name"])
const USE = z.looseObject({
  repository: z.string().optional(),
  path: z.string(),
  line: z.number(),
  kind: z.enum(["call", "import", "inherits", "mention"]),
  within: z.string().nullable().describe("The function or type that contains it"),
  certainty: CERTAINTY,
  text: z.string(),
})

const SYMBOL_OUTPUT = z.looseObject({
  name: z.string().nullable(),
  relation: z.enum(RELATIONS),
  definitions: z.array(
    z.looseObject({
      ...PLACE,
      signature: z.string(),
      doc: z.string().nullable(),
      language: z.string(),
      centrality: z.number(),
    }),
  ),
  related: z
    .array(
      z.looseObject({
        ...PLACE,
        depth: z.number(),
        certainty: CERTAINTY,
        lines: z.array(z.number()),
        centrality: z.number().optional(),
        reason: z.string().optional(),
        through: z.array(z.string()).optional(),
      }),
    )
    .describe("Callers, callees, implementations, tests, affected, unused or central symbols"),
  references: z.array(USE).describe("References; for callers: calls outside of any function"),
  outline: z.array(z.looseObject({ ...PLACE, signature: z.string(), level: z.number() })),
  tests: z.array(z.string()).describe("For impact: test files that reach it"),
  files: z.array(z.string()).describe("For impact: other affected files"),
  commands: z.array(z.string()).optional().describe("For tests: shell commands that run those listed"),
  total: z.number(),
  unseen_files: z
    .number()
    .describe(
      "Files that use the name (for callees: definitions) that were not checked yet; continue with next_offset",
    ),
  next_offset: z.number().nullable(),
  unresolved: z
    .looseObject({ total: z.number(), places: z.array(USE) })
    .describe("Unresolved uses of the name: they may or may not refer to it"),
  other_uses: z
    .number()
    .describe("Uses of the name (for callers: calls) that mean something else, such as another definition"),
  partial: INDEX_SHARE,
  took_ms: z.number(),
  notices: z.array(z.string()),
})

export function registerSymbol(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Follow a symbol",
    description: symbolDescription,
    usual: ["name", "relation", "path", "depth", "diff"] as const,
    fields: SYMBOL,
    outputSchema: SYMBOL_OUTPUT,
    annotations: READS_ONLY,
    hasView: true,
  }
  tools.register("symbol", config, (asked, call) =>
    toolResult(async () => {
      const source = session.source(asked.repository, call)
      const structured = await source.symbol(symbolRequest(asked), { signal: call.signal })
      return { text: symbolText(structured), structured }
    }),
  )
}

/** Formats the answer for a model: one place per line. */
export function symbolText(answer: SymbolAnswer): string {
  const { relation, definitions, related, references, outline, tests, files, total, next_offset } = answer
  const lines = [
    DATA_NOTICE,
    ...definitions.map(({ repository, path, start_line, end_line, kind, signature, doc }) =>
      [
        `defined: ${pathWithRepository(repository, path)}:${start_line}-${end_line} ${kind}: ${inline(signature)}`,
        ...(doc === null ? [] : [`  ${inline(doc)}`]),
      ].join("\n"),
    ),
    ...(relation === "definition"
      ? []
      : [
          total + files.length + tests.length === 0
            ? `no ${relation}`
            : `${relation}: ${total}${answer.unseen_files > 0 ? " so far" : ""}`,
        ]),
    ...related.map(relatedText),
    ...references.map(referenceText),
    ...outline.map(
      ({ start_line, end_line, level, signature }) =>
        `${"  ".repeat(level)}${start_line}-${end_line} ${inline(signature)}`,
    ),
    ...(tests.length === 0 ? [] : [`tests that reach it: ${tests.map(inline).join(", ")}`]),
    ...(answer.commands ?? []).map((command) => `run: ${inline(command)}`),
    ...(files.length === 0 ? [] : [`files affected: ${files.map(inline).join(", ")}`]),
    ...unresolvedText(answer),
    ...otherUsesNotes(answer).map((note) => `${note}.`),
    ...unseenNotes(answer).map((note) => `${note}.`),
    ...(next_offset === null ? [] : [`There is more: the same call with "offset": ${next_offset}.`]),
    ...partialNotes(answer).map((note) => `${note}.`),
  ]
  return [...lines, ...answer.notices.map((notice) => `Note: ${notice}`)].join("\n")
}

function unresolvedText({ unresolved: { total, places } }: SymbolAnswer): string[] {
  if (total === 0) return []
  return [`${total} more unresolved uses of the name:`, ...places.map(referenceText)]
}

function relatedText(each: RelatedAnswer): string {
  const { repository, path, start_line, kind, name, depth, certainty, lines, centrality, reason, through } =
    each
  const elsewhere = declaredElsewhere(each)
  const declared = elsewhere === null ? "" : ` declared at ${inline(elsewhere)}`
  const at = lines.length === 0 ? declared : ` at line ${lines.slice(0, 5).join(", ")}`
  const via = through === undefined || through.length === 0 ? "" : ` through ${inline(through.join(" > "))}`
  const indent = through === undefined ? "  ".repeat(depth - 1) : ""
  return `${indent}${pathWithRepository(repository, path)}:${start_line} ${kind} ${inline(name)}${at}${via}${targetsText(each)} (${centrality ?? reason ?? certainty})`
}

function referenceText(each: ReferenceAnswer): string {
  const { repository, path, line, kind, within, certainty, text } = each
  const where = within === null ? "" : ` in ${inline(within)}`
  return `${pathWithRepository(repository, path)}:${line} ${kind}${targetsText(each)}${where} (${certainty}): ${inline(text)}`
}

/** Which of several definitions are meant. */
function targetsText({ targets = [] }: Pick<ReferenceAnswer, "targets">): string {
  return targets.length === 0 ? "" : ` → ${inline(targets.join(", "))}`
}

/** The path, after the name of its repository unless it is the project. */
function pathWithRepository(repository: string | undefined, path: string): string {
  return repository === undefined ? inline(path) : `${inline(repository)} ${inline(path)}`
}
