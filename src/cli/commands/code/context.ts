import { AmanError } from "../../../base/errors.ts"
import { CONTEXT, contextRequest } from "../../../verbs/code.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { printable } from "../../render/printable.ts"
import { INDEX_FLAGS, withSource } from "../../with-project.ts"

export const contextCommand: Command = {
  usage: "[flags] TASK...",
  details: `Collects what an agent needs to know for a task, within a token budget (o200k_base): the most relevant
definitions, their callees and callers, their tests and latest commits, and related memories; other files that match
are named. Each part says why it is included, and hints name what was left out. The index is
built or updated first. Everything after -- belongs to the task; - reads the task from stdin. Exits with 1 if nothing
is found.`,
  flags: [...flagsOf(CONTEXT), ...INDEX_FLAGS],
  examples: [
    { line: "aman context -- add a --json flag to the export command", note: "a task" },
    {
      line: 'aman context --names "renew ttl" where are sessions renewed',
      note: "with names that the code may use",
    },
    { line: "aman context --max-tokens 1000 where are sessions renewed", note: "the essentials only" },
    {
      line: "aman context --root ~/work/shop --json --max-tokens 2000 -- fix the cart total",
      note: "for a program",
    },
    { line: "gh issue view 12 | aman context -", note: "the task from stdin" },
    { line: "aman context --repository '*' retry back-off", note: "from all other repositories" },
  ],
  async run(input) {
    const request = contextRequest(fromFlags(CONTEXT, input.flags, { query: await task(input) }))
    const { memoriesIn } = await import("../../../app/context/memories.ts")
    await using memories = memoriesIn({ cwd: input.cwd, root: input.flags.text("root") })
    const bundle = await withSource(input, (source) => source.context(request, { memories: memories?.hints }))
    if (input.flags.has("json")) await input.output.json(bundle)
    else {
      const { contextText } = await import("../../../app/context/bundle.ts")
      await input.output.write(printable(contextText(bundle)))
    }
    return bundle.files.length === 0 ? EXIT.nothingFound : EXIT.ok
  },
}

async function task({ words, flags, signal }: Input): Promise<string> {
  const isPiped = words.length === 0 && !flags.has("names") && process.stdin.isTTY !== true
  const typed = words.join(" ") === "-" || isPiped ? await standardInput(signal) : words.join(" ")
  if (typed.trim() !== "" || flags.has("names")) return typed.trim()
  throw new AmanError("USAGE", "no task given", {
    hint: "for example: aman context fix the total of an empty cart; for an overview of the project: aman map",
  })
}
