import { z } from "zod"
import { AGENT_ACTIONS, runCall, toCall } from "../../app/memory/actions/actions.ts"
import type { KnowledgeAnswer } from "../../app/memory/actions/answer.ts"
import { AmanError } from "../../base/errors.ts"
import { charactersIn } from "../../text/token-count.ts"
import { ENTRY_FIELDS, FILTER_FIELDS, FOLDER, OPTIONAL, TEXT } from "../entry-fields.ts"
import { entryPage } from "../render/entry-page.ts"
import { fitAnswer } from "../render/fit-answer.ts"
import { MAY_REMOVE, toolResult } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./knowledge.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const { label, list, time } = OPTIONAL
const USUAL_TOKENS = 8000
const MAX_ENTRIES = 1000

// A revision can change the fields of an entry, except these, which are only set for a new entry.
const { relations, supersedes, recorded_at, global, ...REVISED_FIELDS } = ENTRY_FIELDS

const INPUT = {
  action: z.enum(AGENT_ACTIONS).describe("What to do; the description lists its arguments"),
  id: label("One entry, by id or key: revise, append, invalidate, history, get"),
  ids: list("Entries, by id or key: get, tag, untag, delete, restore, merge-entries, refresh"),
  text: TEXT.optional(),
  ...REVISED_FIELDS,
  ...FILTER_FIELDS,
  repository: FOLDER,
  reason: label("Why: revise, invalidate, delete"),
  successor: label("invalidate: id or key of the entry that replaces it"),
  at: time("invalidate: when it stopped being valid (default: now)"),
  query: label("reconstruct: the subject"),
  max_tokens: z
    .number()
    .int()
    .min(100)
    .max(20_000)
    .optional()
    .describe("Approximate tokens of the answer (default 8000; reconstruct 2000)"),
  match: label("entries, entities: only those that contain this text"),
  since: time("changes: since this date"),
  known_at: time("list: what was known then, in the wording of then"),
  deleted: z.boolean().optional().describe("list: only deleted entries, which restore brings back"),
  days: z.number().min(0).max(100_000).optional().describe("recent, prune"),
  hours: z.number().min(0).max(1_000_000).optional().describe("recent"),
  around: label("timeline: the entry in the middle, by id or key"),
  from: label("merge: the topic to remove; path, relate, unrelate: an entity"),
  into: label("merge: the topic to keep"),
  to: label("rename: the new name; path, relate, unrelate: the other entity"),
  name: label("entity: its name"),
  type: label("entity: person, service, …; relate, unrelate: type of relation; entities: only this type"),
  weight: z.number().min(0).max(1).optional().describe("relate: strength (default 1)"),
  description: label("entity: its description"),
  aliases: list("entity: other names of it"),
  entity: label("related: its name"),
  depth: z.number().int().min(1).max(5).optional().describe("related (default 1)"),
  direction: z.enum(["outgoing", "incoming", "both"]).optional().describe("related (default both)"),
  types: list("related: only relations of these types"),
  accept: z.boolean().optional().describe("refresh: the entry still holds for the current code"),
  path: label("export, import: a file below the project root"),
  format: label("export: jsonl or markdown; import: detected by default"),
  force: z
    .boolean()
    .optional()
    .describe("Store text even if it looks like a credential; import: also overwrite newer changes"),
  dry_run: z.boolean().optional().describe("import: only show what would change"),
  limit: z.number().int().min(1).max(MAX_ENTRIES).optional().describe("At most this many (default 20)"),
  offset: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "Skip this many (get of one entry: characters of its text): next_offset of the previous answer",
    ),
}

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
    inputSchema: z.strictObject(INPUT),
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
