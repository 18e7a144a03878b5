import { type Command, EXIT } from "../../command.ts"
import { refuseArguments } from "../../flags/subcommand.ts"
import { removedText } from "../../render/numbers.ts"
import { remarkNotices, withProject } from "../../with-project.ts"

export const cleanCommand: Command = {
  usage: "[flags]",
  details: `Deletes the index of this project without asking, and reports what it deleted. Files of the project are not
touched. The next search builds a new index.`,
  flags: [],
  examples: [
    { line: "aman clean", note: "the project around the working directory" },
    { line: "aman clean --root ~/work/shop --json", note: '{"root","dir","files","bytes"}' },
  ],
  async run(input) {
    refuseArguments(input, "clean")
    const { removeIndex } = await import("../../../app/index/remove-index.ts")
    const { foreignIndexNotices } = await import("../../../app/index/own-index-dir.ts")
    const removed = await withProject(input, async ({ indexPlace }) => removeIndex(indexPlace))
    remarkNotices(input, foreignIndexNotices(removed.root))
    if (input.flags.has("json")) await input.output.json(removed)
    else if (!input.flags.has("quiet")) await input.output.write(removedText(removed))
    return EXIT.ok
  },
}
