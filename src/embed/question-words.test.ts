import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { termOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { QuestionWords } from "./question-words.ts"
import { encodeWordTable } from "./word-table.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-words-"))
  path = join(folder, "words.bin")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// Each word's row is high in one of four places alone: the one at which it stands here.
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

async function highest(words: QuestionWords, text: string): Promise<number> {
  const sums = await words.sumsFor(text)
  const vector = new Float32Array(4)
  sums.add(text)
  sums.take("plain", vector)
  return vector.indexOf(Math.max(...vector))
}

test("a file that could not be read once is read by the next question", async () => {
  const words = new QuestionWords(path)
  await expect(words.sumsFor("alpha")).rejects.toThrow()
  place(["alpha", "beta"], 1_000)
  expect(await highest(words, "beta")).toBe(1)
})

test("a table that replaces the one in use answers whole, not its rows under the words of the old one", async () => {
  const words = new QuestionWords(path)
  place(["alpha", "beta", "gamma", "delta"], 1_000)
  expect(await highest(words, "alpha")).toBe(0)
  place(["delta", "gamma", "beta", "alpha"], 2_000)
  expect(await highest(words, "gamma")).toBe(1)
  expect(await highest(words, "alpha")).toBe(3)
})
