import { z } from "zod"
import { runCall, toCall } from "../../app/memory/actions/actions.ts"
import type { KnowledgeAnswer } from "../../app/memory/actions/answer.ts"
import { AmanError } from "../../base/errors.ts"
import { charactersIn } from "../../text/token-count.ts"
import { CALL } from "../../verbs/memory.ts"
import { entryPage } from "../render/entry-page.ts"
import { fitAnswer } from "../render/fit-answer.ts"
import { MAY_REMOVE, toolResult } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./knowledge.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const USUAL_TOKENS = 8000
const OUTPUT = z.looseObject({
  action: z.string(),
  entries: z
    .array(z.looseObject({ id: z.string(), topic: z.string(), text: z.string() }))
    .optional()
    .describe("If the answer is a list of entries"),
  total: z.number().optional().describe("Total, regardless of limit and offset"),
  next_offset: z.number().nullable().optional().describe("Null on the last page"),
})

export function registerKnowledge(tools: ToolBox, session: Session): void {
  const config = {
    title: "Knowledge",
    description,
    usual: ["action"] as const,
    described: [] as const,
    fields: CALL,
    outputSchema: OUTPUT,
    annotations: MAY_REMOVE,
    hasView: true,
  }
  tools.register("knowledge", config, ({ repository, ...asked }) =>
    toolResult(async () => {
      // `kind` of a revised entry is one value; for other actions it is a filter.
      const call = toCall({ ...asked, kinds: asked.kinds ?? (asked.kind && [asked.kind]) })
      const { withMemory, notices } = await session.chooseRoot(repository)
      const answer = await withMemory((memory) => runCall(memory, call))
      const { data, text } = fitToBudget(call.action, answer, asked)
      const notes = notices.map((notice) => `\n\nNote: ${notice}`)
      return {
        text: [text || "Nothing found.", ...notes].join(""),
        structured: { action: call.action, ...data },
      }
    }),
  )
}

type PageArguments = { readonly max_tokens?: number | undefined; readonly offset?: number | undefined }

/** Cuts the answer to its token budget. An export is never cut, and reconstruct keeps its own budget. */
function fitToBudget(action: string, answer: KnowledgeAnswer, { max_tokens, offset }: PageArguments) {
  const tokens = max_tokens ?? USUAL_TOKENS
  if (action === "reconstruct") return answer
  if (action === "get") return entryPage(answer, offset ?? 0, tokens) ?? fitAnswer(answer, tokens)
  if (action !== "export" || answer.text.length <= charactersIn(tokens)) return fitAnswer(answer, tokens)
  throw new AmanError("USAGE", `the export has ${answer.text.length} characters, too many for an answer`, {
    hint: "set path to a file below the project root",
  })
}
