import { expect, test } from "bun:test"
import { keywordFile } from "../../../test/contracts/keyword-files.ts"
import { segmentOf } from "../../../test/contracts/keyword-subjects.ts"
import { openKeywordIndex } from "../../index/keyword/keyword-index.ts"
import { matchFiles } from "./match-files.ts"

const SKETCHES = [
  {
    path: "src/retry.ts",
    chunks: [
      { doc: "Attempts before the sender gives up", body: "max attempts five", names: ["MAX_ATTEMPTS"] },
      {
        doc: "Sends a webhook again after a pause",
        body: "await send attempt pause",
        names: ["sendWithRetry"],
      },
    ],
  },
  { path: "src/orders.ts", chunks: [{ body: "order id customer", names: ["placeOrder"] }] },
  { path: "src/parser.ts", chunks: [{ body: "token stream comment", names: ["parseTokens"] }] },
  { path: "docs/release.md", chunks: [{ body: "the changelog is written before the tag" }] },
]
const keyword = openKeywordIndex([
  { bytes: segmentOf(SKETCHES.map((sketch, i) => keywordFile(i + 1, sketch))), dead: new Set() },
])

test("a text with the words of a place and of a name matches the file", () => {
  const { files, strength } = matchFiles(
    keyword,
    "after which pause is the webhook sent again by sendWithRetry?",
    3,
    1,
  )
  expect(strength).toBeGreaterThan(1)
  expect(files[0]).toMatchObject({ path: "src/retry.ts", chunk: { ordinal: 1, startLine: 3, endLine: 4 } })
})

test("a text about something else matches no file", () => {
  for (const text of [
    "bake a rye bread with a long fermentation",
    "fix the lint errors, please",
    "order",
    "",
  ])
    expect(matchFiles(keyword, text, 3, 0).strength).toBeLessThan(1)
})

test("small talk matches nothing, nor does a single word unless it is written as code", () => {
  const thanks = { path: "docs/blog.md", chunks: [{ body: "thank you it looks good", names: ["Thank You"] }] }
  const files = [...SKETCHES, thanks].map((sketch, i) => keywordFile(i + 1, sketch))
  const blog = openKeywordIndex([{ bytes: segmentOf(files), dead: new Set() }])
  const strength = (text: string) => matchFiles(blog, text, 3, 0).strength
  for (const text of ["thanks, looks good", "thanks, what a changelog!", "great, thank you"])
    expect(strength(text)).toBe(0)
  expect(strength("thanks, now the `changelog`")).toBeGreaterThan(0)
})

test("files with far fewer of the words are left out", () => {
  const text = "await the attempt and its pause, then send the order again"
  expect(matchFiles(keyword, text, 3, 0).files.map(({ path }) => path)).toEqual(["src/retry.ts"])
})
