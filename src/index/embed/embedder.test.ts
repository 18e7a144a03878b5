import { expect, test } from "bun:test"
import fc from "fast-check"
import { type EmbeddingServer, startEmbeddingServer } from "../../../test/embedding-server.ts"
import { AmanError } from "../../base/errors.ts"
import { configuredEmbedder, cutText, queryVectors } from "./embedder.ts"
import { detectModel, embedderChoice, probeEmbedder } from "./model.ts"
import type { Embedder } from "./port.ts"

const PATIENCE = { timeoutMs: 20_000, attempts: 2, sleep: async () => {} }
const SETTINGS = { provider: "ollama", model: "", dimensions: 0, host: "" } as const

async function embedderOf(server: EmbeddingServer, batchSize = 4) {
  const choice = embedderChoice({ ...SETTINGS, host: server.url })!
  const detected = (await detectModel(choice, { ask: PATIENCE, embed: PATIENCE }))!
  return configuredEmbedder(choice, detected, { retry: PATIENCE, batchSize })
}

function inputs(...texts: string[]) {
  return texts.map((text) => ({ text, names: [], path: "a.ts" }))
}

test("sends batches of the given size, with different prompts for documents and queries", async () => {
  using server = startEmbeddingServer()
  const embedder = await embedderOf(server)
  server.asked.length = 0
  const vectors = await embedder.embedChunks(inputs("a", "b", "", "c", "d", "e"))
  expect(server.asked.map(({ body }) => body.input)).toEqual([
    ["search_document: a", "search_document: b", "search_document: c", "search_document: d"],
    ["search_document: e"],
  ])
  expect(vectors.slice(2 * 64, 3 * 64)).toEqual(new Float32Array(64))
  await embedder.embedQuery("where")
  expect(server.asked.at(-1)!.body.input).toEqual(["search_query: where"])
})

test("cuts a text to the model's window before sending it", async () => {
  using server = startEmbeddingServer()
  const embedder = await embedderOf(server)
  await embedder.embedChunks(inputs("word ".repeat(10_000)))
  expect(Buffer.byteLength(server.texts().at(-1)!)).toBe(2048 * 3)
})

test("loses only the text that the server cannot embed, and shortens one that is too long", async () => {
  using server = startEmbeddingServer()
  const embedder = await embedderOf(server)
  server.fault = ({ body }) => {
    const texts = [body.input ?? []].flat()
    if (texts.some((text) => text.includes("poison"))) return Response.json({ error: "NaN" }, { status: 500 })
    return texts.some((text) => text.length > 1500) ? new Response("", { status: 400 }) : undefined
  }
  const vectors = await embedder.embedChunks(inputs("one", "poison", "long ".repeat(600), "two"))
  const lengths = [0, 1, 2, 3].map((i) => Math.hypot(...vectors.subarray(i * 64, (i + 1) * 64)))
  expect(lengths.map(Math.round)).toEqual([1, 0, 1, 1])
})

test("reports a server that embeds nothing at all", async () => {
  using server = startEmbeddingServer()
  const embedder = await embedderOf(server)
  const faults: [() => Response, string][] = [
    [
      () => Response.json({ error: "out of memory" }, { status: 500 }),
      "answered with status 500: out of memory",
    ],
    [() => Response.json({ error: 'model "x" not found' }, { status: 404 }), "does not know that model"],
    [() => new Response('{"embeddings": [[1,'), "sent an answer that is not JSON"],
    [() => new Response("<html>"), "sent an answer that is not JSON"],
    [() => Response.json({}), "no vectors for 1 texts"],
    [() => Response.json({ embeddings: [] }), "0 vectors for 1 texts"],
    [() => Response.json({ embeddings: [Array(32).fill(1)] }), "a vector of 32 dimensions, not 64"],
    [() => Response.json({ embeddings: [Array(64).fill(0)] }), "a vector of length zero"],
    [
      () => Response.json({ embeddings: [Array(64).fill(null)] }),
      "a vector with a value that is not a number",
    ],
  ]
  for (const [fault, message] of faults) {
    server.fault = fault
    const error = await embedder.embedChunks(inputs("one")).catch((thrown: AmanError) => thrown)
    expect([(error as AmanError).code, (error as AmanError).message]).toEqual([
      "EMBEDDER",
      expect.stringContaining(message),
    ])
  }
})

