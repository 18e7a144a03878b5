import { expect, test } from "bun:test"
import { Variant } from "./variant.ts"

const SOURCE = "export function openFile(fileName: string) { return new FileReader(max_size, fileName) }"

test("the same seed gives the same copy, another seed another one", () => {
  expect(new Variant(1).text(SOURCE)).toBe(new Variant(1).text(SOURCE))
  const copies = new Set(Array.from({ length: 20 }, (_, seed) => new Variant(seed + 1).text(SOURCE)))
  expect(copies.size).toBeGreaterThan(10)
})

test("keeps simple words and punctuation and only lengthens identifiers", () => {
  const shape =
    /^export function openFile\w* ?\(fileName\w*: string\) \{ return new FileReader\w*\(max_size\w*, fileName\w*\) \}$/u
  for (let seed = 1; seed < 50; seed++) expect(new Variant(seed).text(SOURCE)).toMatch(shape)
})

test("renames a name the same wherever it occurs in a variant", () => {
  const variant = new Variant(7)
  const names = Array.from({ length: 200 }, (_, i) => `some_name${i}`)
  const first = names.map((name) => variant.text(name))
  expect(names.map((name) => variant.text(`(${name})`))).toEqual(first.map((name) => `(${name})`))
  const grown = first.filter((name, i) => name !== names[i]).length
  expect(grown).toBeGreaterThan(30)
  expect(grown).toBeLessThan(110)
})

test("keeps folders and extensions of paths, and all paths distinct", () => {
  const variant = new Variant(3)
  const paths = Array.from({ length: 100 }, (_, i) => `src/deep/file${i}.test.ts`)
  const copies = paths.map((path) => variant.path(path))
  expect(new Set(copies).size).toBe(100)
  for (const copy of copies) expect(copy).toMatch(/^[a-z]+-3\/src\/deep\/file\d+(?:_[a-z]+)?\.test\.ts$/u)
})
