import { expect, test } from "bun:test"
import { join } from "node:path"
import { fileRow } from "../../test/sketches.ts"
import { TempProject } from "../../test/temp-project.ts"
import { openStore } from "../store/open.ts"
import { noticesOf } from "./notices.ts"

test("files cut by a lesser method are counted by the reason, commonest first", () => {
  using project = new TempProject()
  using store = openStore(join(project.box, "index.db"))
  expect(noticesOf(store)).toEqual([])
  store.transaction(() =>
    store.files.add([
      fileRow(1, "a.py", { method: "lines", degraded: "took too long" }),
      fileRow(2, "b.py", { method: "lines", degraded: "does not parse" }),
      fileRow(3, "c.py", { method: "lines", degraded: "does not parse" }),
      fileRow(4, "d.py"),
    ]),
  )
  expect(noticesOf(store)).toEqual([
    "2 files were cut by lines: does not parse",
    "1 file was cut by lines: took too long",
  ])
})
