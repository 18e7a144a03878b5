import { expect, test } from "bun:test"
import type { Task } from "../learn/task.ts"
import { alignShown, scoreFiles, scoreLines } from "./task-score.ts"

const TASK: Task = {
  id: "a/b@1",
  repo: "a/b",
  base: "0",
  commit: "1",
  parent: "0",
  source: "commit",
  language: "typescript",
  title: "Keep the total",
  body: "",
  hidden: { title: "Keep the total", body: "" },
  leaks: false,
  files: [
    {
      path: "cart.ts",
      language: "typescript",
      hunks: [
        { start: 2, end: 3 },
        { start: 5, end: 6, added: true },
      ],
      definitions: [{ name: "total", kind: "function", owner: null, start: 1, end: 4 }],
    },
    { path: "shop.ts", language: "typescript", hunks: [{ start: 1, end: 1 }], definitions: [] },
  ],
  tests: [],
  created: [],
}
const TEXTS: Record<string, string[]> = {
  "cart.ts": ["function total() {", "  a()", "  b()", "}", "", "last()"],
  "shop.ts": ["open()", "close()"],
}
const linesOf = (path: string) => TEXTS[path] ?? null

test("ranks come from the first changed file and the first place in a changed definition", () => {
  const ranked = [
    { path: "other.ts", places: [{ start: 1, end: 9 }] },
    { path: "shop.ts", places: [{ start: 1, end: 1 }] },
    {
      path: "cart.ts",
      places: [
        { start: 6, end: 6 },
        { start: 4, end: 4 },
      ],
    },
  ]
  expect(scoreFiles(TASK, ranked)).toEqual({ file: 2, definition: 3 })
  expect(scoreFiles(TASK, ranked.slice(0, 1))).toEqual({ file: null, definition: null })
})

test("a place beside the changed definition is not a hit", () => {
  const ranked = [{ path: "cart.ts", places: [{ start: 5, end: 6 }] }]
  expect(scoreFiles(TASK, ranked)).toEqual({ file: 1, definition: null })
})

test("recall and precision count changed lines with text", () => {
  // Changed lines with text: cart.ts 2, 3 and 6, shop.ts 1. Shown lines with text: cart.ts 1 to 4.
  const score = scoreLines(TASK, [{ path: "cart.ts", start: 1, end: 5 }], ["cart.ts"], linesOf)
  expect(score).toEqual({ recall: 0.5, precision: 0.5, f1: 0.5, files: 0.5, definitions: 1 })
})

test("an empty answer scores 0", () => {
  expect(scoreLines(TASK, [], [], linesOf)).toEqual({
    recall: 0,
    precision: 0,
    f1: 0,
    files: 0,
    definitions: 0,
  })
})

test("finds the lines of a text in order, within its range", () => {
  const lines = ["}", "a()", "b()", "}", "a()"]
  expect(alignShown("a()\n…\n}", { start: 1, end: 5 }, lines)).toEqual([
    { start: 2, end: 2 },
    { start: 4, end: 4 },
  ])
  expect(alignShown("a()", { start: 3, end: 4 }, lines)).toEqual([])
})
