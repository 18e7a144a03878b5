import { expect, test } from "bun:test"
import { join } from "node:path"
import { fileRow } from "../../../test/sketches.ts"
import { TempProject } from "../../../test/temp-project.ts"
import type { SearchAnswer } from "../../base/answers.ts"
import { writeState } from "../../index/index-state.ts"
import { whyEmpty } from "../../index/open/notices.ts"
import { openStore } from "../../store/index/open.ts"
import { withoutRepeats } from "./why-empty.ts"

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

function answer(query: string, ...lines: number[]): SearchAnswer {
  const results = lines.map((start_line) => {
    const place = { path: "a.ts", start_line, end_line: start_line + 1, symbol: null }
    return { ...place, language: "typescript", kind: "block", score: 1, text: `line ${start_line}`, also: [] }
  })
  return {
    query,
    class: "natural",
    results,
    offset: 0,
    next_offset: null,
    partial: null,
    took_ms: 1,
    notices: [],
  }
}

test("shows lines with the first query that found them and only names them for the others", () => {
  const [first, second] = withoutRepeats([answer("one", 1, 5), answer("two", 5, 9)])
  expect(first).toEqual(answer("one", 1, 5))
  expect(second!.results.map(({ text, shown_for }) => [text, shown_for])).toEqual([
    ["", "one"],
    ["line 9", undefined],
  ])
})
