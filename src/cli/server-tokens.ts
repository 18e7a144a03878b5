import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { isLoopback } from "../base/loopback.ts"
import { homeDir } from "../base/paths.ts"
import type { ServerConfig } from "../config/load-server.ts"
import type { Input } from "./command.ts"
import type { Output } from "./output.ts"
import { printableLine } from "./printable.ts"

export type ServerTokens = {
  readonly tokens: readonly string[]
  /** Was made now, and is known to nobody yet. */
  readonly isNew: boolean
  /** Something to say about where they come from. */
  readonly remarks: readonly string[]
}

const VARIABLE = "AMAN_SERVER_TOKEN"
// A file is read by then.
const SLOW_MS = 1_000
// As a header can carry it.
const TOKEN = /^[\x21-\x7e]+$/
// Others than this machine may try as often as they like.
const LEAST_FOR_OTHERS = 16

/**
 * The tokens that a server takes, from the flags, else the environment, else the file of the settings; a new one where
 * none is named, because whoever can reach the port could otherwise read the project and what is remembered.
 */
export async function serverTokens(
  { flags, output, signal }: Pick<Input, "flags" | "output" | "signal">,
  { tokenFile, host }: ServerConfig,
): Promise<ServerTokens> {
  const isOwn = isLoopback(host)
  const variable = process.env[VARIABLE]
  // Nothing that this process starts needs it.
  delete process.env[VARIABLE]
  if (flags.has("without-token")) {
    if (isOwn)
      return {
        tokens: [],
        isNew: false,
        remarks: ["no token is asked: every program of this machine may ask"],
      }
    throw new AmanError("USAGE", `--without-token goes only with this machine itself, not with ${host}`, {
      hint: "give a token, or leave --host out",
    })
  }
  const typed = flags.all("token")
  const named = typed.length > 0 ? typed : variable ? [variable] : []
  const file = named.length > 0 || tokenFile === "" ? null : await patiently(tokenFile, output, signal)
  const tokens = file?.tokens ?? named
  for (const token of tokens) check(token, isOwn)
  if (tokens.length === 0)
    return { tokens: [randomBytes(32).toString("base64url")], isNew: true, remarks: [] }
  return { tokens, isNew: false, remarks: file?.remarks ?? [] }
}

type FromFile = Pick<ServerTokens, "tokens" | "remarks">

/** A pipe brings them when somebody writes into it: who waits is told so, and may end it. */
async function patiently(tokenFile: string, { remark }: Output, signal: AbortSignal): Promise<FromFile> {
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
  // A shell expands it, a settings file does not.
  const path = written.startsWith("~/") ? join(homeDir(), written.slice(2)) : written
  try {
    const lines = (await readFile(path, "utf8")).split("\n")
    const tokens = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    if (tokens.length === 0)
      throw new AmanError("USAGE", `${path} holds no token`, { hint: "write one a line" })
    const isOpen = process.platform !== "win32" && isOthers(await stat(path))
    return { tokens, remarks: isOpen ? [`others may read ${path}: chmod 600 it`] : [] }
  } catch (error) {
    if (error instanceof AmanError) throw error
    throw new AmanError("USAGE", `the token file cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Of a pipe the mode says nothing once it is read. */
function isOthers(found: Stats): boolean {
  return found.isFile() && (found.mode & 0o077) !== 0
}

function check(token: string, isOwn: boolean): void {
  if (!TOKEN.test(token))
    throw new AmanError("USAGE", "a token has letters, digits and signs, and no spaces", {
      hint: "for example: openssl rand -hex 32",
    })
  if (!isOwn && token.length < LEAST_FOR_OTHERS)
    throw new AmanError(
      "USAGE",
      `a token for others than this machine has ${LEAST_FOR_OTHERS} characters at least`,
      {
        hint: "for example: openssl rand -hex 32",
      },
    )
}
