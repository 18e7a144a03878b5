import { expect, test } from "bun:test"
import { AmanError } from "../../base/errors.ts"
import type { Embedder } from "../port.ts"
import { queryVectors } from "./query-vectors.ts"

const VECTOR = new Float32Array([1, 0])

/** An embedder whose answers the test gives. */
function controlled(patienceMs = 20_000, maxCached = 2) {
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
    embed: queryVectors(embedder, { name: "it", patienceMs, maxCached, now: () => time }),
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

test("a query is embedded once, and forgotten when others were asked since", async () => {
  const { embed, asked } = controlled()
  for (const text of ["a", "a", "b", "a", "c", "b"]) expect(await embed(text)).toEqual({ vector: VECTOR })
  expect(asked).toEqual(["a", "b", "c", "b"])
})

test("the same query at the same time is one question", async () => {
  const { embed, asked } = controlled()
  await Promise.all([embed("a"), embed("a")])
  expect(asked).toEqual(["a"])
})

test("after a failure it is left alone for a while, and asked again then", async () => {
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

test("what is late is answered without, and used the next time", async () => {
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

test("a mistake of the program is not taken for the embedder's", () => {
  const { embed, answerWith } = controlled()
  answerWith(async () => {
    throw new TypeError("a mistake")
  })
  expect(embed("a")).rejects.toThrow("a mistake")
})
