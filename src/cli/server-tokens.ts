import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { isLoopback } from "../base/listen.ts"
import { homeDir } from "../base/paths.ts"
import type { ServerConfig } from "../config/load-server.ts"
import type { Input } from "./command.ts"
import type { CommandOutput } from "./output.ts"
import { printableLine } from "./render/printable.ts"

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
  if (!TOKEN.test(token))
    throw new AmanError("USAGE", "a token holds letters, digits and punctuation, but no spaces", {
      hint: "for example: openssl rand -hex 32",
    })
  if (!isOwn && token.length < MIN_FOR_OTHERS)
    throw new AmanError(
      "USAGE",
      `a token for access from other machines needs at least ${MIN_FOR_OTHERS} characters`,
      {
        hint: "for example: openssl rand -hex 32",
      },
    )
}
