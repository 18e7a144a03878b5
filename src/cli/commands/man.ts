import { version } from "../../base/version.ts"
import { type Command, EXIT } from "../command.ts"
import { refuseArguments } from "../flags/subcommand.ts"

export const manCommand: Command = {
  usage: "",
  details: "Prints all --help texts as one manual page. Packages install it.",
  flags: [],
  examples: [
    { line: "aman man | man -l -", note: "read it" },
    { line: "aman man > ~/.local/share/man/man1/aman.1", note: "install it for man aman" },
  ],
  async run(input) {
    refuseArguments(input, "man")
    const { manPage } = await import("../help/man-page.ts")
    const page = manPage(await input.definitions(), version)
    if (input.flags.has("json")) await input.output.json({ page })
    else await input.output.write(page)
    return EXIT.ok
  },
}
