/**
 * A server with the wire formats of Ollama (https://docs.ollama.com/api: /api/version, /api/tags, /api/show,
 * /api/embed) and of OpenAI (/v1/embeddings). Its vectors are hashed words; words with the same meaning have
 * the same hash.
 */
export type EmbeddingServer = Disposable & {
  readonly url: string
  readonly port: number
  /** Every request so far, oldest first. */
  readonly asked: Asked[]
  /** Texts embedded so far. */
  readonly texts: () => string[]
  /** When set, called for each request; its response replaces the server's unless it is undefined. */
  fault: ((asked: Asked) => Response | undefined | Promise<Response | undefined>) | null
  models: ServedModel[]
}

export type Asked = {
  readonly path: string
  readonly body: {
    readonly model?: string
    readonly input?: string | readonly string[]
    readonly dimensions?: number
  }
  readonly authorization: string | null
}

export type ServedModel = {
  readonly name: string
  readonly digest?: string
  readonly size?: number
  readonly remote_host?: string
  readonly dimensions?: number
}

/** Words with the same meaning; the first one represents the others. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["refund", "reimbursement", "reimburse", "repayment", "compensate"],
  ["login", "authentication", "authenticate", "signin"],
  ["report", "summary", "overview"],
]
const MEANING = new Map(SYNONYMS.flatMap((words) => words.map((word) => [word, words[0]!] as const)))
const USUAL_DIMENSIONS = 64

export function startEmbeddingServer(
  models: readonly ServedModel[] = [{ name: "nomic-embed-text:latest" }],
  port = 0,
): EmbeddingServer {
  const asked: Asked[] = []
  const http = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const one: Asked = {
        path: new URL(request.url).pathname,
        body: request.method === "POST" ? ((await request.json()) as Asked["body"]) : {},
        authorization: request.headers.get("authorization"),
      }
      asked.push(one)
      return (await server.fault?.(one)) ?? answer(server, one)
    },
  })
  const server: EmbeddingServer = {
    url: `http://127.0.0.1:${http.port}`,
    port: http.port!,
    asked,
    texts: () => asked.flatMap(({ body }) => inputsOf(body)),
    fault: null,
    models: [...models],
    [Symbol.dispose]: () => {
      http.stop(true)
    },
  }
  return server
}

function answer({ models }: EmbeddingServer, { path, body }: Asked): Response {
  if (path === "/api/version") return Response.json({ version: "0.12.6" })
  if (path === "/api/tags") return Response.json({ models: models.map(listed) })
  const model = models.find(({ name }) => name === body.model || name === `${body.model}:latest`)
  if (model === undefined)
    return Response.json({ error: `model "${body.model}" not found, try pulling it first` }, { status: 404 })
  const width = body.dimensions ?? model.dimensions ?? USUAL_DIMENSIONS
  const vectors = inputsOf(body).map((text) => meaningOf(text, width))
  switch (path) {
    case "/api/show":
      return Response.json({
        details: { family: "nomic-bert" },
        model_info: { "general.architecture": "nomic-bert", "nomic-bert.context_length": 2048 },
        capabilities: ["embedding"],
      })
    case "/api/embed":
      return Response.json({
        model: body.model,
        embeddings: vectors,
        total_duration: 14143917,
        load_duration: 1019500,
        prompt_eval_count: 8,
      })
    case "/v1/embeddings":
      return Response.json({
        object: "list",
        model: body.model,
        data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed(),
        usage: { prompt_tokens: 8, total_tokens: 8 },
      })
    default:
      return new Response("404 page not found", { status: 404 })
  }
}

function listed({ name, digest, size = 274_302_450, remote_host }: ServedModel) {
  return {
    name,
    model: name,
    modified_at: "2026-10-01T12:00:00Z",
    size,
    digest: digest ?? Bun.hash.xxHash3(name).toString(16).padStart(64, "0"),
    details: { family: "nomic-bert", format: "gguf" },
    ...(remote_host === undefined ? {} : { remote_host, remote_model: name }),
  }
}

function inputsOf({ input }: Asked["body"]): readonly string[] {
  return input === undefined ? [] : typeof input === "string" ? [input] : input
}

/**
 * Adds each word at one position of the vector. The vector is not scaled to length 1, because servers'
 * vectors need not be.
 */
export function meaningOf(text: string, dimensions = USUAL_DIMENSIONS): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01)
  for (const word of text.match(/[A-Z]?[a-z]+|[A-Z]+|\p{Lo}+|\d+/gu) ?? []) {
    const meaning = MEANING.get(word.toLowerCase()) ?? word.toLowerCase()
    const weight = MEANING.has(word.toLowerCase()) ? 5 : 1
    vector[Number(Bun.hash.xxHash3(meaning) % BigInt(dimensions))]! += weight
  }
  return vector
}
