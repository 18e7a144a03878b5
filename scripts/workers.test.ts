import { expect, test } from "bun:test"
import { join } from "node:path"
import { findWorkers, rewriteWorkers } from "./workers.ts"

const sources = join(import.meta.dir, "..", "src")

test("finds the workers in the sources", () => {
  expect(findWorkers(sources)).toContain(join(sources, "index/pipeline/worker.ts"))
})

test("addresses a worker from the top of the sources and changes nothing else", () => {
  const rewrite = (text: string) => rewriteWorkers(text, join(sources, "indexing", "pool.ts"), sources)
  expect(rewrite('new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })')).toBe(
    'new Worker(new URL("./indexing/worker.ts", import.meta.url), { type: "module" })',
  )
  expect(rewrite("new Worker(new URL('../embed/train.ts', import.meta.url))")).toBe(
    'new Worker(new URL("./embed/train.ts", import.meta.url))',
  )
  expect(rewrite('new URL("./table.bin", import.meta.url)')).toBe('new URL("./table.bin", import.meta.url)')
})
