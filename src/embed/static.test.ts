import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createStaticEmbedder } from "./static.ts"

const models = join(import.meta.dir, "../../models")

test("the table is the one that its checksum was written for", () => {
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(join(models, "aman256.bin"))).digest("hex")
  expect(`${sum}\n`).toBe(readFileSync(join(models, "aman256.sha256"), "utf8"))
})

test("what means the same is nearer than what shares a letter, in words that share none", async () => {
  const embedder = createStaticEmbedder("aman256")
  const code = await embedder.embedChunks([
    {
      text: "fn evict(&mut self) { while self.entries.len() > self.capacity {} }",
      names: ["evict"],
      path: "lru.rs",
    },
    {
      text: "def render(template, context): return template.format(**context)",
      names: ["render"],
      path: "page.py",
    },
  ])
  const query = await embedder.embedQuery("remove the oldest items from the cache")
  const [near = 0, far = 0] = [0, 1].map((row) => dot(query, code.subarray(row * 256, (row + 1) * 256)))
  expect(near).toBeGreaterThan(far + 0.1)
})

test("a path has a vector where there is no text", async () => {
  const embedder = createStaticEmbedder("aman256")
  const [path, text] = await Promise.all([
    embedder.embedChunks([{ text: "", names: [], path: "src/http/router.ts" }]),
    embedder.embedChunks([{ text: "src http router", names: [], path: "" }]),
  ])
  expect(dot(path, text)).toBeCloseTo(1, 5)
})

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
