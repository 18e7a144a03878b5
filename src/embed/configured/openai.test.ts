import { expect, test } from "bun:test"
import { startEmbeddingServer } from "../../../test/embedding-server.ts"
import type { AmanError } from "../../base/errors.ts"
import { parseAddress } from "./address.ts"
import { keyFor, openOpenAi } from "./openai.ts"

const PATIENCE = { timeoutMs: 20_000, attempts: 1 }

test("the server, its version's folder and the whole address lead to the same place", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  for (const path of ["", "/", "/v1", "/v1/", "/v1/embeddings"]) {
    await openOpenAi(parseAddress(server.url + path, "host"), PATIENCE, {}).embed("m", ["a"], null)
    expect(server.asked.at(-1)!.path).toBe("/v1/embeddings")
  }
})

test("vectors come in the order of the texts, whatever the order of the answer", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  const openAi = openOpenAi(parseAddress(server.url, "host"), PATIENCE, {})
  const [first] = (await openAi.embed("m", ["refund"], 32)) as number[][]
  expect(first).toHaveLength(32)
  expect(((await openAi.embed("m", ["refund", "login"], 32)) as number[][])[0]).toEqual(first)
})

test("the key is sent, and stays out of errors", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  const openAi = openOpenAi(parseAddress(server.url, "host"), PATIENCE, { AMAN_OPENAI_API_KEY: "sk-1" })
  await openAi.embed("m", ["a"], null)
  expect(server.asked.at(-1)!.authorization).toBe("Bearer sk-1")
  server.fault = () => Response.json({ error: { message: "bad key sk-1" } }, { status: 401 })
  const error = await openAi.embed("m", ["a"], null).catch((thrown: AmanError) => thrown as AmanError)
  expect(`${(error as AmanError).message} ${(error as AmanError).hint}`).not.toContain("sk-1")
  expect((error as AmanError).message).toContain("wants a key")
})

test("OpenAI's own key never travels unencrypted to another machine", () => {
  const env = { OPENAI_API_KEY: "sk-1" }
  const key = (address: string) => keyFor(parseAddress(address, "host"), env)
  expect(key("https://api.openai.com/v1")).toBe("sk-1")
  expect(key("http://localhost:8080")).toBe("sk-1")
  expect(key("http://10.0.0.1:8080")).toBe(undefined)
})
