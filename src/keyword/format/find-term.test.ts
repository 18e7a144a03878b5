import { expect, test } from "bun:test"
import fc from "fast-check"
import { ArrayColumn } from "./column.ts"
import { findTerm } from "./find-term.ts"
import { postingsInMemory } from "./posting-bytes.ts"

const half = fc.oneof(fc.nat(3), fc.integer({ min: 0xffff_fff0, max: 0xffff_ffff }), fc.nat(0x7fff_ffff))

test("finds every term and no other, however the hashes cluster", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 300 }), half, half, (drawn, hi, lo) => {
      const terms = [...new Map(drawn.map((term) => [term.join(), term])).values()]
      terms.sort((a, b) => a[0] - b[0] || a[1] - b[1])
      const space = {
        hi: new ArrayColumn(Uint32Array.from(terms, (term) => term[0])),
        lo: new ArrayColumn(Uint32Array.from(terms, (term) => term[1])),
        lengths: new ArrayColumn(new Uint8Array(terms.length)),
        blocks: new ArrayColumn(new Uint32Array(Math.ceil(terms.length / 16))),
        postings: postingsInMemory(new Uint8Array()),
      }
      terms.forEach((term, i) => {
        expect(findTerm(space, term[0], term[1])).toBe(i)
      })
      expect(findTerm(space, hi, lo)).toBe(terms.findIndex((term) => term[0] === hi && term[1] === lo))
    }),
  )
})
