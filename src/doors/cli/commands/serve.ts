import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { type HttpAddresses, type HttpOptions, type ServeOptions, TOOL_PROFILES } from "../../../ask/index.ts"
import {
  AmanError,
  homeDir,
  isLoopback,
  loadServerSettings,
  log,
  logPath,
  logToFile,
  type ServerConfig,
} from "../../../base/index.ts"
import { findRoot } from "../../../index/index.ts"
import { MAX_ROOTS } from "../../mcp/session/workspace-folders.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { choiceFlag, refuseArguments } from "../flags.ts"
import type { CommandOutput } from "../output.ts"
import { REPOS_FLAGS, reposFlags, SERVER_FLAGS, serverFlags } from "../setting-flags.ts"
import { printableLine } from "../text.ts"
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
    const [root] = input.flags.all("root")
    const options = { ...projectOptions(input, root), ...reposFlags(input.flags), ...namedRoots(input) }
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
  const { loadServerConfig } = await loadServerSettings()
  const config = loadServerConfig(serverFlags(input.flags))
  const { tokens, isNew, remarks } = await serverTokens(input, config)
  const onListening = (listening: HttpAddresses) => {
    const token = isNew ? tokens[0] : undefined
    if (input.flags.has("json")) void input.output.jsonLine({ ...listening, token })
    else printAddress(input, listening, token)
    remarkNotices(input, remarks)
  }
  return { config, servesSse: input.flags.has("sse"), tokens, onListening }
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

export type ServerTokens = {
  readonly tokens: readonly string[]
  /** True if the token was generated now and must be shown to the user. */
  readonly isNew: boolean
  /** Notes about the source of the tokens. */
  readonly remarks: readonly string[]
}

const VARIABLE = "AMAN_SERVER_TOKEN"
// Time in ms after which a message is printed; reading a file takes less, only a pipe can take longer.
const SLOW_MS = 1_000
// A token may contain only characters that an HTTP header allows.
const TOKEN = /^[\x21-\x7e]+$/
// Min length of a token if other machines can connect, because the number of their guesses is not limited.
const MIN_FOR_OTHERS = 16

/**
 * Tokens for the server: from flags, else the environment, else the settings' token file; a new one if none
 * is given, because otherwise anyone who can reach the port could read the project and the memories.
 */
export async function serverTokens(
  { flags, output, signal }: Pick<Input, "flags" | "output" | "signal">,
  { tokenFile, host }: ServerConfig,
): Promise<ServerTokens> {
  const isLocal = isLoopback(host)
  const variable = process.env[VARIABLE]
  // Child processes must not inherit the token.
  delete process.env[VARIABLE]
  if (flags.has("without-token")) {
    if (isLocal)
      return {
        tokens: [],
        isNew: false,
        remarks: ["no token is required: every program on this machine can connect"],
      }
    throw new AmanError("USAGE", `--without-token works only for local addresses, not for ${host}`, {
      hint: "set a token, or remove --host",
    })
  }
  const typed = flags.all("token")
  const fromVariable = variable ? [variable] : []
  const givenTokens = typed.length > 0 ? typed : fromVariable
  const file =
    givenTokens.length > 0 || tokenFile === "" ? null : await readWithNotice(tokenFile, output, signal)
  const tokens = file?.tokens ?? givenTokens
  for (const token of tokens) checkToken(token, isLocal)
  if (tokens.length === 0)
    return { tokens: [randomBytes(32).toString("base64url")], isNew: true, remarks: [] }
  return { tokens, isNew: false, remarks: file?.remarks ?? [] }
}

type FromFile = Pick<ServerTokens, "tokens" | "remarks">

/**
 * Reads tokens that may come from a pipe; after a second it tells the user that it is waiting, and it can be
 * aborted.
 */
async function readWithNotice(
  tokenFile: string,
  { remark }: CommandOutput,
  signal: AbortSignal,
): Promise<FromFile> {
  const waiting = setTimeout(() => remark(`waiting for tokens from ${printableLine(tokenFile)}\n`), SLOW_MS)
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
  try {
    return await Promise.race([readTokens(tokenFile), ended])
  } finally {
    clearTimeout(waiting)
  }
}

async function readTokens(written: string): Promise<FromFile> {
  // "~" is expanded here, because a settings file is not read by a shell.
  const path = written.startsWith("~/") ? join(homeDir(), written.slice(2)) : written
  try {
    const lines = (await readFile(path, "utf8")).split("\n")
    const tokens = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    if (tokens.length === 0)
      throw new AmanError("USAGE", `${path} holds no token`, { hint: "write one token a line" })
    const isOpen = process.platform !== "win32" && isReadableByOthers(await stat(path))
    return { tokens, remarks: isOpen ? [`other users can read ${path}; run: chmod 600 ${path}`] : [] }
  } catch (error) {
    if (error instanceof AmanError) throw error
    throw new AmanError("USAGE", `the token file cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * True if other users can access the file that the tokens were read from. False for a pipe, which contains nothing any
 * more.
 */
function isReadableByOthers(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o077) !== 0
}

function checkToken(token: string, isOwn: boolean): void {
  const hint = "for example: openssl rand -hex 32"
  if (!TOKEN.test(token))
    throw new AmanError("USAGE", "a token holds letters, digits and punctuation, but no spaces", { hint })
  const least = `at least ${MIN_FOR_OTHERS} characters`
  if (!isOwn && token.length < MIN_FOR_OTHERS)
    throw new AmanError("USAGE", `a token for access from other machines needs ${least}`, { hint })
}
