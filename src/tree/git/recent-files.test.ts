import { afterAll, expect, test } from "bun:test"
import { lstatSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { filesNotCommitted, recentlyCommitted } from "./changes.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const seen = (root: string, ...paths: string[]) =>
  paths.map((path) => {
    const { size, mtimeMs } = lstatSync(join(root, path))
    return { path, size, mtimeMs }
  })

test.each([2, 4])("returns edited and new files, for an index of version %d", (version) => {
  const top = box.repository(`edited-${version}`, { "a.txt": "a", "sub/b.txt": "b", "sub/c.txt": "c" })
  git(top, "update-index", "--index-version", String(version))
  const changed = (root: string, ...paths: string[]) =>
    filesNotCommitted(root, seen(root, ...paths)).map(({ path }) => path)
  expect(changed(top, "a.txt", "sub/b.txt", "sub/c.txt")).toEqual([])
  write(top, "sub/b.txt", "other")
  utimesSync(join(top, "sub/c.txt"), 1e9, 1e9)
  write(top, "sub/new.txt", "new")
  const all = ["a.txt", "sub/b.txt", "sub/c.txt", "sub/new.txt"]
  expect(changed(top, ...all)).toEqual(all.slice(1))
  expect(changed(join(top, "sub"), "b.txt", "c.txt", "new.txt")).toEqual(["b.txt", "c.txt", "new.txt"])
  commit(top, "all")
  expect(changed(top, ...all)).toEqual([])
})

test("returns nothing outside git and for an unreadable index", () => {
  const plain = box.folder("plain")
  write(plain, "a.txt", "a")
  expect(filesNotCommitted(plain, seen(plain, "a.txt"))).toEqual([])
  const top = box.repository("broken", { "a.txt": "a" })
  write(top, ".git/index", "DIRC and nothing")
  expect(filesNotCommitted(top, seen(top, "a.txt"))).toEqual([])
})

test("returns the paths of the last commits, newest first, without the first commit", async () => {
  const top = box.repository("log", { "a.txt": "a", "sub/b.txt": "b", "sub/é c.txt": "c", "gone.txt": "g" })
  expect(await recentlyCommitted(top)).toEqual([])
  write(top, "sub/b.txt", "b2")
  commit(top, "b")
  write(top, "sub/é c.txt", "c2")
  rmSync(join(top, "gone.txt"))
  commit(top, "c")
  expect(await recentlyCommitted(top)).toEqual(["sub/é c.txt", "sub/b.txt"])
  expect(await recentlyCommitted(join(top, "sub"))).toEqual(["é c.txt", "b.txt"])
  expect(await recentlyCommitted(box.clone(`file://${top}`, "shallow", "--depth=1"))).toEqual([])
  expect(await recentlyCommitted(box.folder("nowhere"))).toEqual([])
})
