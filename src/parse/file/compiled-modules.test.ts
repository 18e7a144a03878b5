import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type * as TreeSitter from "web-tree-sitter"
import { grammarPaths, runtimePath } from "../../../grammars/assets.ts"
import { languageOf, loadGrammar } from "../languages/languages.ts"
import { instantiating, leaveOutAnalysis, startRuntime } from "./syntax-tree.ts"

// Loaded by require, so that this second copy of the library has its own WebAssembly module, with the
// analysis.
const Analyzing = createRequire(import.meta.url)("web-tree-sitter") as typeof TreeSitter
const FIXTURES = join(import.meta.dir, "../../../test/fixtures/languages")

test("all patterns of our queries can match, and matches are the same without analysis", async () => {
  const compiled = await WebAssembly.compile(await Bun.file(runtimePath).bytes())
  await Analyzing.Parser.init({ instantiateWasm: instantiating(compiled) })
  const { Parser } = await startRuntime()
  const [analyzing, plain] = [new Analyzing.Parser(), new Parser()]
  for (const name of readdirSync(FIXTURES)) {
    const text = await Bun.file(join(FIXTURES, name)).text()
    const named = languageOf(name, text)
    const grammar = await loadGrammar(named)
    const { language, query } = await analyzed(named.grammar!)
    const expected = matchesIn(query, analyzing.setLanguage(language).parse(text))
    expect(expected).not.toBe("")
    expect(matchesIn(grammar!.query, plain.setLanguage(grammar!.language).parse(text))).toBe(expected)
  }
}, 60_000)

test("refuses a module without the expected bytes", async () => {
  const bytes = await Bun.file(runtimePath).bytes()
  leaveOutAnalysis(bytes)
  expect(() => leaveOutAnalysis(bytes)).toThrow("another web-tree-sitter.wasm than expected")
})

async function analyzed(id: string) {
  const { wasm, query } = grammarPaths[id]!
  const language = await Analyzing.Language.load(await Bun.zstdDecompress(await Bun.file(wasm).bytes()))
  return { language, query: new Analyzing.Query(language, await Bun.file(query).text()) }
}

/** One line per match: the number of its pattern, then the name and the range of each capture. */
function matchesIn(query: TreeSitter.Query, tree: TreeSitter.Tree | null): string {
  const matches = query.matches(tree!.rootNode).map(({ patternIndex, captures }) => {
    const found = captures.map(({ name, node }) => `${name} ${node.startIndex}-${node.endIndex}`)
    return `${patternIndex}: ${found.join(", ")}`
  })
  return matches.join("\n")
}
