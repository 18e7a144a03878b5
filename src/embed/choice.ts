import { AmanError } from "../base/errors.ts"
import { type Address, parseAddress } from "./address.ts"

/** The settings below `embeddings`. */
export type EmbeddingSettings = {
  readonly provider: "auto" | "static" | "ollama" | "openai"
  readonly model: string | null
  readonly dimensions: number | null
  /** Address as the user wrote it; a project's own file cannot. */
  readonly host: string | null
}

/** Which embedder beside the built-in one is to be asked, and where. */
export type Choice = {
  readonly provider: "ollama" | "openai"
  readonly address: Address
  /** Null: the first preferred model that is installed. */
  readonly model: string | null
  readonly dimensions: number | null
  /** Nobody asked for it: where it is not there, nothing is amiss. */
  readonly isAutomatic: boolean
}

/**
 * Null where the built-in embedder is all that is wanted. Asks nobody. By itself only a server on this machine is
 * taken; one elsewhere must be named by embeddings.host, or by OLLAMA_HOST together with `provider: ollama`.
 */
export function choiceOf(
  settings: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Choice | null {
  const { provider, model, dimensions, host } = settings
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
        host === null
          ? parseAddress(env["OLLAMA_HOST"] ?? "", "OLLAMA_HOST")
          : parseAddress(host, "embeddings.host")
      if (isAutomatic && host === null && !address.isLoopback) return null
      return { provider: "ollama", address, model, dimensions, isAutomatic }
    }
  }
}

function namedAddress(host: string | null): Address {
  if (host?.includes("://")) return parseAddress(host, "embeddings.host")
  throw new AmanError("USAGE", "the openai embedder needs its address in embeddings.host", {
    hint: "for example https://api.openai.com/v1 (what is indexed is sent there)",
  })
}

function namedModel(model: string | null): string {
  if (model !== null) return model
  throw new AmanError("USAGE", "the openai embedder needs embeddings.model", {
    hint: "for example text-embedding-3-small",
  })
}
