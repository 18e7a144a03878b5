import { findRoot, MAX_ROOTS } from "../../app/project/root.ts"
import {
  type HttpAddresses,
  type HttpOptions,
  type ServeOptions,
  TOOL_PROFILES,
} from "../../app/project/serve-options.ts"
import { AmanError } from "../../base/errors.ts"
import { log, logPath, logToFile } from "../../base/log.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { choiceFlag } from "../flags/flags.ts"
import { REPOS_FLAGS, reposFlags, SERVER_FLAGS, serverFlags } from "../flags/setting-flag.ts"
import { refuseArguments } from "../flags/subcommand.ts"
import { INDEX_FLAGS, projectOptions, remarkNotices } from "../with-project.ts"

const TOOL_FLAGS: readonly Flag[] = [
  {
    name: "tools",
    value: "SET",
    choices: TOOL_PROFILES,
    help: "Tools to list: default, full (all, with every argument), code or memory; a client may call the others as well",
  },
  {
    name: "structured",
    help: "Also answer with structuredContent, for programs; most agents show it to the model instead of the text",
  },
]

export const serveCommand: Command = {
  usage: "[flags]",
  details: `Runs an MCP server on stdin and stdout until stdin closes. It answers at once from what is indexed so
far, and keeps the index up to date. Without --root it serves the project of the working directory, or
the roots that the client names. Several --root serve several projects. With --http it serves several clients over HTTP until it is
stopped, only on this machine unless --host is given, and only to clients that send its token. The
token comes from --token, AMAN_SERVER_TOKEN or --token-file; otherwise a new one is created and printed
once on stderr. --json prints a line with the address when the server is ready.`,
  flags: [...TOOL_FLAGS, ...SERVER_FLAGS, ...INDEX_FLAGS, ...REPOS_FLAGS],
  examples: [
    { line: "aman serve", note: "the command an MCP client starts" },
    { line: "claude mcp add --scope user aman -- aman serve", note: "add it to Claude Code" },
    { line: "aman serve --http --port 7473 --token-file ~/.config/aman/token", note: "for several clients" },
    { line: "aman serve --http --root shop --root ledger", note: "two projects, each with an address" },
    { line: "aman serve --http --host 0.0.0.0 --token-file FILE", note: "also for other machines" },
  ],
  async run(input) {
    refuseArguments(input, "serve")
    const options = { ...projectOptions(input), ...reposFlags(input.flags), ...namedRoots(input) }
    const isHttp = input.flags.has("http") || input.flags.has("sse")
    const http = isHttp ? await httpOptions(input) : null
    if (http === null) refuseHttpFlags(input)
    if (http === null && process.stdin.isTTY && !input.flags.has("quiet")) {
      input.output.remark("MCP server on stdin and stdout; press Ctrl-D to stop. See: aman serve --help\n")
    }
    log.sinks.add(logToFile(logPath("server")))
    const tools = {
      profile: choiceFlag(input.flags, "tools", TOOL_PROFILES) ?? "default",
      isStructured: input.flags.has("structured"),
    }
    await input.serve(options, tools, http, input.signal)
    return EXIT.ok
  },
}

/** The projects of several `--root`, which must exist. One is checked by the first answer, as the working directory is. */
function namedRoots({ flags, cwd }: Input): Pick<ServeOptions, "root" | "otherRoots"> {
  const given = flags.all("root")
  if (given.length < 2) return {}
  const [root, ...otherRoots] = new Set(given.map((each) => findRoot({ root: each, cwd }).root))
  if (otherRoots.length < MAX_ROOTS) return { root, otherRoots }
  throw new AmanError("USAGE", `at most ${MAX_ROOTS} roots can be served`, { hint: "give fewer --root" })
}

async function httpOptions(input: Input): Promise<HttpOptions> {
  const [{ loadServerConfig }, { serverTokens }] = await Promise.all([
    import("../../config/load-server.ts"),
    import("../server-tokens.ts"),
  ])
  const config = loadServerConfig(serverFlags(input.flags))
  const { tokens, isNew, remarks } = await serverTokens(input, config)
  const onListening = (listening: HttpAddresses) => {
    const token = isNew ? tokens[0] : undefined
    if (input.flags.has("json")) void input.output.jsonLine({ ...listening, token })
    else printAddress(input, listening, token)
    remarkNotices(input, remarks)
  }
  return { config, tokens, onListening }
}

/** Prints the address and the token. The token is printed even with --quiet, because it is shown nowhere else. */
function printAddress(
  { flags, output }: Input,
  { url, sse_url, roots = [] }: HttpAddresses,
  token: string | undefined,
): void {
  const also = sse_url === null ? "" : ` and ${sse_url}`
  if (!flags.has("quiet")) output.remark(`MCP server listens at ${url}${also}\n`)
  for (const { root, url: own } of flags.has("quiet") ? [] : roots) output.remark(`  only ${root}: ${own}\n`)
  if (token !== undefined) output.remark(`Token, shown this once: ${token}\n`)
}

/** Throws if HTTP flags are given without --http, because they would have no effect. */
function refuseHttpFlags({ flags }: Input): void {
  const given = SERVER_FLAGS.find(({ name }) => flags.has(name))
  if (given) throw new AmanError("USAGE", `--${given.name} needs --http`, { hint: "add --http" })
}
