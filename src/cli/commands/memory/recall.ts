import type { RecallAnswer, RecallRequest } from "../../../app/memory/requests.ts"
import { RECALL } from "../../../verbs/memory.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { remarkNotices, withMemory } from "../../with-project.ts"

export const recallCommand: Command = {
  usage: "[flags] QUERY...",
  details: `Finds memories by a question, some words or a name. Each result says when it was recorded, by whom, and
whether the code it is about has changed since. An entry that a newer one seems to replace is marked, and
comes after it where both fit the question. Without a query it lists the newest entries. Exits with 1 if nothing is found.`,
  flags: flagsOf(RECALL),
  examples: [
    { line: "aman recall why do retries stop at five", note: "a question" },
    { line: "aman recall --topic release --limit 3 branch", note: "within a topic" },
    { line: "aman recall --team '*' how to deploy", note: "what the team has shared" },
    { line: "aman recall --as-of 2025-03-01 who owns billing", note: "what was valid at that date" },
    {
      line: "aman recall --json --limit 5 -- QUERY",
      note: '{"query","results":[{"id","topic","text","freshness",…}],"took_ms"}',
    },
  ],
  async run(input) {
    const request = await recallRequest(input)
    const answer = await recallAnswer(input, request)
    if (input.flags.has("json")) await input.output.json(answer)
    else {
      const { renderRecall } = await import("../../render/render-recall.ts")
      await input.output.write(renderRecall(answer, request, input.output))
      if (answer.total === 0 && !input.flags.has("quiet"))
        input.output.remark("no memory matches; to see all of them: aman memory list\n")
      remarkNotices(input, answer.notices)
    }
    return answer.total > 0 ? EXIT.ok : EXIT.nothingFound
  },
}

async function recallAnswer(input: Input, request: RecallRequest): Promise<RecallAnswer> {
  const team = input.flags.text("team")
  if (team !== undefined) {
    const { recallTeam } = await import("../../../app/team/client/memory-copy.ts")
    const { orThisProject, withNotice } = await import("../../../app/team/client/without-server.ts")
    return orThisProject(
      () => recallTeam(team, request),
      async (notice) => withNotice(await recallHere(input, request), notice),
    )
  }
  return recallHere(input, request)
}

async function recallHere(input: Input, request: RecallRequest): Promise<RecallAnswer> {
  const { recall } = await import("../../../app/memory/recall.ts")
  return withMemory(input, (memory) => recall(memory, request))
}

async function recallRequest({ words, flags, signal }: Input): Promise<RecallRequest> {
  const typed = words.join(" ")
  const query = (typed === "-" ? await standardInput(signal) : typed).trim()
  const { team: _, kind: __, ...request } = fromFlags(RECALL, flags, { query })
  return request
}
