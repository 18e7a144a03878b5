import { randomBytes } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { isLoopback } from "../base/loopback.ts"
import { homeDir } from "../base/paths.ts"
import type { ServerConfig } from "../config/load-server.ts"
import type { FlagValues } from "./command.ts"

export type ServerTokens = {
  readonly tokens: readonly string[]
  /** Was made now, and is known to nobody yet. */
  readonly isNew: boolean
  /** Something to say about where they come from. */
  readonly remarks: readonly string[]
}

const VARIABLE = "AMAN_SERVER_TOKEN"
// As a header can carry it.
const TOKEN = /^[\x21-\x7e]+$/
// Others than this machine may try as often as they like.
const LEAST_FOR_OTHERS = 16

/**
 * The tokens that a server takes, from the flags, else the environment, else the file of the settings; a new one where
 * none is named, because whoever can reach the port could otherwise read the project and what is remembered.
 */
export function serverTokens(flags: FlagValues, { tokenFile, host }: ServerConfig): ServerTokens {
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
  const file = tokenFile === "" ? null : readTokens(tokenFile)
  const tokens = typed.length > 0 ? typed : variable ? [variable] : (file?.tokens ?? [])
  for (const token of tokens) check(token, isOwn)
  if (tokens.length === 0)
    return { tokens: [randomBytes(32).toString("base64url")], isNew: true, remarks: [] }
  return { tokens, isNew: false, remarks: tokens === file?.tokens ? file.remarks : [] }
}

function readTokens(written: string): {
  readonly tokens: readonly string[]
  readonly remarks: readonly string[]
} {
  // A shell expands it, a settings file does not.
  const path = written.startsWith("~/") ? join(homeDir(), written.slice(2)) : written
  try {
    const lines = readFileSync(path, "utf8").split("\n")
    const tokens = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    if (tokens.length === 0)
      throw new AmanError("USAGE", `${path} holds no token`, { hint: "write one a line" })
    const isOpen = process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0
    return { tokens, remarks: isOpen ? [`others may read ${path}: chmod 600 it`] : [] }
  } catch (error) {
    if (error instanceof AmanError) throw error
    throw new AmanError("USAGE", `the token file cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
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
