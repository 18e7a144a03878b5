import { expect, test } from "bun:test"
import type { SearchResult } from "../../../base/answers.ts"
import { afterKey, editorCommand, type PickerState, screenOf } from "./search-picker.ts"

const result = (path: string, text: string, start = 1): SearchResult => ({
  ...{ path, text, start_line: start, end_line: start + text.split("\n").length - 1 },
  ...{ language: "typescript", kind: "function", symbol: "limit", score: 1, also: [] },
})
const STATE: PickerState = {
  ...{ query: "retry", chosen: 0, status: "2 files, 3 ms" },
  results: [result("src/a.ts", "first\n\tsecond"), result("src/b\u001b[31m.ts", "third", 7)],
}

test("keys type, correct, choose within the results, and end the picker", () => {
  const after = (typed: string | undefined, name: string, ctrl = false) =>
    afterKey(STATE, typed, { name, ctrl })
  expect(after("s", "s")).toMatchObject({ query: "retrys" })
  expect(after("ä", "")).toMatchObject({ query: "retryä" })
  expect(after(undefined, "backspace")).toMatchObject({ query: "retr" })
  expect(after("u", "u", true)).toMatchObject({ query: "" })
  expect(afterKey({ ...STATE, query: "limit of retries" }, "w", { name: "w", ctrl: true })).toMatchObject({
    query: "limit of ",
  })
  expect(after(undefined, "down")).toMatchObject({ chosen: 1 })
  expect(after(undefined, "pagedown")).toMatchObject({ chosen: 1 })
  expect(after(undefined, "up")).toMatchObject({ chosen: 0 })
  expect(after("\u0007", "")).toEqual(STATE)
  expect([after("\r", "return"), after("\u001b", "escape"), after("\u0003", "c", true)]).toEqual([
    ...(["pick", "leave", "cancel"] as const),
  ])
})

test("the screen has the query, the results and the chosen one's lines, and fits", () => {
  const size = { rows: 12, columns: 40 }
  const lines = Bun.stripANSI(screenOf({ ...STATE, chosen: 1 }, size)).split("\r\n")
  expect(lines[0]).toBe("> retry▏")
  expect(lines.slice(2, 6)).toEqual([
    "  src/a.ts:1  limit (function)",
    "❯ src/b\ufffd[31m.ts:7  limit (function)",
    "─".repeat(40),
    "7  third",
  ])
  expect(lines.every((line) => Bun.stringWidth(line) <= 40)).toBe(true)
  const many = {
    ...STATE,
    results: Array.from({ length: 30 }, (_, i) =>
      result(`src/${"long".repeat(20)}${i}.ts`, "x\n".repeat(50)),
    ),
  }
  for (const rows of [3, 5, 24]) {
    const shown = Bun.stripANSI(screenOf({ ...many, chosen: 29 }, { rows, columns: 20 })).split("\r\n")
    expect(shown.length).toBeLessThanOrEqual(rows)
    expect(shown.every((line) => Bun.stringWidth(line) <= 20)).toBe(true)
  }
  expect(Bun.stripANSI(screenOf({ ...STATE, results: [], status: "0 files" }, size))).toContain("0 files")
})

test.each([
  [{ EDITOR: "vim" }, ["vim", "+7", "/p/a.ts"]],
  [{ EDITOR: "nano", VISUAL: "code --wait" }, ["code", "--wait", "-g", "/p/a.ts:7"]],
  [{ EDITOR: "/usr/bin/hx" }, ["/usr/bin/hx", "/p/a.ts:7"]],
  [{ EDITOR: "notepad" }, ["notepad", "/p/a.ts"]],
  [{}, null],
])("opens a line with %j", (env, command) => {
  expect(editorCommand(env, "/p/a.ts", 7)).toEqual(command)
})
