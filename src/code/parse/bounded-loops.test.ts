import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { withBoundedLoops } from "./bounded-loops.ts"
import { parseFile } from "./parse.ts"

/** `run(n)` adds the numbers below n in a loop and returns the sum; with n = 0 its loop never ends. */
const SUMS = Buffer.from(
  [
    "0061736d01000000",
    "0106 01 60 017f 017f", // type: i32 → i32
    "0302 01 00",
    "0707 01 03 72756e 00 00", // exports "run"
    "0a1e 01 1c 01 02 7f", // one function with two locals of its own
    "03 40", // loop
    "2002 2001 6a 2102", // sum += i
    "2001 4101 6a 2201", // i += 1
    "2000 47 0d00 0b", // again if i ≠ n
    "2002 0b",
  ]
    .join("")
    .replaceAll(" ", ""),
  "hex",
)

function sumsWithin(rounds: number): (n: number) => number {
  const module = new WebAssembly.Module(withBoundedLoops(SUMS, rounds))
  return new WebAssembly.Instance(module).exports["run"] as (n: number) => number
}

describe("a loop of a grammar", () => {
  test("computes the same within the limit and traps beyond it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 }), (n, rounds) => {
        const run = sumsWithin(rounds)
        if (n > rounds) expect(() => run(n)).toThrow(WebAssembly.RuntimeError)
        else expect(run(n)).toBe((n * (n - 1)) / 2)
      }),
    )
  })

  test("without an end stops, and the count starts again with the next call", () => {
    const run = sumsWithin(2 ** 20)
    expect(() => run(0)).toThrow(WebAssembly.RuntimeError)
    expect(run(1000)).toBe(499_500)
  })
})

test("refuses modules that are cut off, not WebAssembly, or use vectors", () => {
  expect(() => withBoundedLoops(Buffer.from("no module"))).toThrow("not a WebAssembly module of version 1")
  expect(() => withBoundedLoops(SUMS.subarray(0, 4))).toThrow("cut off")
  expect(() => withBoundedLoops(SUMS.subarray(0, -1))).toThrow("cut off")
  const vector = Buffer.from(SUMS)
  vector[vector.length - 4] = 0xfd
  expect(() => withBoundedLoops(vector)).toThrow("0xfd")
})

// Kotlin's scanner searches for a blank after an annotation. It would never end if the annotation is at the end of the
// file.
test("a Kotlin file that ends in an annotation is cut by lines", async () => {
  const text = "class Order {\n    val total = 1\n    @Audited"
  const sizes = { chunkTokens: 500, mergeTokens: 200, timeoutMs: 60_000 }
  const { chunks, degraded } = await parseFile("Order.kt", text, sizes)
  expect(degraded).toBe("the grammar fails on this text")
  expect(chunks).toHaveLength(1)
})
