import { expect, test } from "bun:test"
import { join } from "node:path"
import { MIDDLE, readWordTable } from "../../../src/index/embed/static.ts"
import { readCorpus } from "./corpus.ts"
import { quantizeTable } from "./quantize-table.ts"
import { TRAIN_OPTIONS, trainTable } from "./train-table.ts"

/** 160 pairs of each of three repositories, in the format that packages/lab/train.ts reads; words are hashes. */
const SLICE = ["fasthttp", "koa", "reqwest"].map((name) =>
  join(import.meta.dir, "../../../test/fixtures/train", `${name}.pairs`),
)
const SMALL = {
  ...TRAIN_OPTIONS,
  dimensions: 64,
  batch: 64,
  together: 16,
  broadEpochs: 2,
  codeEpochs: 4,
} as const

const corpus = readCorpus(SLICE)

test("the same slice and seed give the same bytes, on every machine", () => {
  const bytes = quantizeTable(trainTable(corpus, SMALL), corpus.words.hashes, SMALL.dimensions)
  const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  expect(sum).toBe("de173ab9b39d29421e493b9a784d0fa5c8c4ce75a8409fdb13279ba59bcb24ba")
})

test("another seed gives another table", () => {
  const first = trainTable(corpus, { ...SMALL, codeEpochs: 0 })
  expect(trainTable(corpus, { ...SMALL, codeEpochs: 0, seed: 2 })).not.toEqual(first)
})

test("training moves the two texts of a pair closer together", () => {
  const losses: number[] = []
  trainTable(corpus, {
    ...SMALL,
    broadEpochs: 12,
    codeEpochs: 0,
    onStep: (_step, _steps, loss) => losses.push(loss),
  })
  expect(losses.at(-1)!).toBeLessThan(0.8 * losses[0]!)
})

test("four bits per number keep a vector's direction", () => {
  const table = trainTable(corpus, { ...SMALL, codeEpochs: 0 })
  const bytes = quantizeTable(table, corpus.words.hashes, SMALL.dimensions)
  const { scale, steps, dimensions } = readWordTable(bytes)
  const half = dimensions / 2
  for (let word = 0; word < scale.length; word++) {
    const row = table.subarray(word * dimensions, (word + 1) * dimensions)
    const kept = row.map((_, i) => {
      const two = steps[word * half + (i % half)]!
      return ((i < half ? two & 15 : two >>> 4) - MIDDLE) * scale[word]!
    })
    expect(cosine(row, kept)).toBeGreaterThan(0.99)
  }
})

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}
