import { describe, expect, test } from "bun:test"
import { connect } from "./connect.ts"
import { indexedOnce } from "./opened.ts"
import { startsOf } from "./symbol-places.ts"

const FILES: Readonly<Record<string, string>> = {
  "src/fmt.ts": "export function format(x: number): number {\n  return x\n}\n",
  "src/other.ts": "export function yell(x: string): string {\n  return x\n}\n",
  "src/money.ts": `import { format } from "./fmt.ts"
import { yell as shout } from "./other.ts"
import { readFile } from "node:fs"
export class Money {
  format() {
    return format(1)
  }
  print(value: string) {
    readFile(value)
    return shout(value)
  }
  both(value: string) {
    return format(shout(value).length)
  }
}
`,
  "src/shop.ts": 'import { Money } from "./money.ts"\nexport const shop = new Money()\nshop.print("a")\n',
  "names/own.ts": "function openIt() {}\nexport { openIt as startIt }\n",
  "names/again.ts": 'export { startIt as runIt } from "./own.ts"\n',
  "names/use.ts": 'import { startIt } from "./own.ts"\nexport function go() {\n  startIt()\n}\n',
  "order/a.test.ts": "export function ranked() {}\n",
  "order/b.ts": "function ranked() {}\nranked()\n",
  "order/c.ts":
    "export function ranked(x: number): number\nexport function ranked(x: string): string\nexport function ranked(x: never) {\n  return x\n}\n",
  "c/tax.h": "int levy(int x);\n",
  "c/tax.c": '#include "tax.h"\nint levy(int x) { return x; }\n',
  "go.mod": "module example.com/shop\n\ngo 1.24\n",
  "go/a/a.go": "package a\n\nfunc Load(n int) int { return n }\n",
  "go/b/b.go": 'package b\n\nimport "example.com/shop/go/a"\n\nfunc Load() int {\n\treturn a.Load(1)\n}\n',
}

const space = indexedOnce(FILES)

const definitionsOf = async (...question: string[]) => {
  const { definitions } = await space().json(["symbol", ...question] as [string])
  return startsOf(definitions)
}

test.each([
  ["the line where a definition begins", "src/money.ts:5", "src/money.ts:5"],
  ["the lines of a definition, as answers print them", "src/money.ts:5-7", "src/money.ts:5"],
  ["lines inside of a definition", "src/money.ts:6-7", "src/money.ts:5"],
  ["a line that uses one definition", "src/money.ts:6", "src/fmt.ts:1"],
  ["a line that uses several", "src/money.ts:13", "src/money.ts:12"],
  ["a line without uses", "src/money.ts:7", "src/money.ts:5"],
  ["a column with a name", "src/money.ts:13:12", "src/fmt.ts:1"],
  ["a line at the top of a file", "src/shop.ts:1", "src/money.ts:4"],
  ["a member of a file", "src/money.ts#Money.format", "src/money.ts:5"],
  ["a name in a file", "src/money.ts#format", "src/money.ts:5"],
  ["a name on a line", "src/money.ts:6#format", "src/fmt.ts:1"],
  ["the other name of an import on a line", "src/money.ts:10#shout", "src/other.ts:1"],
  ["a name on the line of its definition", "src/fmt.ts:1#format", "src/fmt.ts:1"],
  ["a path with ./", "./src/money.ts:6#format", "src/fmt.ts:1"],
  ["a use through a Go package", "go/b/b.go:6#Load", "go/a/a.go:3"],
])("%s addresses a symbol", async (_, address, place) => {
  expect(await definitionsOf(address)).toEqual([place])
})

test("a path with a line, or of a file that only uses the name, resolves the name there", async () => {
  expect(await definitionsOf("format", "--path", "src/money.ts:6")).toEqual(["src/fmt.ts:1"])
  expect(await definitionsOf("Money", "--path", "src/shop.ts")).toEqual(["src/money.ts:4"])
})

