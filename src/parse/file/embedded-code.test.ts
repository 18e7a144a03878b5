import { describe, expect, test } from "bun:test"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./parse.ts"

const UNMERGED = { ...DEFAULT_PARSE_OPTIONS, mergeTokens: 0 }

async function symbolsOf(path: string, text: string): Promise<string[]> {
  const { chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  return chunks.flatMap(({ symbols }) =>
    symbols.map(({ kind, name, startLine }) => `${startLine} ${kind} ${name}`),
  )
}

describe("scripts and styles of a page", () => {
  test("are cut and named by their own grammar, with line numbers of the page", async () => {
    const one = `function one(): void {\n${"  console.log('äöü 😀')\n".repeat(20)}}\n`
    const script = `<script lang="ts">\n${one}\nfunction two(): void {}\n</script>\n`
    const text = `<p>äöü 😀</p>\n${script}\n<style>\n.box { --gap: 0 }\n</style>\n`
    const { chunks, degraded } = await parseFile("card.vue", text, UNMERGED)
    expect(degraded).toBeNull()
    expect(chunks.map(({ startLine, endLine, kind }) => `${startLine}-${endLine} ${kind}`)).toEqual([
      "1-24 component",
      "26-31 function",
    ])
    expect(await symbolsOf("card.vue", text)).toEqual([
      "1 component card",
      "3 function one",
      "26 function two",
      "30 variable --gap",
    ])
  })

  test("are TypeScript, JavaScript or neither, according to their tag", async () => {
    const page = (tag: string) => `<${tag}>\ninterface A { b: string }\nfunction c() {}\n</script>\n`
    expect(await symbolsOf("a.html", page('script type="text/typescript"'))).toContain("2 interface A")
    expect(await symbolsOf("a.html", page("script"))).toEqual(["3 function c"])
    expect(await symbolsOf("a.html", page('script type="text/x-template"'))).toEqual([])
  })

  test("are parsed as SCSS or Less by rules, with line numbers of the page", async () => {
    const text =
      '<p>ä</p>\n<style lang="scss">\n// Red.\n@mixin red { color: red; }\n.box { @include red; }\n</style>\n'
    expect(await symbolsOf("a.svelte", text)).toEqual(["1 component a", "4 macro red"])
  })

  test("stay text if their grammar does not recognize them, without effect on the rest of the page", async () => {
    const wrong = "%% ?? ** $$ )) ((\n".repeat(40)
    const text = `<script>\n${wrong}</script>\n<style>\n.box { --gap: 0 }\n</style>\n`
    const file = await parseFile("a.html", text, DEFAULT_PARSE_OPTIONS)
    expect(file).toMatchObject({ method: "tree-sitter", degraded: "the javascript inside is not recognised" })
    expect(file.chunks.at(-1)?.endLine).toBe(45)
    expect(await symbolsOf("a.html", text)).toEqual(["44 variable --gap"])
  })
})

test("names a component like its file, or like its folder if the file is an index", async () => {
  expect(await symbolsOf("src/UserCard.vue", "\n<template><p/></template>\n")).toEqual([
    "2 component UserCard",
  ])
  expect(await symbolsOf("src/user-card/index.svelte", "<p/>\n")).toEqual(["1 component user-card"])
  expect(await symbolsOf("src/Chart.client.vue", "<p/>\n")).toEqual(["1 component Chart"])
  expect(await symbolsOf("src/Chart.test.svelte", "<p/>\n")).toEqual(["1 component Chart.test"])
  expect(await symbolsOf("src/pages/+page.svelte", "<p/>\n")).toEqual(["1 component +page"])
})
