import { z } from "zod"
import { toEntryInput } from "../../app/memory/entries/entry-names.ts"
import type { RememberAnswer, RememberRequest } from "../../app/memory/requests.ts"
import { AmanError } from "../../base/errors.ts"
import { inline } from "../../text/fence.ts"
import { REMEMBER } from "../../verbs/memory.ts"
import { toolResult, WRITES } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./remember.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

// All relations of a call are written in one transaction, which takes about 1 ms for each.
const MAX_RELATIONS = 1000

const REMEMBERED = {
  id: z.string(),
  topic: z.string(),
  outcome: z.enum(["stored", "existing", "revised"]),
  untaken: z
    .array(z.string())
    .optional()
    .describe("Fields of an existing entry that differ from the given ones; use revise to change them"),
  similar: z
    .array(z.looseObject({ id: z.string(), text: z.string(), score: z.number(), reason: z.string() }))
    .describe("reason conflict: the new entry seems to replace or contradict it"),
}

const OUTPUT = z.looseObject({
  ...z.object(REMEMBERED).partial().shape,
  entries: z.array(z.looseObject(REMEMBERED)).describe("In the given order"),
  notices: z.array(z.string()),
})

export function registerRemember(tools: ToolBox, session: Session): void {
  const config = {
    title: "Remember",
    description,
    usual: ["text", "topic", "kind", "tags", "source", "supersedes", "global"] as const,
    described: ["global"] as const,
    fields: REMEMBER,
    outputSchema: OUTPUT,
    annotations: WRITES,
  }
  tools.register("remember", config, (asked) =>
    toolResult(async () => {
      const { rememberCompared } = await import("../../app/memory/remember.ts")
      const { if_new: ifNew, force } = asked
      refuseManyRelations(asked)
      const requests = rememberRequests(asked)
      const sources = requests.flatMap(({ source }) => source ?? [])
      const { withMemory, pathIn, notices } = await session.chooseRoot(asked.repository, sources)
      const inputs = requests.map(({ source, ...request }) =>
        toEntryInput(source == null ? request : { ...request, source: pathIn(source) }),
      )
      const remembered = await withMemory((memory) => rememberCompared(memory, inputs, { ifNew, force }))
      const answer = { ...remembered, notices: [...remembered.notices, ...notices] }
      const [first] = answer.entries
      const only = asked.entries === undefined ? first : undefined
      return { text: rememberedText(answer), structured: { ...only, ...answer } }
    }),
  )
}

type RememberArguments = Omit<RememberRequest, "text"> & {
  readonly text?: string | undefined
  readonly entries?: readonly RememberRequest[] | undefined
}

function refuseManyRelations({ relations = [], entries = [] }: RememberArguments): void {
  const count = entries.reduce((sum, entry) => sum + (entry.relations ?? relations).length, relations.length)
  if (count <= MAX_RELATIONS) return
  throw new AmanError("USAGE", `one call can store at most ${MAX_RELATIONS} relations, not ${count}`, {
    hint: "remember fewer entries at once",
  })
}

/** Fields beside `entries` are defaults for each entry. */
function rememberRequests({ entries, text, ...shared }: RememberArguments): RememberRequest[] {
  if (entries !== undefined && entries.length > 0) {
    if (text === undefined) return entries.map((entry) => ({ ...shared, ...entry }))
    throw new AmanError("USAGE", "both text and entries are given", { hint: "put the text into entries" })
  }
  if (text !== undefined) return [{ ...shared, text }]
  throw new AmanError("USAGE", "no text given", { hint: "give text, or entries of [{text, topic}]" })
}

function rememberedText({ entries, notices }: RememberAnswer): string {
  const lines = entries.flatMap(({ id, topic, outcome, similar }) => [
    `${OUTCOME[outcome]} ${id} in ${inline(topic)}`,
    ...similar.map(({ id, text, reason }) => `  ${SIMILAR[reason]}: ${id} ${inline(text)}`),
  ])
  return [...lines, ...notices.map((notice) => `Note: ${notice}`)].join("\n")
}

const SIMILAR = { words: "similar", vector: "similar", conflict: "seems to replace" } as const
const OUTCOME = { stored: "stored", existing: "known already:", revised: "revised" } as const
