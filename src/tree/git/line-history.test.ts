import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { type Commit, historyOf, recentSince } from "./changes.ts"

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
  const found = (await historyOf(top, place, { head, since: null, limit: 5 })) as Commit[]
  expect(found.map(({ subject }) => subject)).toEqual(["Two: it's | better", "first of shop"])
  expect(found[0]!.id).toBe(git(top, "rev-parse", "HEAD~1").trim())
  expect(found[0]!.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect((await historyOf(top, place, { head, since: null, limit: 1 })).length).toBe(1)
})

test("returns why git failed", async () => {
  using box = new GitBox()
  const top = box.repository("shop", { "a.txt": "one\n" })
  const head = git(top, "rev-parse", "HEAD").trim()
  const range = { head, since: null, limit: 3 }
  expect(await historyOf(top, { path: "gone.txt", startLine: 1, endLine: 1 }, range)).toBe("failed")
  expect(await historyOf(top, { path: "a.txt", startLine: 90, endLine: 99 }, range)).toBe("failed")
  expect(await historyOf(top, { path: "gone.txt" }, range)).toEqual([])
  expect(await recentSince(box.folder("none"), head)).toBeUndefined()
})

test("follows a file and its lines through a rename, with whole messages", async () => {
  using box = new GitBox()
  const top = box.repository("shop", { "old.txt": lines("one") })
  rmSync(join(top, "old.txt"))
  write(top, "src/new.txt", lines("one"))
  commit(top, "Move it (#7)\n\nBecause of the layout.\n\nReviewed-by: Ada")
  write(top, "src/new.txt", lines("two"))
  commit(top, "Two")
  const range = { head: git(top, "rev-parse", "HEAD").trim(), since: null, limit: 5 }
  const subjects = (found: unknown) => (found as Commit[]).map(({ subject }) => subject)
  const whole = await historyOf(top, { path: "src/new.txt" }, range)
  expect(subjects(whole)).toEqual(["Two", "Move it (#7)", "first of shop"])
  expect((whole as Commit[])[1]!.body).toBe("Because of the layout.\n\nReviewed-by: Ada")
  const ofLine = await historyOf(top, { path: "src/new.txt", startLine: 5, endLine: 5 }, range)
  expect(subjects(ofLine)).toEqual(["Two", "first of shop"])
})
