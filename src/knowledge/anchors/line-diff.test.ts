import { expect, test } from "bun:test"
import { lineDiff } from "./line-diff.ts"

test("what went and what came, with a little around it", async () => {
  const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk"
  const now = before.replace("b", "B").replace("j", "j\njj")
  expect(await lineDiff(before, now)).toBe(" a\n-b\n+B\n c\n d\n…\n i\n j\n+jj\n k")
})

test("indentation is no difference", async () => {
  expect(await lineDiff("if (a)\nb()\nc()", "  if (a)\n    b()\n    d()")).toBe(
    "   if (a)\n     b()\n-c()\n+    d()",
  )
})

test("texts with little in common are shown one after the other", async () => {
  const many = (word: string) => Array.from({ length: 600 }, (_, i) => `${word} ${i}`).join("\n")
  const diff = (await lineDiff(many("old"), many("new"))).split("\n")
  expect(diff).toHaveLength(1200)
  expect([diff[0], diff[600]]).toEqual(["-old 0", "+new 0"])
})
