import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { unsigned } from "../../base/bytes.ts"
import { STEPS_LEFT, withBoundedWork } from "./bounded-work.ts"
import { parseFile } from "./parse.ts"

/**
 * A module with a global of its own and these functions: `sum(n)` adds the numbers below n in a loop, without end if n is
 * 0; `calls(n)` calls itself twice with n - 1 until n is 0; `fill(n)` fills n bytes of memory with 7; `count()` counts
 * its calls in the global.
 */
const MODULE = moduleOf({
  1: ofHex("02 60 017f 017f 60 00 017f"), // types: i32 → i32, and nothing → i32
  3: ofHex("04 00 00 00 01"),
  5: ofHex("01 00 10"), // 16 pages of memory
  6: ofHex("01 7f 01 4105 0b"), // a global i32 that begins with 5
  7: exported({ sum: "00 00", calls: "00 01", fill: "00 02", count: "00 03", total: "03 00" }),
  10: bodies(
    "01 02 7f  03 40  2002 2001 6a 2102  2001 4101 6a 2201  2000 47 0d00 0b  2002 0b", // with two locals and a loop
    "00  2000 0440  2000 4101 6b 1001 1a  2000 4101 6b 1001 1a  0b 2000 0b",
    "00  4100 4107 2000 fc0b00  2000 0b",
    "00  2300 4101 6a 2400 2300 0b",
  ),
})

/** A module of these sections. */
function moduleOf(sections: Readonly<Record<number, Buffer>>): Buffer {
  const written = Object.entries(sections).map(([id, content]) =>
    Buffer.concat([Buffer.from([Number(id), ...unsigned(content.length)]), content]),
  )
  return Buffer.concat([ofHex("0061736d01000000"), ...written])
}

function exported(places: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(places).map(([name, place]) => Buffer.concat([named(name), ofHex(place)]))
  return Buffer.concat([Buffer.from([entries.length]), ...entries])
}

function bodies(...texts: readonly string[]): Buffer {
  const written = texts.map((text) => Buffer.concat([Buffer.from([ofHex(text).length]), ofHex(text)]))
  return Buffer.concat([Buffer.from([texts.length]), ...written])
}

function named(name: string): Buffer {
  return Buffer.from([name.length, ...Buffer.from(name)])
}

function ofHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex")
}

type Functions = Record<"sum" | "calls" | "fill" | "count", (n: number) => number> & {
  readonly total: WebAssembly.Global
}

/** The functions of the module, which may take this many steps together. */
function within(steps: number): Functions {
  const left = new WebAssembly.Global({ value: "i32", mutable: true }, steps)
  const module = new WebAssembly.Module(withBoundedWork(MODULE) as Buffer<ArrayBuffer>)
  const { exports } = new WebAssembly.Instance(module, { env: { [STEPS_LEFT]: left } })
  return exports as unknown as Functions
}

/** Each kind of work, with the number of steps that it takes. */
const WORK = {
  sum: (n: number) => n + 1,
  calls: (n: number) => 2 ** (n + 1) - 1,
  fill: (n: number) => 1 + (n >> 6),
} as const

describe("the work of a grammar", () => {
  test.each(["sum", "calls", "fill"] as const)(
    "%s is the same within the limit and traps beyond it",
    (name) => {
      const range = name === "calls" ? { min: 1, max: 8 } : { min: 1, max: 500 }
      fc.assert(
        fc.property(fc.integer(range), fc.integer({ min: 1, max: 600 }), (n, steps) => {
          const run = () => within(steps)[name](n)
          if (WORK[name](n) > steps) expect(run).toThrow(WebAssembly.RuntimeError)
          else expect(run()).toBe(name === "sum" ? (n * (n - 1)) / 2 : n)
        }),
      )
    },
  )

  test("is counted over all calls, and the globals of the module stay its own", () => {
    const { count, total, sum } = within(1000)
    expect([count(0), count(0), total.value]).toEqual([6, 7, 7])
    expect(sum(900)).toBe(404_550)
    expect(() => sum(900)).toThrow(WebAssembly.RuntimeError)
  })

  test("without an end stops", () => {
    expect(() => within(2 ** 20).sum(0)).toThrow(WebAssembly.RuntimeError)
    expect(() => within(2 ** 20).calls(60)).toThrow(WebAssembly.RuntimeError)
  })

  // The size is the last argument of memset, the product of both of calloc, the result of strlen.
  test.each([
    ["memset", "03 7f7f7f", "2000 2000 2000", [640, 10]],
    ["calloc", "02 7f7f", "2000 41c000", [10, 10]],
    ["calloc", "02 7f7f", "41c000 2000", [10, 10]],
    ["strlen", "01 7f", "2000", [640, 10]],
    ["free", "01 7f", "2000", [640, 0]],
  ])("of %s in C counts by the size of its block", (name, parameters, operands, [n, blocks]) => {
    const module = moduleOf({
      1: ofHex(`02 60 ${parameters} 017f 60 017f 017f`),
      2: Buffer.concat([ofHex("01"), named("env"), named(name), ofHex("00 00")]),
      3: ofHex("01 01"),
      7: exported({ run: "00 01" }),
      10: bodies(`00 ${operands} 1000 0b`),
    })
    const left = new WebAssembly.Global({ value: "i32", mutable: true }, 1000)
    const given: number[][] = []
    const env = {
      [STEPS_LEFT]: left,
      [name]: (...values: number[]) => {
        given.push(values)
        return n
      },
    }
    const bounded = new WebAssembly.Module(withBoundedWork(module) as Buffer<ArrayBuffer>)
    const { run } = new WebAssembly.Instance(bounded, { env }).exports as { run: (n: number) => number }
    expect(run(n as number)).toBe(n as number)
    expect(left.value).toBe(1000 - 1 - (blocks as number))
    expect(given).toHaveLength(1)
    expect(given[0]).toContain(n as number)
  })
})

test("refuses modules that are cut off, not WebAssembly, use vectors, or import what scanners do not get", () => {
  expect(() => withBoundedWork(Buffer.from("no module"))).toThrow("not a WebAssembly module of version 1")
  expect(() => withBoundedWork(MODULE.subarray(0, 4))).toThrow("cut off")
  expect(() => withBoundedWork(MODULE.subarray(0, -1))).toThrow("cut off")
  const vector = Buffer.from(MODULE)
  vector[vector.length - 3] = 0xfd
  expect(() => withBoundedWork(vector)).toThrow("0xfd")
  expect(() => withBoundedWork(withBoundedWork(MODULE))).toThrow(STEPS_LEFT)
  const importing = moduleOf({
    1: ofHex("01 60 00 00"),
    2: Buffer.concat([ofHex("01"), named("env"), named("foo"), ofHex("00 00")]),
  })
  expect(() => withBoundedWork(importing)).toThrow("it imports the function env.foo")
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
