import { expect, test } from "bun:test"
import { type ServedModel, startEmbeddingServer } from "../../../test/embedding-server.ts"
import { type EmbeddingSettings, embedderChoice } from "./choice.ts"
import { detectModel, modelName, PREFERRED_MODELS, preferredOf, probeEmbedder, promptsOf } from "./model.ts"

const ONCE = { timeoutMs: 20_000, attempts: 1 }
const PATIENCE = { ask: ONCE, embed: ONCE }
const AUTO: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

async function detect(models: readonly ServedModel[], changes: Partial<EmbeddingSettings> = {}) {
  using server = startEmbeddingServer(models)
  return await detectModel(embedderChoice({ ...AUTO, host: server.url, ...changes }, {})!, PATIENCE)
}

test("the dimensions come from the model's first vector, the window from its description", async () => {
  const detected = await detect([
    { name: "bge-m3:latest", digest: "sha256:0123456789abcdef", dimensions: 100 },
  ])
  expect(detected).toEqual({
    space: { provider: "ollama", model: "bge-m3:latest@0123456789ab", dimensions: 100, version: 1 },
    windowTokens: 2048,
  })
  expect(modelName(detected!.space)).toBe("bge-m3:latest")
})

test("another version of a model is another space", async () => {
  const [one, two] = await Promise.all(
    ["aaaa", "bbbb"].map((digest) => detect([{ name: "bge-m3:latest", digest }])),
  )
  expect(one!.space).not.toEqual(two!.space)
})

test("dimensions are asked for, and it matters whether they come", async () => {
  expect((await detect([{ name: "bge-m3" }], { dimensions: 16 }))!.space.dimensions).toBe(16)
  using server = startEmbeddingServer([{ name: "bge-m3" }])
  server.fault = ({ path }) =>
    path === "/api/embed" ? Response.json({ embeddings: [Array(64).fill(1)] }) : undefined
  const choice = embedderChoice({ ...AUTO, host: server.url, dimensions: 16 }, {})!
  expect(detectModel(choice, PATIENCE)).rejects.toThrow("a vector of 64 dimensions, not 16")
})

test("a model that was asked for and is not there is an error with the command to get it", async () => {
  const error = await detect([{ name: "llama3:8b" }], { provider: "ollama", model: "bge-m3" }).catch((e) => e)
  expect(error.message).toContain("has no model bge-m3")
  expect(error.hint).toBe("run: ollama pull bge-m3")
})

test("nothing preferred and nobody asked: nothing; somebody asked: an error", async () => {
  expect(await detect([{ name: "llama3:8b" }])).toBe(null)
  expect(detect([{ name: "llama3:8b" }], { provider: "ollama" })).rejects.toThrow("none of the models")
})

test("of the preferred families the first, of its sizes the smallest, and nothing that runs elsewhere", () => {
  const model = (name: string, bytes = 1, isCloud = false) => ({ name, bytes, isCloud, digest: "" })
  const choose = (...models: ReturnType<typeof model>[]) => preferredOf(models, null)?.name
  expect(choose(model("bge-m3:latest"), model("nomic-embed-text:v1.5"))).toBe("nomic-embed-text:v1.5")
  expect(choose(model("qwen3-embedding:8b", 8), model("qwen3-embedding:0.6b", 1))).toBe(
    "qwen3-embedding:0.6b",
  )
  expect(choose(model("qwen3-embedding:cloud", 0, true), model("bge-m3"))).toBe("bge-m3")
  expect(choose(model("mxbai-embed-large"))).toBe(undefined)
})

test("the model of the space that is there is kept while it is installed", () => {
  const models = ["qwen3-embedding:0.6b", "bge-m3:latest"].map((name) => ({
    name,
    bytes: 1,
    isCloud: false,
    digest: "",
  }))
  expect(preferredOf(models, "bge-m3:latest")?.name).toBe("bge-m3:latest")
  expect(preferredOf(models, "embeddinggemma")?.name).toBe("qwen3-embedding:0.6b")
})

