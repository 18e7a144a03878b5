import { commit, version } from "../../base/version.ts"
import { type Command, EXIT } from "../command.ts"
import { refuseArguments } from "../flags/subcommand.ts"

export const versionCommand: Command = {
  usage: "[--licenses] [--json]",
  details: "",
  flags: [{ name: "licenses", help: "Print the licences of bundled third-party software" }],
  examples: [
    { line: "aman version --json", note: '{"version","commit","platform"}' },
    { line: "aman version --licenses", note: "Bun, grammars, packages" },
  ],
  async run(input) {
    refuseArguments(input, "version")
    const { flags, output } = input
    if (flags.has("licenses")) {
      const { notices } = await import("../help/notices.ts")
      if (flags.has("json")) await output.json({ notices })
      else await output.write(notices)
    } else if (flags.has("json"))
      await output.json({ version, commit, platform: `${process.platform}-${process.arch}` })
    else await output.write(`aman ${version} (${commit})\n`)
    return EXIT.ok
  },
}
