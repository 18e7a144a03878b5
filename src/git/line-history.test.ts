import { expect, test } from "bun:test"
import { commit, GitBox, git, write } from "../../test/git-repository.ts"
import { lineHistory, recentSince } from "./line-history.ts"

const lines = (changed: string) =>
  Array.from({ length: 30 }, (_, i) => (i === 4 ? changed : `line ${i}`)).join("\n")

test("returns the commits that changed the given lines, newest first", async () => {
  using box = new GitBox()
  const top = box.repository("shop", { "src/a b.txt": lines("one") })
  write(top, "src/a b.txt", lines("two"))
  commit(top, "Two: it's | better")
  write(top, "src/a b.txt", `${lines("two")}\nmore`)
  commit(top, "More at the end")
  const head = git(top, "rev-parse", "HEAD").trim()
  const since = await recentSince(top, head)
  expect(since).toBeNull()
  const place = { path: "src/a b.txt", startLine: 4, endLine: 6 }
  const found = await lineHistory(top, place, { head, since: null, limit: 5 })
  expect(found.map(({ subject }) => subject)).toEqual(["Two: it's | better", "first of shop"])
  expect(found[0]!.commit).toMatch(/^[0-9a-f]{10}$/)
  expect(found[0]!.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect((await lineHistory(top, place, { head, since: null, limit: 1 })).length).toBe(1)
})

test("returns nothing if git fails", async () => {
  using box = new GitBox()
  const top = box.repository("shop", { "a.txt": "one\n" })
  const head = git(top, "rev-parse", "HEAD").trim()
  const range = { head, since: null, limit: 3 }
  expect(await lineHistory(top, { path: "gone.txt", startLine: 1, endLine: 1 }, range)).toEqual([])
  expect(await lineHistory(top, { path: "a.txt", startLine: 90, endLine: 99 }, range)).toEqual([])
  expect(await recentSince(box.folder("none"), head)).toBeUndefined()
})
