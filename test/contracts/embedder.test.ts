import { afterAll } from "bun:test"
import { configuredEmbedder } from "../../src/index/embed/embedder.ts"
import { embedderChoice } from "../../src/index/embed/model.ts"
import { createStaticEmbedder } from "../../src/index/embed/static.ts"
import { startEmbeddingServer } from "../embedding-server.ts"
import { embedderContract } from "./embedder.ts"

const server = startEmbeddingServer([{ name: "bge-m3:latest" }, { name: "any" }])
afterAll(() => server[Symbol.dispose]())

for (const model of ["aman512", "aman256"] as const)
  embedderContract(model, () => createStaticEmbedder(model))
embedderContract("ollama", () => remote("ollama", "bge-m3:latest"))
embedderContract("openai", () => remote("openai", "any"))

function remote(provider: "ollama" | "openai", model: string) {
  const choice = embedderChoice({ provider, model, dimensions: 0, host: server.url })!
  const space = { provider, model: `${model}@here`, dimensions: 64, version: 1 }
  const retry = { timeoutMs: 20_000, attempts: 1 }
  return configuredEmbedder(choice, { space, windowTokens: 8192 }, { retry, batchSize: 2 })
}
