import { expect, test } from "bun:test"
import type { VectorIndex } from "../vector/port.ts"
import { type SearchOptions, type SearchSources, SourcesTouched } from "./sources.ts"
import { vectorChannel } from "./vector-channel.ts"

test("vectors whose file was altered while the query was embedded are not read", async () => {
  const steps: string[] = []
  const vectors = new Proxy({ size: 1 } as VectorIndex, {
    get: (target, name) => {
      if (name === "size") return target.size
      steps.push(`read ${String(name)}`)
      return () => []
    },
  })
  const embedder = {
    embedQuery: async () => {
      steps.push("embedded")
      return Float32Array.of(1)
    },
  }
  const afterWait = () => {
    throw new SourcesTouched()
  }
  const sources = { vectors, embedder, afterWait } as unknown as SearchSources
  await expect(vectorChannel(sources, "words", {} as SearchOptions)).rejects.toBeInstanceOf(SourcesTouched)
  expect(steps).toEqual(["embedded"])
})
