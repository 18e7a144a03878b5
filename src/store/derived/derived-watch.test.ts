import { afterEach, beforeEach, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DerivedRow } from "./derived-files.ts"
import { DerivedWatch, publishDerived } from "./derived-files.ts"

const NAME = "keyword-1.seg"
let folder: string
let row: DerivedRow

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aman-watch-"))
  const file = await publishDerived(folder, NAME, (path) => writeFileSync(path, "what words say"))
  row = { kind: "keyword", spaceId: 0, part: 0, generation: 1, dimensions: 0, count: 1, ...file }
})

afterEach(() => rmSync(folder, { recursive: true }))

let clock = 1_600_000_000
/**
 * Each write sets a time one second after the previous one, because two changes within a tick of the system's
 * clock have the same time.
 */
function write(text: string): void {
  clock++
  writeFileSync(join(folder, NAME), text)
  utimesSync(join(folder, NAME), clock, clock)
}

test("accepts a file that was touched or written again with the same bytes", () => {
  const watch = new DerivedWatch(folder, [row])
  chmodSync(join(folder, NAME), 0o600)
  expect([watch.check(), watch.isSound]).toEqual([false, true])
  write("what words say")
  expect([watch.check(), watch.isSound]).toEqual([false, true])
})

test("reports a damaged file once, and its repair once", () => {
  const watch = new DerivedWatch(folder, [row])
  for (const harm of [() => write("what wards say"), () => truncateSync(join(folder, NAME), 3)]) {
    harm()
    expect([watch.check(), watch.isSound, watch.check()]).toEqual([true, false, false])
    write("what words say")
    expect([watch.check(), watch.isSound, watch.check()]).toEqual([true, true, false])
  }
  rmSync(join(folder, NAME))
  expect([watch.check(), watch.isSound]).toEqual([true, false])
})

test("detects damage that happened before opening, and passes the result on to the next watch", () => {
  write("what wards say")
  const watch = new DerivedWatch(folder, [row])
  expect([watch.isSound, watch.check()]).toEqual([false, false])
  const next = new DerivedWatch(folder, [row], watch)
  expect([next.isSound, next.check()]).toEqual([false, false])
})

test("tells which file is damaged by its name", async () => {
  const other = {
    ...row,
    ...(await publishDerived(folder, "keyword-2.seg", (path) => writeFileSync(path, "more"))),
  }
  const watch = new DerivedWatch(folder, [row, other])
  write("what wards say")
  watch.check()
  expect([row, other, { name: "keyword-3.seg" }].map((each) => watch.isWhole(each))).toEqual([
    false,
    true,
    false,
  ])
})
