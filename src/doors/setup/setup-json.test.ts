import { expect, test } from "bun:test"
import { renderDiff } from "./setup-json.ts"

test("hides the values of keys that are not ours and cuts long lines", () => {
  const before = '{\n  "env": { "API_KEY": "abcdefgh", "A": "b" },\n  "x": 1\n}\n'
  expect(renderDiff("f.json", before, before.replace('"x": 1', `"x": 2${" ".repeat(200)}`))).toBe(
    [
      "--- f.json",
      "+++ f.json",
      "@@ -1,4 +1,4 @@",
      " {",
      '   "env": { "API_KEY": "…", "A": "b" },',
      '-  "x": 1',
      `+  "x": 2${" ".repeat(151)}…`,
      " }",
    ].join("\n"),
  )
  expect(renderDiff("new.md", null, "a\n")).toStartWith("--- /dev/null\n+++ new.md\n")
})
