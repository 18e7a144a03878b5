import { expect, test } from "bun:test"
import { lineDiff } from "./anchor.ts"

test("shows removed and added lines with a few lines around", async () => {
  const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk"
  const now = before.replace("b", "B").replace("j", "j\njj")
  expect(await lineDiff(before, now)).toBe(" a\n-b\n+B\n c\n d\n…\n i\n j\n+jj\n k")
})

test("ignores changes of indentation", async () => {
  expect(await lineDiff("if (a)\nb()\nc()", "  if (a)\n    b()\n    d()")).toBe(
    "   if (a)\n     b()\n-c()\n+    d()",
  )
})

test("shows texts with little in common one after the other", async () => {
  const many = (word: string) => Array.from({ length: 600 }, (_, i) => `${word} ${i}`).join("\n")
  const diff = (await lineDiff(many("old"), many("new"))).split("\n")
  expect(diff).toHaveLength(1200)
  expect([diff[0], diff[600]]).toEqual(["-old 0", "+new 0"])
})
