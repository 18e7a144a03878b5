import { expect, test } from "bun:test"
import { PREFERRED_MODELS, promptsOf } from "./models.ts"

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
