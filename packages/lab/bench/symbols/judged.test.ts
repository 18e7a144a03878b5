import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SymbolAnswer } from "../../../../src/symbols/answer/symbol-answer.ts"
import { Facts } from "./facts.ts"
import { type JudgedQuestion, verdictOn } from "./judged.ts"

const QUESTION: JudgedQuestion = {
  repo: "a/b",
  language: "go",
  relation: "references",
  name: "Open",
  path: "shop.go",
  truth: { "main.go": [3, 9] },
  neutral: { "shop.go": [1] },
}

function answerWith(
  lines: readonly [path: string, line: number][],
  notices: readonly string[] = [],
): SymbolAnswer {
  return {
    name: "Open",
    relation: "references",
    definitions: [],
    references: lines.map(([path, line]) => ({
      path,
      line,
      kind: "call",
      within: null,
      certainty: "certain",
      text: "",
    })),
    related: [],
    outline: [],
    tests: [],
    files: [],
    total: lines.length,
    unseen_files: 0,
    next_offset: null,
    unresolved: { total: 0, places: [] },
    other_uses: 0,
    partial: null,
    took_ms: 0,
    notices,
  }
}

test("a missing place is silent only if the answer does not say that there may be more", () => {
  const silent = verdictOn(QUESTION, answerWith([["main.go", 3]]))
  const told = verdictOn(QUESTION, answerWith([["main.go", 3]], ["partial: 2 more files were not checked"]))
  expect([silent.right, silent.missing, silent.isSilent]).toEqual([1, ["main.go:9"], true])
  expect(told.isSilent).toBe(false)
  expect(verdictOn(QUESTION, null).isSilent).toBe(true)
  expect(verdictOn(QUESTION, "used")).toMatchObject({ isSilent: false, missing: ["main.go:3", "main.go:9"] })
})

test("an implementation is right if its type or its impl is in the truth", () => {
  const question: JudgedQuestion = { ...QUESTION, relation: "implementations", truth: { "b.rs": [7] } }
  const type = { name: "Own", kind: "struct", path: "a.rs", start_line: 2, end_line: 4 }
  const row = { ...type, depth: 1, certainty: "certain" as const, lines: [] }
  const withPlace = { ...answerWith([]), related: [{ ...row, declared_at: { path: "b.rs", line: 7 } }] }
  expect(verdictOn(question, withPlace)).toMatchObject({ right: 1, wrong: [], missing: [] })
  expect(verdictOn(question, { ...withPlace, related: [row] })).toMatchObject({ right: 0, wrong: ["a.rs:2"] })
})

test("neutral places and files that the truth does not cover are not wrong", () => {
  const found = answerWith([
    ["main.go", 3],
    ["main.go", 9],
    ["main.go", 12],
    ["shop.go", 1],
    ["page.html", 4],
  ])
  const { right, wrong, isSilent } = verdictOn(QUESTION, found, (path) => path.endsWith(".go"))
  expect([right, wrong, isSilent]).toEqual([2, ["main.go:12"], false])
})

test("an impact is judged by the files that it affects", () => {
  const question: JudgedQuestion = {
    ...QUESTION,
    relation: "impact",
    truth: { "main.go": [1], "a_test.go": [1] },
  }
  const answer = { ...answerWith([]), tests: ["a_test.go"], files: ["shop.go", "other.go"] }
  expect(verdictOn(question, answer)).toMatchObject({
    right: 1,
    missing: ["main.go:1"],
    wrong: ["other.go:1"],
  })
})

test("a use on a line that declares a field of an object is in the function around it", () => {
  const folder = mkdtempSync(join(tmpdir(), "facts-"))
  const at = { path: "shop.ts", owner: "" }
  const facts = [
    { def: 0, ...at, line: 1, from: 1, to: 9, kind: "function", name: "open" },
    { def: 1, ...at, line: 4, from: 4, to: 4, kind: "field", name: "price" },
    { def: 2, ...at, line: 12, from: 12, to: 14, kind: "value", name: "prices" },
  ]
  const file = join(folder, "facts.jsonl")
  writeFileSync(file, facts.map((each) => JSON.stringify(each)).join("\n"))
  const read = new Facts(file)
  rmSync(folder, { recursive: true })
  expect([4, 13].map((line) => read.around("shop.ts", line)?.name)).toEqual(["open", "prices"])
})
