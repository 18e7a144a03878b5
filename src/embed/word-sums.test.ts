import { expect, test } from "bun:test"
import { termOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { rowsOf, WordSums } from "./word-sums.ts"
import { encodeWordTable, findWord, openWordTable, readWordTable } from "./word-table.ts"

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

test("words are found by their hash, others are not", () => {
  for (const [i, word] of WORDS.entries()) expect(find(word)).toBe(i)
  expect(find("delta")).toBe(-1)
})

test("a table reads the same wherever its bytes lie", () => {
  const moved = new Uint8Array(bytes.length + 1)
  moved.set(bytes, 1)
  const again = readWordTable(moved.subarray(1))
  expect(again.steps).toEqual(table.steps)
  expect(again.scale).toEqual(table.scale)
})

test("what is no table is refused", async () => {
  for (const other of [bytes.slice(0, -1), new Uint8Array(16)]) {
    expect(() => readWordTable(other)).toThrow("not a table")
    await expect(openWordTable(new Blob([other]))).rejects.toThrow()
  }
})

test("a question's words alone, read from the file, give the vector that all of them give", async () => {
  const few = await openWordTable(new Blob([bytes]))
  const [all, asked] = [new WordSums(table), new WordSums(few)]
  const questions = ["gamma", "alpha gamma alpha", "an unknown_word beta", "", "beta delta"]
  await Promise.all(questions.map((text) => few.want(rowsOf(few, text))))
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

test("a text is the sum of its words by the roots of their counts, of length 1; a question counts plainly", () => {
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

test("where there is no word the vector is nothing", () => {
  const out = new Float32Array(4).fill(1)
  const sums = new WordSums(table)
  sums.add("…")
  sums.take("plain", out)
  expect([...out]).toEqual([0, 0, 0, 0])
})

test("a word that nobody knows has a direction of its own, the same each time", () => {
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
