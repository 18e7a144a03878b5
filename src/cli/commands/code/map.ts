import { MAP } from "../../../verbs/code.ts"
import { type Command, EXIT } from "../../command.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { refuseArguments } from "../../flags/subcommand.ts"
import { printable } from "../../render/printable.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../../with-project.ts"

export const mapCommand: Command = {
  usage: "[flags]",
  details: `Shows what a project is, its entry points (commands, libraries, main functions, targets), what its folders
hold, and its most used symbols. The index is built or updated first.`,
  flags: [...flagsOf(MAP), ...INDEX_FLAGS],
  examples: [
    { line: "aman map", note: "the project around the working directory" },
    { line: "aman map --max-tokens 500", note: "the essentials only" },
    { line: "aman map --json", note: "everything, for a program" },
  ],
  async run(input) {
    refuseArguments(input, "map")
    const { max_tokens: tokens } = fromFlags(MAP, input.flags)
    const { mapProject } = await import("../../../app/map/map-project.ts")
    const answer = await withProject(input, (project) =>
      mapProject(project, { refresh: true, signal: input.signal }),
    )
    if (input.flags.has("json")) await input.output.json(answer)
    else {
      const { mapText } = await import("../../../app/map/map-text.ts")
      const { loadTokenizer } = await import("../../../text/tokenizer.ts")
      await input.output.write(printable(mapText(answer, { tokens, count: await loadTokenizer() })))
      remarkNotices(input, answer.notices)
    }
    return answer.files === 0 ? EXIT.nothingFound : EXIT.ok
  },
}
