import { expect, test } from "bun:test"
import { type ServedModel, startEmbeddingServer } from "../../../test/embedding-server.ts"
import type { EmbeddingSettings } from "./choice.ts"
import { probeEmbedder } from "./probe.ts"

const AUTO: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

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
