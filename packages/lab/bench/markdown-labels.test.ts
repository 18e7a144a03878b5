import { expect, test } from "bun:test"
import { sectionsOf } from "./markdown-labels.ts"

test("a section extends to the next heading of its level or above", () => {
  const page = "# One\n\n## Two\n\ntext\n\n### Three\n\nmore\n\n## Four\n\nend\n"
  expect(sectionsOf(page, "Two")).toEqual([{ start_line: 3, end_line: 10 }])
  expect(sectionsOf(page, "Four")).toEqual([{ start_line: 11, end_line: 13 }])
  expect(sectionsOf(page, "One")).toEqual([{ start_line: 1, end_line: 13 }])
})

test("headings may be underlined or repeated, and code contains none", () => {
  const page = "A `b`\n=====\n\n```sh\n# C\n```\n\n## C\n\n## C\n\nx\n"
  expect(sectionsOf(page, "A `b`")).toEqual([{ start_line: 1, end_line: 12 }])
  expect(sectionsOf(page, "C")).toEqual([
    { start_line: 8, end_line: 9 },
    { start_line: 10, end_line: 12 },
  ])
  expect(sectionsOf(page, "D")).toEqual([])
})
