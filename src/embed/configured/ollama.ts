import type { Address } from "./address.ts"
import { type Patience, patientFetch } from "./patient-fetch.ts"

export type InstalledModel = {
  /** Name with tag: "nomic-embed-text:latest". */
  readonly name: string
  readonly digest: string
  readonly bytes: number
  /** True if the model runs on a remote machine, even if the server is local. */
  readonly isCloud: boolean
}

export type Ollama = {
  version(): Promise<string>
  installed(): Promise<InstalledModel[]>
  /** Number of tokens the model reads; null if the server does not report it. */
  windowOf(model: string): Promise<number | null>
  /** The server's answer, unchecked. */
  embed(model: string, texts: readonly string[], dimensions: number | null): Promise<unknown>
}

/**
 * Opens a server with Ollama's client (https://docs.ollama.com/api), but with our `fetch`: the client's own
 * has no time limit, and writes to stdout, which belongs to the protocol, when an error is not JSON.
 */
export async function openOllama(address: Address, patience: Patience): Promise<Ollama> {
  const { Ollama: Client } = await import("ollama")
  const service = {
    name: `Ollama at ${address.shown}`,
    remedy: "start it with: ollama serve",
    remedyMissing: "see what is installed with: ollama list",
  }
  const client = new Client({ host: address.url, fetch: patientFetch(service, patience) })
  return {
    version: async () => String(((await client.version()) as { version?: unknown } | null)?.version ?? ""),
    installed: async () => modelsOf(await client.list()),
    windowOf: async (model) => windowIn(await client.show({ model })),
    embed: async (model, texts, dimensions) => {
      const wanted = dimensions === null ? {} : { dimensions }
      const answer = await client.embed({ model, input: [...texts], truncate: true, ...wanted })
      return (answer as { embeddings?: unknown } | null)?.embeddings
    },
  }
}

function modelsOf(answer: unknown): InstalledModel[] {
  const { models } = (answer ?? {}) as { models?: unknown }
  if (!Array.isArray(models)) return []
  return models.flatMap((entry: Record<string, unknown> | null) => {
    const name = entry?.["name"] ?? entry?.["model"]
    if (typeof name !== "string") return []
    const isCloud = Boolean(entry?.["remote_host"] ?? entry?.["remote_model"])
    return [{ name, digest: String(entry?.["digest"] ?? ""), bytes: Number(entry?.["size"]) || 0, isCloud }]
  })
}

/** The window in tokens; its key in `model_info` contains the architecture: "nomic-bert.context_length". */
function windowIn(answer: unknown): number | null {
  const info = (answer as { model_info?: Record<string, unknown> } | null)?.model_info ?? {}
  const key = Object.keys(info).find((name) => name.endsWith(".context_length"))
  const window = key === undefined ? null : info[key]
  return typeof window === "number" && window > 0 ? window : null
}
