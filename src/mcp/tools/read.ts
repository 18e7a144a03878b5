import { z } from "zod"
import type { ReadAnswer } from "../../app/answers.ts"
import { Budget } from "../../app/search/token-budget.ts"
import { DATA_NOTICE, fenced, inline } from "../../text/fence.ts"
import { READ } from "../../verbs/code.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import description from "./read.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"

const OUTPUT = z.looseObject({
  repository: z.string().optional(),
  path: z.string(),
  language: z.string(),
  start_line: z.number(),
  end_line: z.number().describe("The last line in text"),
  total_lines: z.number().describe("Lines of the whole file"),
  text: z.string(),
  notices: z.array(z.string()).optional(),
  cut: z.boolean().describe("Whether text ends before the requested line; continue at end_line + 1"),
})

export function registerRead(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Read a file",
    description,
    usual: ["path", "start_line", "end_line"] as const,
    fields: READ,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("read", config, ({ path, repository, start_line, end_line, max_tokens }) =>
    toolResult(async () => {
      const lineRange = {
        ...(start_line && { startLine: start_line }),
        ...(end_line && { endLine: end_line }),
      }
      const request = { path, ...lineRange }
      const answer = await session.source(repository).read(request)
      const { text, lines, isWhole } = new Budget(max_tokens).take(answer.text)
      const last = isWhole ? answer.end_line : answer.start_line + lines - 1
      const structured = { ...answer, text, end_line: last, cut: !isWhole }
      return { text: fileAsText(structured), structured }
    }),
  )
}

function fileAsText(answer: ReadAnswer & { readonly cut: boolean }): string {
  const { repository, path, start_line, end_line, total_lines, language, text, cut, notices = [] } = answer
  const where = repository === undefined ? "" : `${inline(repository)} `
  const head = `${where}${inline(path)}:${start_line}-${end_line} of ${total_lines} lines. ${DATA_NOTICE}`
  const body = fenced(withLineNumbers(text, start_line), language)
  const further = cut ? [`Cut: continue with start_line ${end_line + 1}.`] : []
  return [head, body, ...notices.map((notice) => `Note: ${notice}.`), ...further].join("\n")
}

function withLineNumbers(text: string, first: number): string {
  if (text === "") return ""
  const lines = text.replace(/\n$/, "").split("\n")
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n")
}
