import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import {
  createStaticEmbedder,
  encodeWordTable,
  findWord,
  openWordTable,
  QueryWordTable,
  readWordTable,
  WordSums,
  wordRows,
} from "./static.ts"

const models = join(import.meta.dir, "../../../models")

test("the table matches its checksum", () => {
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(join(models, "aman256.bin"))).digest("hex")
  expect(`${sum}\n`).toBe(readFileSync(join(models, "aman256.sha256"), "utf8"))
})

test("finds synonyms nearer than words with shared letters", async () => {
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

test("gives a path a vector without a text", async () => {
  const embedder = createStaticEmbedder("aman256")
  const [path, text] = await Promise.all([
    embedder.embedChunks([{ text: "", names: [], path: "src/http/router.ts" }]),
    embedder.embedChunks([{ text: "src http router", names: [], path: "" }]),
  ])
  expect(dot(path, text)).toBeCloseTo(1, 5)
})

test("gives a whole file the same vector if the counts of its chunks are added up", async () => {
  const line = fc.string({
    unit: fc.constantFrom("a", "B", "7", "_", " ", "(", "é", "中", "user", "Name"),
    maxLength: 8,
  })
  const file = fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  const chunkOf = (lines: readonly string[]) => ({
    text: lines.join("\n"),
    names: ["userName"],
    path: "src/a.ts",
  })
  const rest = { text: "a name", names: [], path: "" }
  await fc.assert(
    // Memories, which aman256 is for, have no wholes.
    fc.asyncProperty(file, async (chunks) => {
      const embedder = createStaticEmbedder("aman512")
      const whole = chunkOf(chunks.flat())
      const inputs = [...chunks.map(chunkOf), rest, whole]
      const alone = await embedder.embedChunks(inputs)
      const joined = await embedder.embedChunks([...inputs.slice(0, -1), { ...whole, isWhole: true }])
      for (const [i, value] of joined.entries()) expect(value).toBeCloseTo(alone[i]!, 6)
    }),
  )
})

test("finds both a synonym and a misspelling near in aman512, with rows of length 1", async () => {
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

test("uses only the letters when the table has no word", async () => {
  const embedder = createStaticEmbedder("aman512")
  for (const text of ["#!@$", "\u00e9"])
    expect([0, 1]).toContain(Math.round(Math.hypot(...(await embedder.embedQuery(text)))))
})

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-words-"))
  path = join(folder, "words.bin")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// Each word's row has one high number, at the position that the word has in this list.
function place(words: readonly string[], seconds: number): void {
  const hashes = Uint32Array.from(
    words.flatMap((word) => {
      const hash = hashTerm(termOf(word))
      return [Number(hash & 0xffff_ffffn), Number(hash >> 32n)]
    }),
  )
  const steps = Uint8Array.of(0x7f, 0x77, 0x77, 0x7f, 0xf7, 0x77, 0x77, 0xf7).subarray(0, 2 * words.length)
  const next = join(folder, "next.bin")
  writeFileSync(next, encodeWordTable(hashes, new Float32Array(words.length).fill(1), steps, 4))
  utimesSync(next, seconds, seconds)
  renameSync(next, path)
}

async function highest(words: QueryWordTable, text: string): Promise<number> {
  const sums = await words.sumsFor(text)
  const vector = new Float32Array(4)
  sums.add(text)
  sums.take("plain", vector)
  return vector.indexOf(Math.max(...vector))
}

test("tries again to read the file at the next query after a failure", async () => {
  const words = new QueryWordTable(path)
  await expect(words.sumsFor("alpha")).rejects.toThrow()
  place(["alpha", "beta"], 1_000)
  expect(await highest(words, "beta")).toBe(1)
})

test("does not mix words and rows when the file is replaced", async () => {
  const words = new QueryWordTable(path)
  place(["alpha", "beta", "gamma", "delta"], 1_000)
  expect(await highest(words, "alpha")).toBe(0)
  place(["delta", "gamma", "beta", "alpha"], 2_000)
  expect(await highest(words, "gamma")).toBe(1)
  expect(await highest(words, "alpha")).toBe(3)
})

const WORDS = ["alpha", "beta", "gamma"]
// One number of 4 bits each: 8 stands for +.5 of a step, 7 for −.5, 15 for +7.5.
const ROWS = [
  [15, 7, 7, 7],
  [7, 15, 7, 7],
  [7, 7, 15, 8],
]
const SCALE = Float32Array.of(1, 2, 1)

const bytes = encodeWordTable(hashesOf(WORDS), SCALE, steps(ROWS), 4)
const table = readWordTable(bytes)

test("finds the words of the table by hash and no others", () => {
  for (const [i, word] of WORDS.entries()) expect(find(word)).toBe(i)
  expect(find("delta")).toBe(-1)
})

test("reads a table at any offset", () => {
  const moved = new Uint8Array(bytes.length + 1)
  moved.set(bytes, 1)
  const again = readWordTable(moved.subarray(1))
  expect(again.steps).toEqual(table.steps)
  expect(again.scale).toEqual(table.scale)
})

test("refuses bytes that are no table", async () => {
  for (const other of [bytes.slice(0, -1), new Uint8Array(16)]) {
    expect(() => readWordTable(other)).toThrow("not a table")
    await expect(openWordTable(new Blob([other]))).rejects.toThrow()
  }
})

test("gives the same vector from single rows as from the whole table", async () => {
  const few = await openWordTable(new Blob([bytes]))
  const [all, asked] = [new WordSums(table), new WordSums(few)]
  const questions = ["gamma", "alpha gamma alpha", "an unknown_word beta", "", "beta delta"]
  await Promise.all(questions.map((text) => few.load(wordRows(few, text))))
  for (const text of questions) {
    const vectors = [all, asked].map((sums) => {
      const vector = new Float32Array(4)
      sums.add(text)
      sums.take("plain", vector)
      return vector
    })
    expect(vectors[1]).toEqual(vectors[0]!)
  }
})

test("sums words by the root of their counts in documents and by plain counts in queries", () => {
  const sums = new WordSums(table)
  const expected = (counts: readonly number[], weigh: (count: number) => number) => {
    const sum = [0, 1, 2, 3].map((i) =>
      counts.reduce((total, count, word) => total + weigh(count) * SCALE[word]! * (ROWS[word]![i]! - 7.5), 0),
    )
    const length = Math.hypot(...sum)
    return sum.map((value) => value / length)
  }
  const out = new Float32Array(8)
  sums.add("alphas, beta alpha")
  sums.add("beta_alpha", 2)
  sums.take("root", out, 4)
  close(out.subarray(4), expected([4, 3, 0], Math.sqrt))
  expect([...out.subarray(0, 4)]).toEqual([0, 0, 0, 0])
  sums.add("alpha alpha gamma")
  sums.take("plain", out)
  close(
    out.subarray(0, 4),
    expected([2, 0, 1], (count) => count),
  )
})

test("returns zeros without a word", () => {
  const out = new Float32Array(4).fill(1)
  const sums = new WordSums(table)
  sums.add("…")
  sums.take("plain", out)
  expect([...out]).toEqual([0, 0, 0, 0])
})

test("gives an unknown word a fixed direction of its own", () => {
  const out = new Float32Array(12)
  const sums = new WordSums(table)
  for (const [i, word] of ["frobnicate", "Frobnicate", "alpha"].entries()) {
    sums.add(word)
    sums.take("plain", out, 4 * i)
  }
  const [first, again, known] = [0, 4, 8].map((at) => [...out.subarray(at, at + 4)])
  expect(Math.hypot(...first!)).toBeCloseTo(1, 6)
  expect(again).toEqual(first!)
  expect(known).not.toEqual(first!)
})

function close(found: Float32Array, expected: readonly number[]): void {
  for (const [i, value] of expected.entries()) expect(found[i]).toBeCloseTo(value, 6)
}

function find(word: string): number {
  const hash = hashTerm(termOf(word))
  return findWord(table, Number(hash >> 32n), Number(hash & 0xffff_ffffn))
}

function hashesOf(words: readonly string[]): Uint32Array {
  return Uint32Array.from(
    words.flatMap((word) => {
      const hash = hashTerm(termOf(word))
      return [Number(hash & 0xffff_ffffn), Number(hash >> 32n)]
    }),
  )
}

function steps(rows: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(rows.flatMap(([a, b, c, d]) => [a! | (c! << 4), b! | (d! << 4)]))
}
