import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import type { CodeSymbol } from "../parsed-file.ts"

const FIXTURES = join(import.meta.dir, "../../../test/fixtures/rules")
const GOLDEN = join(import.meta.dir, "../../../test/golden/rules")

const fixtures = readdirSync(FIXTURES).sort()

describe("the rules of each language find the definitions in test/golden/rules", () => {
  for (const name of fixtures) {
    test(name, async () => {
      const text = await Bun.file(join(FIXTURES, name)).text()
      const file = await parseFile(name, text, { ...DEFAULT_PARSE_OPTIONS, mergeTokens: 0 })
      const found = [
        `language ${file.language}, ${file.method}`,
        `package ${file.package ?? "-"}`,
        `imports ${file.imports.join(" | ") || "-"}`,
        ...file.chunks.flatMap((chunk) => [
          `--- ${chunk.startLine}-${chunk.endLine}${chunk.scope === null ? "" : ` in ${chunk.scope}`}`,
          ...chunk.symbols.map(line),
        ]),
      ]
      const golden = Bun.file(join(GOLDEN, `${file.language}.txt`))
      if (process.env["UPDATE_GOLDEN"]) await golden.write(`${found.join("\n")}\n`)
      expect(`${found.join("\n")}\n`).toBe(await golden.text())
      expect({ name, local: found.some((symbol) => / local ·/.test(symbol)) }).toEqual({ name, local: false })
    })
  }
})

function line({ startLine, endLine, kind, name, owner, signature, doc }: CodeSymbol): string {
  const path = owner === null ? name : `${owner}.${name}`
  return `${startLine}-${endLine} ${kind} ${path} · ${signature}${doc === null ? "" : ` · ${doc}`}`
}
