import { afterAll, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { headCommit, renamedTo } from "./changes.ts"
import { findWorkTree } from "./work-tree.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const lines = (from: number, count = 30) =>
  Array.from({ length: count }, (_, i) => `line ${from + i} of the file\n`).join("")
const follow = (top: string, path: string, since: string | null) =>
  renamedTo(top, path, since, (at) => existsSync(join(top, at)))

test("reads the checked out commit: on a branch, packed, detached, and before the first commit", () => {
  const top = box.repository("head")
  const head = () => headCommit(findWorkTree(top)!)
  expect(head()).toBe(null)
  const first = commit(top, "first")
  expect(head()).toBe(first)
  git(top, "pack-refs", "--all")
  expect(head()).toBe(first)
  const second = commit(top, "second")
  expect(head()).toBe(second)
  git(top, "switch", "-q", "--detach", first)
  expect(head()).toBe(first)
  git(top, "worktree", "add", "-q", join(box.box, "head-linked"), "main")
  expect(headCommit(findWorkTree(join(box.box, "head-linked"))!)).toBe(second)
})

test("follows a renamed and edited file with any name", async () => {
  const top = box.repository("one", { "a b\tü.ts": lines(1) })
  const first = git(top, "rev-parse", "HEAD")
  git(top, "mv", "--", "a b\tü.ts", "-c.ts")
  write(top, "-c.ts", `${lines(1)}more\n`)
  commit(top, "renamed")
  expect(await follow(top, "a b\tü.ts", first)).toEqual({ path: "-c.ts", failure: null })
  expect(await follow(top, "a b\tü.ts", null)).toEqual({ path: "-c.ts", failure: null })
  expect(await follow(top, "other.ts", first)).toEqual({ path: null, failure: null })
})

test("follows several renames one by one when the ends are too different", async () => {
  const top = box.repository("steps", { "a.ts": lines(1) })
  const first = git(top, "rev-parse", "HEAD")
  git(top, "mv", "a.ts", "b.ts")
  commit(top, "renamed")
  write(top, "b.ts", lines(100))
  commit(top, "rewritten")
  git(top, "mv", "b.ts", "c.ts")
  commit(top, "renamed again")
  expect((await follow(top, "a.ts", first)).path).toBe("c.ts")
})

test("returns the old name on a branch without the rename", async () => {
  const top = box.repository("branches", { "a.ts": lines(1) })
  git(top, "switch", "-q", "-c", "topic")
  git(top, "mv", "a.ts", "b.ts")
  const renamed = commit(top, "renamed")
  git(top, "switch", "-q", "main")
  expect((await follow(top, "b.ts", renamed)).path).toBe("a.ts")
})

test("returns null for a commit of another repository or an invalid one", async () => {
  const top = box.repository("foreign", { "a.ts": lines(1) })
  git(top, "mv", "a.ts", "b.ts")
  commit(top, "renamed")
  expect((await follow(top, "a.ts", "f".repeat(40))).path).toBe("b.ts")
  expect((await follow(top, "a.ts", "--output=x")).path).toBe("b.ts")
  expect(existsSync(join(top, "x"))).toBe(false)
})
