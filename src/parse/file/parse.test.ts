import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { fileRoute } from "../languages/conventions.ts"
import type { ParsedFile } from "../parsed-file.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile, wasmMemoryBytes } from "./parse.ts"

const UNMERGED = { ...DEFAULT_PARSE_OPTIONS, mergeTokens: 0 }

function outline(file: ParsedFile): string[] {
  return file.chunks.map((chunk) => `${chunk.startLine}-${chunk.endLine} ${chunk.kind} ${chunk.scope ?? "-"}`)
}

test("cuts a Go file into its struct, its method and its function", async () => {
  const folder = new URL("../../../test/golden/chunks/", import.meta.url)
  const text = await Bun.file(new URL("user.go", folder)).text()
  const file = await parseFile("user.go", text, UNMERGED)
  const shown = file.chunks.map(({ startLine, endLine, symbols: [first] }) => {
    const name = first?.owner ? `${first.owner}.${first.name}` : first?.name
    return `${startLine}-${endLine} ${first?.kind} ${name}\n`
  })
  expect(shown.join("")).toBe(await Bun.file(new URL("user.go.txt", folder)).text())
  expect(file).toMatchObject({ method: "tree-sitter", degraded: null, package: "main", imports: ["fmt"] })
})

test("merges small neighbours into one chunk when merging is on", async () => {
  const text = "package main\n\nfunc a() {}\n\nfunc b() {}\n"
  const file = await parseFile("a.go", text, DEFAULT_PARSE_OPTIONS)
  expect(outline(file)).toEqual(["1-5 function -"])
  expect(file.chunks[0]?.symbols.map((symbol) => symbol.name)).toEqual(["a", "b"])
})

test("cuts a class above the merge size into its methods, with the class as their scope", async () => {
  const body = Array.from({ length: 12 }, (_, at) => `    this.total += values[${at}] * factor\n`).join("")
  const method = (name: string) =>
    `  /** Adds up. */\n  ${name}(values: number[], factor: number) {\n${body}  }\n`
  const text = `export class Sum {\n  total = 0\n${method("first")}\n${method("second")}\n${method("third")}}\n`
  const file = await parseFile("sum.ts", text, { ...DEFAULT_PARSE_OPTIONS, mergeTokens: 150 })
  expect(outline(file)).toEqual(["1-17 class -", "19-33 method Sum", "35-50 method Sum"])
  expect(file.chunks[1]?.symbols).toMatchObject([{ name: "second", owner: "Sum", doc: "Adds up." }])
})

test("cuts a function above the chunk size between statements, with the function as their scope", async () => {
  const statement = (at: number) => `  if (input > ${at}) {\n    report(${at})\n  }\n`
  const text = `function huge(input) {\n${Array.from({ length: 60 }, (_, at) => statement(at)).join("")}}\n`
  const { chunks } = await parseFile("a.js", text, {
    ...DEFAULT_PARSE_OPTIONS,
    chunkTokens: 300,
    mergeTokens: 0,
  })
  expect(chunks.length).toBeGreaterThan(3)
  expect(chunks[0]?.scope).toBeNull()
  for (const chunk of chunks.slice(1)) {
    expect(chunk.scope).toBe("huge")
    expect(text.slice(chunk.start)).toStartWith("  if (input")
  }
})

test("puts two definitions on one line into one chunk", async () => {
  const { chunks } = await parseFile("a.js", "function a() {} function b() {}\nfunction c() {}\n", UNMERGED)
  expect(chunks.map((chunk) => chunk.symbols.map((symbol) => symbol.name))).toEqual([["a", "b"], ["c"]])
})

test("keeps a line longer than the limit in one chunk", async () => {
  const line = `const data = [${"1234567890, ".repeat(90_000)}]`
  const { chunks } = await parseFile("a.js", `${line}\nfunction after() {}\n`, UNMERGED)
  expect(chunks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
    [1, 1],
    [2, 2],
  ])
})

test("keeps decorators and doc comments with their definition", async () => {
  const text =
    "import x\n\n\n# Says hello.\n@cached(\n    1,\n)\ndef hello():\n    pass\n\n\ndef other():\n    pass\n"
  const { chunks } = await parseFile("a.py", text, UNMERGED)
  expect(chunks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
    [1, 9],
    [12, 13],
  ])
  expect(chunks[0]?.symbols).toMatchObject([{ name: "hello", doc: "Says hello." }])
})

test("returns offsets in UTF-16 units at line boundaries for text beyond ASCII", async () => {
  const text = 'const a = "äöü 😀 日本"\n\n// 😀 comment\nfunction ключ() { return "é" }\n'
  const { chunks, comments } = await parseFile("a.js", text, UNMERGED)
  expect(chunks.map((chunk) => text.slice(chunk.start, chunk.end))).toEqual([
    'const a = "äöü 😀 日本"\n',
    '// 😀 comment\nfunction ключ() { return "é" }\n',
  ])
  expect(text.slice(comments[0], comments[1])).toBe("// 😀 comment")
  expect(chunks[1]?.symbols[0]).toMatchObject({
    name: "ключ",
    signature: "function ключ()",
    doc: "😀 comment",
  })
})

