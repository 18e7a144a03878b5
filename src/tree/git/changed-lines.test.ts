import { afterAll, expect, test } from "bun:test"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { unlinkedFiles } from "./changes.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

test.each([3, 4])(
  "tells deleted files from those a sparse checkout leaves out, in an index of version %d",
  (version) => {
    const top = box.repository(`left-${version}`, { "a.txt": "a", "sub/b.txt": "b", "sub/c.txt": "c" })
    git(top, "update-index", "--index-version", String(version))
    git(top, "update-index", "--skip-worktree", "sub/b.txt")
    expect(unlinkedFiles(top)).toEqual([])
    for (const path of ["a.txt", "sub"]) rmSync(join(top, path), { recursive: true })
    write(top, "sub", "a file where a folder was")
    expect(unlinkedFiles(top)).toEqual(["a.txt", "sub/c.txt"])
    expect(unlinkedFiles(join(top, "sub"))).toEqual(["c.txt"])
  },
)

test("treats a link as present and reports nothing deleted outside git", () => {
  const top = box.repository("link")
  symlinkSync("nowhere", join(top, "link"))
  commit(top, "a link")
  expect(unlinkedFiles(top)).toEqual([])
  expect(unlinkedFiles(box.folder("plain"))).toEqual([])
})
