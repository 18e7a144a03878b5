import { log } from "../../base/log.ts"
import { logPath, logToFile } from "../../base/log-file.ts"
import { type Command, EXIT } from "../command.ts"
import { REPOS_FLAGS, reposFlags } from "../repos-flags.ts"
import { noWords } from "../subcommand.ts"
import { INDEX_FLAGS, projectOptions } from "../with-project.ts"

export const serveCommand: Command = {
  usage: "[flags]",
  details: `Speaks the Model Context Protocol on stdin and stdout until stdin closes. Answers at once, from what
is indexed so far, and keeps the index fresh meanwhile. Without --root it serves the project of the
working directory, or the first root that the client names.`,
  flags: [...INDEX_FLAGS, ...REPOS_FLAGS],
  examples: [
    { line: "aman serve", note: "what an MCP client starts" },
    { line: "claude mcp add --scope user aman -- aman serve", note: "make it known to Claude Code" },
  ],
  async run(input) {
    noWords(input, "serve")
    if (process.stdin.isTTY && !input.flags.has("quiet")) {
      input.output.remark("Serving MCP clients on stdin and stdout; Ctrl-D ends it. aman serve --help\n")
    }
    log.sinks.add(logToFile(logPath("server")))
    await input.serve({ ...projectOptions(input), ...reposFlags(input.flags) }, input.signal)
    return EXIT.ok
  },
}
