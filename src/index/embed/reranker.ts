import { AmanError, type Config } from "../../base/index.ts"
import { endpoint, fieldsOf, jsonRequests, keyFor, optional } from "./clients.ts"
import { lineProgram, programName } from "./line-program.ts"
import { parseAddress } from "./model.ts"

/** Scores how well documents answer a query; a higher score is better. */
export type Reranker = {
  /** The name for messages. */
  readonly name: string
  /** Returns one score for each document, in the order of the documents. Throws EMBEDDER if it cannot. */
  readonly scores: (query: string, documents: readonly string[]) => Promise<readonly number[]>
}

type Settings = Config["rerank"]

/** The re-ranker in the user's settings; null if there is none. Sends nothing. */
export function configuredReranker(settings: Settings): Reranker | null {
  switch (settings.provider) {
    case "none":
      return null
    case "server":
      return serverOf(settings)
    case "program":
      return programOf(settings)
  }
}

/**
 * A re-ranker that is a server with `POST /v1/rerank`, as provided by vLLM, llama.cpp, Text Embeddings Inference,
 * Infinity, Jina and Cohere: the request `{model, query, documents}` is answered by `{results: [{index,
 * relevance_score}]}`. Ollama has no such endpoint.
 */
function serverOf({ host, model, timeoutMs }: Settings): Reranker {
  if (!host.includes("://")) {
    throw new AmanError("USAGE", "the re-ranker needs an address in rerank.host", {
      hint: "for example http://127.0.0.1:8080",
    })
  }
  const address = parseAddress(host, "rerank.host")
  const name = `the re-ranker at ${address.shown}`
  const service = {
    name,
    hint: "check rerank.host and rerank.model",
    secret: keyFor(address, process.env),
  }
  const request = jsonRequests(service, { timeoutMs, attempts: 1 })
  return {
    name,
    scores: async (query, documents) => {
      const body = { ...optional({ model }), query, documents, top_n: documents.length }
      return scoresByIndex(name, await request(endpoint(address.url, "rerank"), body), documents.length)
    },
  }
}

function scoresByIndex(name: string, answer: unknown, count: number): number[] {
  const { results, data } = fieldsOf(answer)
  const list = results ?? data
  // A server may leave out the documents that fit least.
  const scores = new Array<number>(count).fill(Number.NEGATIVE_INFINITY)
  for (const each of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const [index, score] = [each["index"], each["relevance_score"] ?? each["score"]]
    if (typeof index === "number" && index in scores && typeof score === "number") scores[index] = score
  }
  if (count > 0 && scores.every((score) => score === Number.NEGATIVE_INFINITY)) throw malformed(name)
  return scores
}

function programOf({ program, model, timeoutMs, programMemoryBytes }: Settings): Reranker {
  const ownName = programName(program)
  if (ownName === "") {
    throw new AmanError("USAGE", "the re-ranker's program is missing in rerank.program", {
      hint: "for example: aman config set rerank.program '/usr/local/bin/rerank --fast'",
    })
  }
  const name = `the program ${ownName}`
  return {
    name,
    scores: async (query, documents) => {
      const request = { op: "rerank", ...optional({ model }), query, documents }
      const limits = { timeoutMs, maxMemoryBytes: programMemoryBytes }
      const { scores } = await lineProgram(program).ask(request, limits)
      const isWhole =
        Array.isArray(scores) &&
        scores.length === documents.length &&
        scores.every((score) => Number.isFinite(score))
      if (!isWhole) throw malformed(name)
      return scores as number[]
    },
  }
}

function malformed(name: string): AmanError {
  return new AmanError("EMBEDDER", `${name} gave no score for the documents`, {
    hint: "docs/programs.md describes the answer",
  })
}