test("returns a vector or an EMBEDDER error for any answer of a server", async () => {
  using server = startEmbeddingServer()
  const known = [
    "models",
    "model_info",
    "embeddings",
    "data",
    "embedding",
    "index",
    "name",
    "digest",
    "version",
  ]
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(null, 0, -1, 1e308, "", "nomic-embed-text", "x.context_length", true),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...known, "x.context_length"), tie("tree"), { maxKeys: 4 }),
    ),
  }))
  const one = { timeoutMs: 20_000, attempts: 1 }
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom("ollama" as const, "openai" as const), async (said, provider) => {
      server.fault = () => Response.json(said)
      const settings = { ...SETTINGS, provider, host: server.url, model: "nomic-embed-text" }
      const report = await probeEmbedder(settings, {})
      expect(report.failure === null).toBe(report.dimensions !== null)
      const choice = embedderChoice(settings)!
      const space = { provider, model: "m@1", dimensions: 2, version: 1 }
      const embedder = configuredEmbedder(choice, { space, windowTokens: 99 }, { retry: one, batchSize: 2 })
      const answer = await embedder.embedQuery("a").catch((error: AmanError) => error.code)
      expect(answer instanceof Float32Array ? answer.length : answer).toBeOneOf([2, "EMBEDDER"])
    }),
    { numRuns: 300 },
  )
})

test("keeps a short text and cuts a long one at the end of a line", () => {
  expect(cutText("a\nb", 1)).toBe("a\nb")
  const lines = "0123456789\n".repeat(100)
  expect(cutText(lines, 100)).toBe("0123456789\n".repeat(27).trimEnd())
})

test("cuts one long line at the limit", () => {
  expect(cutText("x".repeat(1000), 10)).toBe("x".repeat(30))
  expect(cutText("漢".repeat(1000), 10)).toBe("漢".repeat(10))
})

test("cuts to a beginning that fits and never splits a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 2, max: 50 }),
      (text, tokens) => {
        const cut = cutText(text, tokens)
        expect(text.startsWith(cut)).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(tokens * 3)
        expect(cut.isWellFormed()).toBe(true)
      },
    ),
  )
})

const VECTOR = new Float32Array([1, 0])

/** An embedder whose answers the test gives. */
function controlled(maxWaitMs = 20_000, maxCached = 2) {
  const asked: string[] = []
  let time = 0
  let answer: () => Promise<Float32Array> = async () => VECTOR
  const embedder: Embedder = {
    space: { provider: "ollama", model: "m", dimensions: 2, version: 1 },
    embedChunks: async () => new Float32Array(),
    embedQuery: (text) => {
      asked.push(text)
      return answer()
    },
  }
  return {
    asked,
    embed: queryVectors(embedder, { name: "it", maxWaitMs, maxCached, now: () => time }),
    pass: (ms: number) => {
      time += ms
    },
    answerWith: (next: () => Promise<Float32Array>) => {
      answer = next
    },
  }
}

const refuse = async () => {
  throw new AmanError("EMBEDDER", "it refused the connection", { hint: "start it" })
}

test("caches the vectors of the last queries", async () => {
  const { embed, asked } = controlled()
  for (const text of ["a", "a", "b", "a", "c", "b"]) expect(await embed(text)).toEqual({ vector: VECTOR })
  expect(asked).toEqual(["a", "b", "c", "b"])
})

test("sends simultaneous equal queries once", async () => {
  const { embed, asked } = controlled()
  await Promise.all([embed("a"), embed("a")])
  expect(asked).toEqual(["a"])
})

test("does not ask the server for a while after a failure", async () => {
  const { embed, asked, answerWith, pass } = controlled()
  const failure = { failure: "it refused the connection (start it)" }
  answerWith(refuse)
  expect(await embed("a")).toEqual(failure)
  answerWith(async () => VECTOR)
  pass(9_999)
  expect(await embed("a")).toEqual(failure)
  expect(asked).toEqual(["a"])
  pass(1)
  expect(await embed("a")).toEqual({ vector: VECTOR })
})

test("returns a failure when the vector is late, and uses it the next time", async () => {
  const { embed, asked, answerWith } = controlled(1)
  const slow = Promise.withResolvers<Float32Array>()
  answerWith(() => slow.promise)
  expect(await embed("a")).toEqual({ failure: "it did not answer within 0.001 s" })
  slow.resolve(VECTOR)
  await slow.promise
  await Promise.resolve()
  expect(await embed("a")).toEqual({ vector: VECTOR })
  expect(await embed("a")).toEqual({ vector: VECTOR })
  expect(asked).toEqual(["a"])
})

test("rethrows errors that are not the embedder's", () => {
  const { embed, answerWith } = controlled()
  answerWith(async () => {
    throw new TypeError("a mistake")
  })
  expect(embed("a")).rejects.toThrow("a mistake")
})
