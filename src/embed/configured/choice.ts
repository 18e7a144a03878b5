import { AmanError } from "../../base/errors.ts"
import type { Config } from "../../config/load.ts"
import { type Address, parseAddress } from "./address.ts"

export type EmbeddingSettings = Pick<Config["embeddings"], "provider" | "model" | "dimensions" | "host">

/** The configured embedder to use, and its address. */
export type Choice = {
  readonly provider: "ollama" | "openai"
  readonly address: Address
  /** Null means the first preferred model that is installed. */
  readonly model: string | null
  readonly dimensions: number | null
  /** True for `provider: auto`: a missing Ollama is then no error. */
  readonly isAutomatic: boolean
}

/**
 * The configured embedder; null if only the built-in one is used. That is the default until the user chooses
 * another provider, because any process can listen at Ollama's address, and OLLAMA_HOST can come from a
 * project's shell settings. Sends nothing. `auto` takes only a server on this machine; one elsewhere must be
 * named by embeddings.host, or by OLLAMA_HOST together with `provider: ollama`.
 */
export function choiceOf(
  { provider, model, dimensions: wanted, host }: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Choice | null {
  const dimensions = wanted === 0 ? null : wanted
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
      }
    case "ollama":
    case "auto": {
      const isAutomatic = provider === "auto"
      const address =
        host === ""
          ? parseAddress(env["OLLAMA_HOST"] ?? "", "OLLAMA_HOST")
          : parseAddress(host, "embeddings.host")
      if (isAutomatic && host === "" && !address.isLoopback) return null
      return { provider: "ollama", address, model: model || null, dimensions, isAutomatic }
    }
  }
}

function namedAddress(host: string): Address {
  if (host.includes("://")) return parseAddress(host, "embeddings.host")
  throw new AmanError("USAGE", "the openai embedder needs its address in embeddings.host", {
    hint: "for example https://api.openai.com/v1 (what is indexed is sent there)",
  })
}

function namedModel(model: string): string {
  if (model !== "") return model
  throw new AmanError("USAGE", "the openai embedder needs embeddings.model", {
    hint: "for example text-embedding-3-small",
  })
}
