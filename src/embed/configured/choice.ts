import { AmanError } from "../../base/errors.ts"
import { isLoopback } from "../../base/loopback.ts"
import type { Config } from "../../config/load.ts"
import { programName } from "./line-program.ts"

export type EmbeddingSettings = Pick<Config["embeddings"], "provider" | "model" | "dimensions" | "host"> &
  Partial<Pick<Config["embeddings"], "program" | "programMemoryBytes">>

/** The embedder that the user has configured, and its address. */
export type EmbedderChoice = {
  readonly provider: "ollama" | "openai" | "program"
  readonly address: ServiceAddress
  /** Name of the model; null for the best preferred model that is installed. */
  readonly model: string | null
  readonly dimensions: number | null
  /** True for `provider: auto`. It is then no error if Ollama is missing. */
  readonly isAutomatic: boolean
  /** Maximum memory of a program in bytes; null for a server. */
  readonly maxMemoryBytes: number | null
}

/**
 * The embedder that the user has configured; null if only the built-in one is used. By default there is none, because
 * any process can listen at Ollama's address, and OLLAMA_HOST may come from the shell settings of a project. `auto`
 * uses only a server on this machine. A server elsewhere must be named by embeddings.host, or by OLLAMA_HOST together
 * with `provider: ollama`. This function sends nothing.
 */
export function embedderChoice(
  { provider, model, dimensions: configured, host, program = "", programMemoryBytes = 0 }: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EmbedderChoice | null {
  const dimensions = configured === 0 ? null : configured
  switch (provider) {
    case "static":
      return null
    case "openai":
      return {
        provider,
        address: namedAddress(host),
        model: namedModel(model),
        dimensions,
        isAutomatic: false,
        maxMemoryBytes: null,
      }
    case "program":
      return {
        provider,
        address: programAddress(program),
        model: model || null,
        dimensions,
        isAutomatic: false,
        maxMemoryBytes: programMemoryBytes,
      }
    case "ollama":
    case "auto": {
      const isAutomatic = provider === "auto"
      const address =
        host === ""
          ? parseAddress(env["OLLAMA_HOST"] ?? "", "OLLAMA_HOST")
          : parseAddress(host, "embeddings.host")
      if (isAutomatic && host === "" && !address.isLoopback) return null
      return {
        provider: "ollama",
        address,
        model: model || null,
        dimensions,
        isAutomatic,
        maxMemoryBytes: null,
      }
    }
  }
}

function namedAddress(host: string): ServiceAddress {
  if (host.includes("://")) return parseAddress(host, "embeddings.host")
  throw new AmanError("USAGE", "the openai embedder needs an address in embeddings.host", {
    hint: "for example https://api.openai.com/v1 (what is indexed is sent there)",
  })
}

/** The address of a program: its command takes the place of the URL, and the name of its file is displayed. */
function programAddress(program: string): ServiceAddress {
  const name = programName(program)
  if (name !== "") return { url: program, shown: name, isLoopback: true }
  throw new AmanError("USAGE", "the embedder's program is missing in embeddings.program", {
    hint: "for example: aman config set embeddings.program '/usr/local/bin/embed --fast'",
  })
}

function namedModel(model: string): string {
  if (model !== "") return model
  throw new AmanError("USAGE", "the openai embedder needs embeddings.model", {
    hint: "for example text-embedding-3-small",
  })
}

/** The address of an embedding service. */
export type ServiceAddress = {
  /** The address as a URL without a trailing slash. */
  readonly url: string
  /** The URL for display, without user name and password. */
  readonly shown: string
  /** True if the service is on this machine, so that texts sent to it do not leave the machine. */
  readonly isLoopback: boolean
}

const DEFAULT_PORT = "11434"
const HOST_NAME = /^(?:[\w.-]+|\[[\da-f:.]+\])$/

/**
 * Parses an address in any form that Ollama accepts in OLLAMA_HOST: empty, "host", "host:port", ":port", "[::1]" or a
 * URL, with or without quotes. An address for listening on all interfaces (0.0.0.0, ::) means this machine for a
 * client. As in https://github.com/ollama/ollama/blob/main/envconfig/config.go, the default port is 11434 without a
 * scheme, otherwise that of the scheme.
 */
export function parseAddress(written: string, name: string): ServiceAddress {
  const text = written.trim().replace(/^["']+|["']+$/g, "")
  const [scheme, rest] = text.includes("://") ? cut(text, "://") : ["http", text]
  const [authority, path] = cut(rest, "/")
  const at = authority.lastIndexOf("@")
  const [user, place] = [authority.slice(0, at + 1), authority.slice(at + 1)]
  const port = text.includes("://") ? "" : `:${DEFAULT_PORT}`
  const url = tryUrl(`${scheme}://${user}${withHost(place, port)}/${path}`)
  if (url === null || !/^https?:$/.test(url.protocol) || !HOST_NAME.test(url.hostname)) {
    throw new AmanError("USAGE", `${name} is not the address of a server`, {
      hint: "write it as http://127.0.0.1:11434",
    })
  }
  url.search = ""
  url.hash = ""
  const isAnywhere = url.hostname === "0.0.0.0" || url.hostname === "[::]"
  if (isAnywhere) url.hostname = "127.0.0.1"
  const full = url.href.replace(/\/+$/, "")
  url.username = ""
  url.password = ""
  return { url: full, shown: url.href.replace(/\/+$/, ""), isLoopback: isLoopback(url.hostname) }
}

/** "[::1]", "::1", "host", ":8080" or "", completed by the default host or port. */
function withHost(place: string, port: string): string {
  if (place === "") return `127.0.0.1${port}`
  if (place.startsWith(":") && !place.startsWith("::")) return `127.0.0.1${place}`
  const isBareV6 = !place.startsWith("[") && place.split(":").length > 2
  if (isBareV6) return `[${place}]${port}`
  return /:\d+$/.test(place) ? place : place + port
}

function cut(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + at.length)]
}

function tryUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
