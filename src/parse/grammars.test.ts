import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import manifest from "../../grammars/manifest.json" with { type: "json" }
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./file/parse.ts"
import type { CodeSymbol, ParsedFile } from "./parsed-file.ts"

const FIXTURES = join(import.meta.dir, "../../test/fixtures/languages")
const GOLDEN = join(import.meta.dir, "../../test/golden/symbols")

const fixtures = readdirSync(FIXTURES).sort()

describe("each language's query finds the definitions in test/golden/symbols", () => {
  for (const name of fixtures) {
    test(name, async () => {
      const text = await Bun.file(join(FIXTURES, name)).text()
      const found = listing(await parseFile(name, text, DEFAULT_PARSE_OPTIONS))
      const golden = Bun.file(join(GOLDEN, `${languageId(name)}.txt`))
      if (process.env["UPDATE_GOLDEN"]) await golden.write(found)
      expect(found).toBe(await golden.text())
    })
  }
})

test("every language with a grammar has a fixture", () => {
  const ids = manifest.languages.filter((entry) => entry.grammar).map(({ id }) => id)
  expect(fixtures.map(languageId).sort()).toEqual(ids.sort())
})

/** Copies as others have published them, without the commit that they built. */
const UNKNOWN_COMMITS = ["gleam", "tlaplus", "verilog"]

test("every copied grammar names its sources, the commit if it is known, and how it was made", () => {
  const copies = manifest.languages.flatMap(({ id, grammar }) =>
    grammar?.copy === undefined ? [] : [{ id, ...grammar }],
  )
  const files = readdirSync(join(import.meta.dir, "../../grammars/copies"))
  expect(copies.map(({ copy }) => basename(copy)).sort()).toEqual(files.sort())
  for (const { id, archive, integrity, repository, commit, symbol, path } of copies) {
    expect([id, archive]).toEqual([id, expect.stringMatching(/^https:\/\/.*\.(?:tgz|crate)$/)])
    expect([id, integrity]).toEqual([id, expect.stringMatching(/^sha(?:256|512)-[\w+/]+=*$/)])
    expect([id, repository]).toEqual([id, expect.stringMatching(/^https:\/\//)])
    if (!UNKNOWN_COMMITS.includes(id))
      expect([id, commit]).toEqual([id, expect.stringMatching(/^[0-9a-f]{40}$/)])
    expect([id, path.endsWith(".wasm")]).toEqual([id, symbol === undefined])
  }
})

test("no language reports a local variable as a definition", async () => {
  for (const name of fixtures) {
    const text = await Bun.file(join(FIXTURES, name)).text()
    const { chunks } = await parseFile(name, text, DEFAULT_PARSE_OPTIONS)
    const names = chunks.flatMap((chunk) => chunk.symbols.map((symbol) => symbol.name))
    expect({ name, local: names.includes("local") }).toEqual({ name, local: false })
  }
})

describe("a second parse leaves out text that the grammar cannot parse", () => {
  const names = async (path: string, text: string) => {
    const { chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
    return chunks.flatMap((chunk) =>
      chunk.symbols.map(({ owner, name }) => (owner ? `${owner}.${name}` : name)),
    )
  }
  const lines = (count: number, line: string) => `${line}\n`.repeat(count)

  test("Swift: #if between the cases of a switch", async () => {
    const arms = `      #if os(Linux)\n      case .one:\n${lines(9, "        run(1)")}      #endif\n`
    const text = `class A {\n  func first(b: B) {\n    switch b {\n${arms}      default: break\n    }\n  }\n  func second() {}\n}\n`
    expect(await names("a.swift", text)).toEqual(["A", "A.first", "A.second"])
  })

  test("C++: macros that stand alone or before a name", async () => {
    const text = `LIB_BEGIN_NAMESPACE\nLIB_BEGIN_EXPORT\n\nenum class color { red };\nclass LIB_API shape {\n${lines(9, "  LIB_API void draw(int);")}};\nLIB_END_EXPORT\n`
    expect((await names("a.hpp", text)).slice(0, 4)).toEqual(["color", "color.red", "shape", "shape.draw"])
  })

  test("Kotlin: functional interfaces", async () => {
    const text = `fun interface Job {\n${lines(9, "    // One method, and so it may be a lambda.")}    fun run(): Int\n}\n\nclass After\n`
    expect(await names("a.kt", text)).toEqual(["Job", "Job.run", "After"])
  })
})

function languageId(fixture: string): string {
  return basename(fixture).split(".")[0] ?? fixture
}

function listing(file: ParsedFile): string {
  const head = [
    `language ${file.language}, ${file.method}${file.degraded === null ? "" : `, ${file.degraded}`}`,
    `package ${file.package ?? "-"}`,
    `imports ${file.imports.join(" | ") || "-"}`,
    "",
  ]
  return `${[...head, ...file.chunks.flatMap((chunk) => chunk.symbols.map(line))].join("\n")}\n`
}

function line({ startLine, endLine, kind, name, owner, signature }: CodeSymbol): string {
  return `${startLine}-${endLine} ${kind} ${owner === null ? name : `${owner}.${name}`} · ${signature}`
}
