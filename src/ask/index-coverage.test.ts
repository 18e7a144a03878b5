import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { TempProject } from "../../test/temp-project.ts"
import { readSource } from "../text/files/read-source.ts"

const FIXTURES = join(import.meta.dir, "../../test/fixtures/languages")
// Only languages whose grammars load quickly; what each language's parser covers is tested beside the parser.
const NAMES = readdirSync(FIXTURES).filter((name) => /\.(?:py|go|js|lua|sh|rb|java)$/.test(name))
const NOISE = [
  "\n\n\n",
  "{",
  "}",
  '"""',
  "/*",
  "\r\n",
  "\t\t\n",
  "end\n",
  "\u2028",
  "😀",
  "class\n",
  "#",
  "\f",
]

/** A part of a fixture with noise inserted, perhaps with the file extension of another language. */
const damaged = fc
  .record({
    name: fc.constantFrom(...NAMES),
    ending: fc.constantFrom(null, null, null, ".md", ".txt", ".py"),
    cut: fc.tuple(fc.nat(1000), fc.nat(1000)),
    wounds: fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...NOISE)), { maxLength: 5 }),
  })
  .map(({ name, ending, cut, wounds }) => {
    const whole = readFileSync(join(FIXTURES, name), "utf8")
    const at = (permille: number) => Math.floor((permille / 1000) * whole.length)
    const [from, to] = cut.toSorted((a, b) => a - b) as [number, number]
    const text = wounds.reduce(
      (current, [place, noise]) => {
        const point = Math.floor((place / 1000) * current.length)
        return current.slice(0, point) + noise + current.slice(point)
      },
      whole.slice(at(from / 2), at(1000 - (1000 - to) / 2)),
    )
    return { ending: ending ?? name.slice(name.lastIndexOf(".")), text }
  })

test("every non-blank line of every file belongs to one chunk of the index", async () => {
  using project = new TempProject()
  for (const name of NAMES) {
    const text = readFileSync(join(FIXTURES, name))
    // Long enough for several chunks.
    project.write(
      `whole/${name}`,
      Buffer.concat(Array.from({ length: Math.ceil(9000 / text.length) }, () => text)),
    )
  }
  for (const [i, { ending, text }] of fc.sample(damaged, { numRuns: 80, seed: 7 }).entries())
    project.write(`damaged/d${i}${ending}`, text)
  const { files } = await project.index()
  expect(files).toBe(NAMES.length + 80)
  const { store } = project.open().reader()!
  for (const { id, path } of store.files.all()) {
    const source = readSource(project.root, path, 1_000_000)
    const lines = "text" in source ? source.text.split("\n") : []
    const chunks = store.chunks.ofFile(id)
    const homes = lines.map(
      (_, i) => chunks.filter((chunk) => chunk.startLine <= i + 1 && i + 1 <= chunk.endLine).length,
    )
    const lost = lines.flatMap((line, i) =>
      line.trim() !== "" && homes[i] !== 1 ? [`${path}:${i + 1} ${line}`] : [],
    )
    expect(lost).toEqual([])
    expect(Math.max(0, ...homes)).toBeLessThanOrEqual(1)
  }
})