describe("falls back to rules and then to lines, and reports it", () => {
  test("finds definitions by rules when the grammar gives up", async () => {
    const rubbish = "%% ?? ** ]] )) }} not go at all $$ ((\n".repeat(20)
    const text = `${rubbish}func Greet(name string) string {\n\treturn name\n}\n${rubbish}`
    const slow = `int a[] = {${"((((1)))),\n".repeat(60_000)}};\n/* Ends it. */\nstatic int finish(int code) {\n}\n`
    for (const [path, source, name] of [
      ["a.go", text, "Greet"],
      ["a.c", slow, "finish"],
    ] as const) {
      const file = await parseFile(path, source, {
        ...DEFAULT_PARSE_OPTIONS,
        timeoutMs: path === "a.c" ? 1 : 5000,
      })
      expect(file).toMatchObject({ method: "rules", degraded: expect.any(String) })
      const symbols = file.chunks.flatMap((chunk) => chunk.symbols)
      expect(symbols).toMatchObject([{ name, kind: "function" }])
    }
  })

  test("cuts a text by lines that does not match its file name", async () => {
    const file = await parseFile("a.go", "%% ?? ** not go at all $$\n".repeat(50), DEFAULT_PARSE_OPTIONS)
    expect(file.method).toBe("lines")
    expect(file.degraded).toContain("grammar")
    expect(file.chunks.at(-1)?.endLine).toBe(50)
  })

  test("stops a parse at its time limit without effect on the next one", async () => {
    const slow = `int a[] = {${"((((1)))),\n".repeat(60_000)}};`
    const late = await parseFile("a.c", slow, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: 1 })
    expect(late).toMatchObject({ method: "lines", degraded: "parsing took longer than 1 ms" })
    const next = await parseFile("b.c", "int main(void) { return 0; }\n", DEFAULT_PARSE_OPTIONS)
    expect(next.chunks[0]?.symbols).toMatchObject([{ name: "main", kind: "function" }])
  })

  test("stops in time for a tree in which every node asks for the whole rest", async () => {
    const text = "[".repeat(150_000)
    const file = await parseFile("a.json", text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: 200 })
    expect(file).toMatchObject({ method: "lines", degraded: "parsing took longer than 200 ms" })
  })

  test("loses nothing of a format without a grammar", async () => {
    const file = await parseFile("notes.unknown", "one\n\ntwo\n", DEFAULT_PARSE_OPTIONS)
    expect(file).toMatchObject({ language: "text", method: "lines", degraded: null, lines: 3 })
  })
})

test("returns no chunks for an empty file and for blank lines", async () => {
  for (const text of ["", "\n\n  \n"]) {
    expect((await parseFile("a.go", text, DEFAULT_PARSE_OPTIONS)).chunks).toEqual([])
  }
})

test("reports the parser's memory after the first parse", async () => {
  await parseFile("a.go", "package a\n", DEFAULT_PARSE_OPTIONS)
  expect(wasmMemoryBytes()).toBeGreaterThan(1_000_000)
  expect(Number.isFinite(wasmMemoryBytes())).toBe(true)
})

test.each([
  ["app/page.tsx", "/"],
  ["app/blog/[slug]/page.tsx", "/blog/[slug]"],
  ["apps/web/src/app/(shop)/cart/@modal/[...all]/page.js", "/cart/[...all]"],
  ["app/api/users/[id]/route.ts", "/api/users/[id]"],
  ["app/feed/(..)photo/[id]/page.tsx", "/feed/photo/[id]"],
  ["src/pages/index.tsx", "/"],
  ["pages/api/users/[id].ts", "/api/users/[id]"],
  ["pages/blog/[postSlug].vue", "/blog/[postSlug]"],
  ["src/pages/about/index.astro", "/about"],
  ["src/routes/blog/[slug]/+page.svelte", "/blog/[slug]"],
  ["src/routes/(app)/api/items/+server.ts", "/api/items"],
  ["server/api/users/[id].get.ts", "/api/users/[id]"],
  ["server/routes/sitemap.xml.ts", "/sitemap.xml"],
  ["app/routes/_index.tsx", "/"],
  ["app/routes/blog.$slug.tsx", "/blog/[slug]"],
  ["app/routes/_auth.login.tsx", "/login"],
  ["app/routes/files.$.tsx", "/files/[...]"],
  ["app/routes/posts/$postId/route.tsx", "/posts/[postId]"],
])("%s answers %s", (path, route) => {
  expect(fileRoute(path)).toBe(route)
})

test.each([
  "src/page.tsx",
  "app/layout.tsx",
  "app/_lib/page.tsx",
  "pages/_app.tsx",
  "src/pages/HomePage.tsx",
  "src/pages/Checkout/Cart.vue",
  "src/routes/+layout.svelte",
  "server/app.ts",
  "docs/pages.md",
])("%s is not a route", (path) => {
  expect(fileRoute(path)).toBeNull()
})

test("returns a route or null for any path", () => {
  const part = fc.constantFrom(
    "app",
    "pages",
    "routes",
    "server",
    "api",
    "[id]",
    "(x)",
    "page.tsx",
    "$a.b.ts",
    "A",
    "..",
    "",
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const route = fileRoute(parts.join("/"))
      expect(route === null || route.startsWith("/")).toBe(true)
    }),
  )
})
