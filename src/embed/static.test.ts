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

test("both in one row: a synonym and a slip of the pen are near, and each row has length 1", async () => {
  const embedder = createStaticEmbedder("aman512")
  const nearness = async (question: string, text: string) => {
    const [query, vector] = await Promise.all([
      embedder.embedQuery(question),
      embedder.embedChunks([{ text, names: [], path: "" }]),
    ])
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    return dot(query, vector)
  }
  const [meant, other] = ["delete the cache", "render a template"]
  expect(await nearness("remove", meant!)).toBeGreaterThan((await nearness("remove", other!)) + 0.05)
  const misspelt = "authentcation"
  expect(await nearness(misspelt, "authentication")).toBeGreaterThan(
    (await nearness(misspelt, "configuration")) + 0.1,
  )
})

test("where the table has no word the letters stand alone", async () => {
  const embedder = createStaticEmbedder("aman512")
  for (const text of ["#!@$", "\u00e9"])
    expect([0, 1]).toContain(Math.round(Math.hypot(...(await embedder.embedQuery(text)))))
})

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
