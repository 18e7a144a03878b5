import type { Address } from "./address.ts"
import { type Patience, patientFetch } from "./patient-fetch.ts"

export type OpenAi = {
  /** The server's answer, unchecked. */
  embed(model: string, texts: readonly string[], dimensions: number | null): Promise<unknown>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Client for any server with the API of https://platform.openai.com/docs/api-reference/embeddings. */
export function openOpenAi(address: Address, patience: Patience, env: Environment = process.env): OpenAi {
  const key = keyFor(address, env)
  const name = `the embedder at ${address.shown}`
  const ask = patientFetch(
    { name, remedy: "check embeddings.host and embeddings.model", secret: key },
    patience,
  )
  return {
    embed: async (model, texts, dimensions) => {
      const response = await ask(embeddingsUrl(address.url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: "float",
          ...(dimensions === null ? {} : { dimensions }),
        }),
      })
      return inOrder(await response.json())
    },
  }
}

/** The key from the environment. OPENAI_API_KEY is never sent unencrypted to another machine. */
export function keyFor({ url, isLoopback }: Address, env: Environment): string | undefined {
  if (env["AMAN_OPENAI_API_KEY"]) return env["AMAN_OPENAI_API_KEY"]
  const isPrivate = isLoopback || url.startsWith("https:")
  return isPrivate ? env["OPENAI_API_KEY"] || undefined : undefined
}

/** The endpoint; users configure the server, its version's folder, or the complete address. */
function embeddingsUrl(url: string): string {
  if (/\/embeddings$/.test(url)) return url
  return /\/v\d+[a-z]*$/.test(url) ? `${url}/embeddings` : `${url}/v1/embeddings`
}

function inOrder(answer: unknown): unknown {
  const { data } = (answer ?? {}) as { data?: unknown }
  if (!Array.isArray(data)) return undefined
  const entries = data as ({ index?: number; embedding?: unknown } | null)[]
  return entries
    .map((entry, i) => ({ at: entry?.index ?? i, vector: entry?.embedding }))
    .sort((a, b) => a.at - b.at)
    .map(({ vector }) => vector)
}