test("an address works in every relation", async () => {
  const callers = await space().json(["symbol", "src/money.ts:6#format", "--callers"])
  expect(startsOf(callers.related)).toEqual(["src/money.ts:5", "src/money.ts:12"])
  expect(callers.name).toBe("format")
  const references = await space().json(["symbol", "src/money.ts#Money.format", "--callees"])
  expect(startsOf(references.related)).toEqual(["src/fmt.ts:1"])
  const impact = await space().json(["symbol", "src/other.ts:1", "--impact"])
  expect(startsOf(impact.related)).toContain("src/money.ts:8")
})

test("every place that an answer prints addresses a symbol", async () => {
  const { references } = await space().json(["symbol", "format", "--references"])
  for (const { path, line } of references) {
    const { code, stderr } = await space().run(["symbol", `${path}:${line}`])
    expect([code, stderr.includes("no definition")]).toEqual([0, false])
  }
})

describe("refuses, with the reason,", () => {
  test.each([
    ["src/money.ts:9#readFile", '"readFile" at src/money.ts:9 is defined outside of the project, in node:fs'],
    ["src/money.ts:10#value", '"value" at src/money.ts:10 is a local variable or a parameter'],
    ["src/money.ts:7#format", '"format" is not used at src/money.ts:7'],
    ["src/money.ts#nothing", 'no definition of "nothing" in src/money.ts'],
  ])("%s", async (address, message) => {
    const { code, stderr } = await space().run(["symbol", address])
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})

test("agents address symbols in the same way", async () => {
  await using server = await connect(space())
  const { structuredContent } = await server.call("symbol", {
    name: "src/money.ts:6#format",
    relation: "callers",
  })
  expect(startsOf(structuredContent.related)).toEqual(["src/money.ts:5", "src/money.ts:12"])
})

test("read takes the places that answers print", async () => {
  const method = "  format() {\n    return format(1)\n  }\n"
  for (const place of ["src/money.ts:5-7", "src/money.ts#Money.format"]) {
    const { stdout } = await space().run(["read", place])
    expect(stdout).toBe(method)
  }
  await using server = await connect(space())
  const { structuredContent } = await server.call("read", { path: "src/money.ts#Money.format" })
  expect(`${structuredContent.text}\n`).toBe(method)
  const { code, stderr } = await space().run(["read", "src/money.ts#Money.lost"])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('no definition of "Money.lost" in src/money.ts'),
  ])
})

test("a memory about a symbol of a file is anchored at its lines", async () => {
  await space().run(["remember", "--source", "src/money.ts#Money.print", "Prices are printed loudly"])
  const { results } = await space().json(["recall", "prices printed loudly"])
  expect(JSON.stringify(results)).toContain("src/money.ts")
})

test("a call under the other name of an import is shown with its line", async () => {
  const { references } = await space().json(["symbol", "src/other.ts#yell", "--references"])
  expect(references.map(({ text }: { text: string }) => text)).toEqual([
    'import { yell as shout } from "./other.ts"',
    "return shout(value)",
    "return format(shout(value).length)",
  ])
})

test("shows exported definitions before private ones and tests, and bodies before declarations", async () => {
  expect(await definitionsOf("ranked")).toEqual([
    "order/c.ts:3",
    "order/b.ts:1",
    "order/a.test.ts:1",
    "order/c.ts:1",
    "order/c.ts:2",
  ])
  expect(await definitionsOf("levy")).toEqual(["c/tax.c:2", "c/tax.h:1"])
})

test("a name that exists only because a file exports under it can be asked for", async () => {
  for (const name of ["startIt", "runIt"]) expect(await definitionsOf(name)).toEqual(["names/own.ts:1"])
  const { related, notices } = await space().json(["symbol", "startIt", "--callers"])
  expect(startsOf(related)).toEqual(["names/use.ts:2"])
  expect(notices).toContain("names/own.ts exports openIt as startIt")
})
