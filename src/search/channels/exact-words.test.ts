import { expect, test } from "bun:test"
import { answerOf, candidateOf, chunksIn, hitOf } from "../../../test/sketches.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { parseQuery } from "../query/query.ts"
import { scaleOf } from "../query/query-scale.ts"
import { exactWords } from "./exact-words.ts"

const scale = scaleOf(parseQuery("colour of a contributor"), answerOf([2, 2]))
/** A hit whose one chunk is the whole file and contains both words. */
function hit(id: number, path: string) {
  const chunk = { ordinal: 0, startLine: 1, endLine: 999, score: 1, body: 0b11, doc: 0, names: 0 }
  return { id, path, masks: { ...hitOf().masks, body: 0b11 }, chunks: [chunk] }
}
const candidates = [
  candidateOf(hit(1, "src/contributing.ts")),
  candidateOf(hit(2, "src/authors.ts")),
  candidateOf(hit(3, "src/gone.ts")),
  candidateOf(hit(4, "src/authors.test.ts"), { flags: FILE_FLAG.test }),
  candidateOf(hit(5, "docs/authors.md"), { content: "docs" }),
]
const TEXTS: Readonly<Record<string, string>> = {
  "src/contributing.ts": "how contributing changes the colours",
  "src/authors.ts": "the colour of each contributor",
  "src/authors.test.ts": "the colour of each contributor",
  "docs/authors.md": "the colour of each contributor",
}
const read = chunksIn((path) => TEXTS[path] ?? null)

test("a file with the words as typed is above one with other forms of them", () => {
  const scores = exactWords(candidates, scale, read)
  expect(scores.get(2)).toBeGreaterThan(0)
  expect(scores.get(1)).toBe(0)
})

test("pages have a value; tests have one if the query asks for them; files that cannot be read have none", () => {
  expect([...exactWords(candidates, scale, read).keys()]).toEqual([1, 2, 5])
  const forTests = scaleOf(parseQuery("tests of the contributor"), answerOf([2, 2]))
  expect([...exactWords(candidates, forTests, read).keys()]).toEqual([1, 2, 4, 5])
})

test("words that stand close together count more than the same words far apart", () => {
  const far = `colour\n${"other lines\n".repeat(200)}contributor`
  const near = `${"other lines\n".repeat(200)}colour contributor`
  const texts = chunksIn((path) => (path === "src/authors.ts" ? near : far))
  const scores = exactWords(candidates.slice(0, 2), scale, texts)
  expect(scores.get(1)! / scores.get(2)!).toBeLessThan(0.8)
})

test("reads at most sixteen files, in the given order", () => {
  const many = Array.from({ length: 40 }, (_, i) => candidateOf(hit(i + 1, `src/${i}.ts`)))
  const paths: string[] = []
  const read = chunksIn((path) => {
    paths.push(path)
    return ""
  })
  exactWords(many, scale, read)
  expect(paths).toEqual(many.slice(0, 16).map(({ hit }) => hit.path))
})
