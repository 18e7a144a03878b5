import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { withCurrentLinking } from "./bounded-work.ts"

const COPIES = join(import.meta.dir, "../../../grammars/copies")

/** A module whose only section is "dylink" with these numbers. */
function moduleWith(...numbers: number[]): Uint8Array {
  const content = [6, ...Buffer.from("dylink"), ...numbers]
  return Uint8Array.from([...Buffer.from("\0asm\x01\0\0\0", "latin1"), 0, content.length, ...content])
}

describe("a grammar in the older form", () => {
  test("gets the section that web-tree-sitter reads, with the same numbers", () => {
    const old = Bun.zstdDecompressSync(readFileSync(join(COPIES, "rescript.wasm.zst")))
    const [numbers] = WebAssembly.Module.customSections(new WebAssembly.Module(old), "dylink")
    const module = new WebAssembly.Module(withCurrentLinking(old) as Uint8Array<ArrayBuffer>)
    expect(WebAssembly.Module.customSections(module, "dylink")).toEqual([])
    const [section] = WebAssembly.Module.customSections(module, "dylink.0")
    const needed = new Uint8Array(numbers!).slice(0, -1)
    expect(new Uint8Array(section!)).toEqual(Uint8Array.from([1, needed.length, ...needed]))
  })

  test("that needs another library is refused", () => {
    expect(() => withCurrentLinking(moduleWith(8, 0, 2, 0, 1))).toThrow("needs another library")
    expect(withCurrentLinking(moduleWith(8, 0, 2, 0, 0)).length).toBeGreaterThan(0)
  })
})

test("a module in the current form is returned as it is", () => {
  const current = Bun.zstdDecompressSync(readFileSync(join(COPIES, "erlang.wasm.zst")))
  expect(withCurrentLinking(current)).toBe(current)
})

test("a module that is cut off is refused, not read beyond its end", () => {
  const old = moduleWith(8, 0, 2, 0, 0)
  fc.assert(
    fc.property(fc.integer({ min: 9, max: old.length - 1 }), (end) => {
      expect(() => withCurrentLinking(old.subarray(0, end))).toThrow("cut off")
    }),
  )
})
