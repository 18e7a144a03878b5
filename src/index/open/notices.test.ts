import { expect, test } from "bun:test"
import { join } from "node:path"
import { fileRow } from "../../../test/sketches.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { openStore } from "../../store/index/open.ts"
import { writeState } from "../index-state.ts"
import { indexNotices, whyEmpty } from "./notices.ts"

test("counts files chunked by a fallback per reason, most frequent first", () => {
  using project = new TempProject()
  using store = openStore(join(project.box, "index.db"))
  expect(indexNotices(store)).toEqual([])
  store.transaction(() =>
    store.files.add([
      fileRow(1, "a.py", { method: "lines", degraded: "took too long" }),
      fileRow(2, "b.py", { method: "lines", degraded: "does not parse" }),
      fileRow(3, "c.py", { method: "lines", degraded: "does not parse" }),
      fileRow(4, "d.py"),
      fileRow(5, "e.vue", { method: "tree-sitter", degraded: "the css inside is not recognised" }),
    ]),
  )
  expect(indexNotices(store)).toEqual([
    "2 files were split by lines: does not parse",
    "1 file was split partly by lines: the css inside is not recognised",
    "1 file was split by lines: took too long",
  ])
})

test("says that the index stopped at its limit, and what to do", () => {
  using project = new TempProject()
  using store = openStore(join(project.box, "index.db"))
  writeState(store, { total: 100, skipped: { "over the limit": 7, link: 1 } })
  expect(indexNotices(store)).toEqual([
    "only 100 files are indexed; 7 more files or folders are over the limit: raise index.max_files, or exclude folders in .amanignore",
  ])
})

test("says why everything was left out of an empty index, and how to include it", () => {
  using project = new TempProject({ ".gitignore": "/*\n", "src/a.py": "a = 1\n" })
  using store = openStore(join(project.box, "index.db"))
  const why = () => whyEmpty(project.root, store)
  expect(why()).toEqual([])
  writeState(store, { state: "indexing" })
  expect(why()).toEqual([])
  writeState(store, { state: "ready" })
  expect(why()).toEqual([`nothing is indexed: there are no files in ${project.root}`])
  writeState(store, { skipped: { media: 4 } })
  expect(why()).toEqual(["nothing is indexed: all files and folders are excluded: 4 media"])
  writeState(store, { skipped: { ignored: 2, excluded: 1, media: 4 } })
  expect(why()).toEqual([
    "nothing is indexed: all files and folders are excluded: 2 ignored by .gitignore, " +
      "1 excluded by .amanignore or by paths.include and paths.exclude, 4 media; " +
      "to index files that git ignores, re-include them in .amanignore: !/src",
  ])
  writeState(store, { skipped: { "too large": 1 } })
  expect(why()).toEqual([
    "nothing is indexed: all files and folders are excluded: 1 too large; index.max_file_size limits the size of a file",
  ])
  writeState(store, { skipped: { ignored: 2 } })
  project.write(".gitignore", "/none\n")
  expect(why()[0]).toContain("2 ignored by git's rules")
  expect(whyEmpty(join(project.box, "gone"), store)[0]).toContain("2 ignored by git's rules")
  store.transaction(() => store.files.add([fileRow(1, "a.py")]))
  expect(why()).toEqual([])
})
