import { expect, test } from "bun:test"
import { compoundOf } from "../text/terms/abbreviations.ts"
import { hashTerm } from "../text/terms/hash.ts"
import { nameHashes } from "./definitions.ts"

test("hashes each name once like the keyword index and ignores short names", () => {
  const hashes = nameHashes(["readToken", "read_token", "get", "Cache"])
  const expected = [hashTerm(compoundOf("read_token")), hashTerm(compoundOf("Cache"))]
  expect([...new Uint32Array(hashes.buffer)]).toEqual(
    expected.flatMap((hash) => [Number(hash >> 32n), Number(hash & 0xffff_ffffn)]),
  )
})

test("keeps only the first of thousands of names", () => {
  const names = Array.from({ length: 3000 }, (_, i) => `REGISTER_${i >> 1}`)
  const hashes = nameHashes(names)
  expect(hashes.byteLength).toBe(200 * 8)
  expect(hashes).toEqual(nameHashes(names.slice(0, 400)))
})
