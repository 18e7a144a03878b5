import { afterEach, beforeEach, expect, test } from "bun:test"
import { IndexRun } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { unpackScan } from "../../tree/scan/scan-snapshot.ts"
import { detectChanges, runScanTask } from "./detect-changes.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject({ "a.txt": "a = 1\n", "b.txt": "b = 1\n" })
})
afterEach(() => project[Symbol.dispose]())

const scanOf = ({ context }: IndexRun, usable: boolean) =>
  detectChanges(context.root, context.config, context.store, usable)

test("reports everything as changed without a completed run", async () => {
  using index = new IndexRun(project.root)
  expect(scanOf(index, false).since).toBeNull()
  expect(scanOf(index, true).since).toBeNull()
  await index.run()
  expect(scanOf(index, false).since).toBeNull()
})

test("names exactly the new, changed and deleted files after a run", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  expect(scanOf(index, true).since).toEqual({ changed: [], removed: [] })
  project.write("a.txt", "a = 22\n")
  project.write("c.txt", "c = 1\n")
  project.remove("b.txt")
  const { since, result, total } = scanOf(index, true)
  expect(since?.changed.map((file) => file.path)).toEqual(["a.txt", "c.txt"])
  expect(since?.removed).toEqual(["b.txt"])
  expect(result().files.map((file) => file.path)).toEqual(["a.txt", "c.txt"])
  expect(total).toBe(2)
})

test("calls onChange once for a difference and not for unchanged files", async () => {
  using index = new IndexRun(project.root)
  // The folders were created just now. Their times must be older than the scan, or the scan would read them
  // again.
  project.touch(".")
  await index.run()
  let calls = 0
  const { root, config, store } = index.context
  const ask = () => detectChanges(root, config, store, true, () => calls++)
  ask()
  expect(calls).toBe(0)
  project.write("a.txt", "a = 22\n")
  ask()
  expect(calls).toBeGreaterThan(0)
})

test("gives the same result in a worker, with the scan packed", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  project.write("a.txt", "a = 22\n")
  const { root, config } = index.context
  const here = scanOf(index, true)
  const there = runScanTask({ kind: "scan", root, config, folder: config.index.dir, usable: true })
  expect(there.since).toEqual(here.since)
  expect(unpackScan(there.snapshot)!.files).toEqual(here.result().files)
})
