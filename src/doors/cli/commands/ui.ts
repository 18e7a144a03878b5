import { openBrowser } from "../../../ask/index.ts"
import { loadConfig, log, logPath, logToFile } from "../../../base/index.ts"
import { findRoot } from "../../../index/index.ts"
import { type Command, EXIT } from "../command.ts"
import { numberFlag, refuseArguments } from "../flags.ts"
import { INDEX_FLAGS, projectOptions } from "../with-project.ts"

export const uiCommand: Command = {
  usage: "[flags]",
  details: `Serves a page about the project on this machine only (127.0.0.1) and opens it in the browser: search with
explanations, a map of the code, the index, the memory. The printed link works once and for one tab; stop with Ctrl-C. The page asks
no other host. --json prints a line with the link when the server is ready, and opens no browser.`,
  flags: [
    { name: "port", value: "N", help: "Port to listen on (default: a free one)" },
    { name: "no-open", help: "Do not open the browser" },
    ...INDEX_FLAGS,
  ],
  examples: [
    { line: "aman ui", note: "opens the page" },
    { line: "aman ui --no-open --port 7474", note: "only prints the link" },
  ],
  async run(input) {
    refuseArguments(input, "ui")
    const { flags, output, signal } = input
    const project = projectOptions(input)
    const { root } = findRoot({ root: project.root, cwd: project.cwd })
    const port = numberFlag(flags, "port", 0, 65_535) ?? 0
    log.sinks.add(logToFile(logPath("server")))
    using opened = new DisposableStack()
    const onListening = ({ url, port: actual }: { readonly url: string; readonly port: number }) => {
      if (flags.has("json")) void output.jsonLine({ url, port: actual })
      else say(url)
    }
    const say = (url: string) => {
      const file = flags.has("no-open") ? null : openBrowser(url, process.env, process.platform)
      opened.use(file)
      const how = file
        ? "Opened in your browser. If it shows nothing, open this link"
        : "Open this link in your browser"
      output.remark(`${how}; it works once:\n${url}\nStop with Ctrl-C.\n`)
    }
    const { editor } = loadConfig(root).ui
    await input.serveUi({ project, port, editor, onListening, commands: input.definitions }, signal)
    return EXIT.ok
  },
}
