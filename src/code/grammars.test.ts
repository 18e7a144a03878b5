import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import manifest from "../../grammars/manifest.json" with { type: "json" }
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./parse.ts"
import type { CodeSymbol, ParsedFile } from "./parsed-file.ts"

const FIXTURES = join(import.meta.dir, "../../test/fixtures/languages")
const GOLDEN = join(import.meta.dir, "../../test/golden/symbols")

const fixtures = readdirSync(FIXTURES).sort()

describe("what each language's query finds, as test/golden/symbols has it", () => {
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

test("every language with a grammar has a fixture of its own", () => {
  const ids = manifest.languages.filter((entry) => entry.grammar).map(({ id }) => id)
  expect(fixtures.map(languageId).sort()).toEqual(ids.sort())
})

test("no definition is a local variable, whatever the language", async () => {
  for (const name of fixtures) {
    const text = await Bun.file(join(FIXTURES, name)).text()
    const { chunks } = await parseFile(name, text, DEFAULT_PARSE_OPTIONS)
    const names = chunks.flatMap((chunk) => chunk.symbols.map((symbol) => symbol.name))
    expect({ name, local: names.includes("local") }).toEqual({ name, local: false })
  }
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
