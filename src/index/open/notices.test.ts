import { expect, test } from "bun:test"
import { join } from "node:path"
import { fileRow } from "../../../test/sketches.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { openStore } from "../../store/index/open.ts"
import { writeState } from "../index-state.ts"
import { indexNotices } from "./notices.ts"

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
