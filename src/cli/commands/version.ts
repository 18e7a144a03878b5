import { commit, version } from "../../base/version.ts"
import { type Command, EXIT } from "../command.ts"

export const versionCommand: Command = {
  usage: "[--json]",
  details: "",
  flags: [],
  examples: [{ line: "aman version --json", note: '{"version","commit","platform"}' }],
  async run({ flags, output }) {
    if (flags.has("json"))
      await output.json({ version, commit, platform: `${process.platform}-${process.arch}` })
    else await output.write(`aman ${version} (${commit})\n`)
    return EXIT.ok
  },
}