test("a space that is there still spares the server loading the model", async () => {
  using server = startEmbeddingServer([{ name: "bge-m3", digest: "aa" }])
  const choice = embedderChoice({ ...AUTO, host: server.url }, {})!
  const { space } = (await detectModel(choice, PATIENCE))!
  server.asked.length = 0
  expect((await detectModel(choice, PATIENCE, space))!.space).toEqual(space)
  expect(server.texts()).toEqual([])
  server.models = [{ name: "bge-m3", digest: "bb", dimensions: 32 }]
  expect((await detectModel(choice, PATIENCE, space))!.space.dimensions).toBe(32)
})

async function probe(models: readonly ServedModel[], changes: Partial<EmbeddingSettings> = {}) {
  using server = startEmbeddingServer(models)
  return await probeEmbedder({ ...AUTO, host: server.url, ...changes }, {})
}

test("a server with a model that is taken by itself", async () => {
  expect(await probe([{ name: "llama3:8b" }, { name: "bge-m3:latest", dimensions: 24 }])).toMatchObject({
    provider: "ollama",
    isReachable: true,
    version: "0.12.6",
    installed: ["llama3:8b", "bge-m3:latest"],
    model: "bge-m3:latest",
    dimensions: 24,
    failure: null,
  })
})

test("without one, it says how to get one", async () => {
  const report = await probe([{ name: "llama3:8b" }])
  expect(report).toMatchObject({ isReachable: true, model: null, hint: "run: ollama pull qwen3-embedding" })
  expect(await probe([], { model: "bge-m3" })).toMatchObject({ hint: "run: ollama pull bge-m3" })
})

test("nobody there, nobody wanted, and a server of the other format", async () => {
  using server = startEmbeddingServer()
  server[Symbol.dispose]()
  expect(await probeEmbedder(AUTO, { OLLAMA_HOST: server.url })).toMatchObject({
    address: server.url,
    isAutomatic: true,
    isReachable: false,
    failure: expect.stringContaining("refused"),
    hint: "start it with: ollama serve",
  })
  expect(await probeEmbedder({ ...AUTO, provider: "static" }, {})).toMatchObject({
    provider: "static",
    address: null,
  })
  expect(await probe([{ name: "m" }], { provider: "openai", model: "m" })).toMatchObject({
    provider: "openai",
    isReachable: true,
    model: "m",
    dimensions: 64,
  })
  expect(await probe([], { provider: "openai" })).toMatchObject({
    failure: expect.stringContaining("embeddings.model"),
  })
})

test("each known model gets its own prompts, under any tag and namespace", () => {
  const queries: Record<string, string> = {
    "qwen3-embedding:0.6b": "Instruct: ",
    "dengcao/Qwen3-Embedding-4B:Q5_K_M": "Instruct: ",
    "nomic-embed-text:latest": "search_query: ",
    "nomic-embed-text-v2-moe": "search_query: ",
    embeddinggemma: "task: ",
    "mxbai-embed-large": "Represent this sentence",
    "snowflake-arctic-embed:335m": "Represent this sentence",
    "snowflake-arctic-embed2": "query: ",
    "bge-large": "Represent this sentence",
    "multilingual-e5-large": "query: ",
  }
  for (const [model, beginning] of Object.entries(queries))
    expect([model, promptsOf(model).query.slice(0, beginning.length)]).toEqual([model, beginning])
  expect(promptsOf("nomic-embed-text").document).toBe("search_document: ")
  expect(promptsOf("qwen3-embedding").document).toBe("")
})

test("bge-m3 and models that nobody told us about get none", () => {
  for (const model of ["bge-m3:latest", "text-embedding-3-small", "all-minilm", ""])
    expect(promptsOf(model)).toEqual({ query: "", document: "" })
})

test("the models taken by themselves are those of the README, in this order", () => {
  expect(PREFERRED_MODELS).toEqual(["qwen3-embedding", "nomic-embed-text", "embeddinggemma", "bge-m3"])
})
