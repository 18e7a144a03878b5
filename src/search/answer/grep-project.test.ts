import { afterAll, expect, test } from "bun:test"
import { TempProject } from "../../../test/temp-project.ts"
import { type GrepFile, type GrepRequest, type GrepSummary, grepProject } from "./grep-project.ts"

const box = new TempProject()
for (let at = 0; at < 30; at++) box.write(`f${at}.txt`, "a line\n".repeat(10))
afterAll(() => box[Symbol.dispose]())

const REQUEST: GrepRequest = {
  pattern: "line",
  mode: "exact",
  ignoreCase: false,
  wholeWord: false,
  paths: [],
  globs: [],
  languages: [],
  invert: false,
  before: 0,
  after: 0,
  maxCount: 100,
  withSpans: false,
  timeoutMs: Number.POSITIVE_INFINITY,
}

async function collect(
  request: Partial<GrepRequest>,
  signal?: AbortSignal,
): Promise<{ files: GrepFile[]; summary: GrepSummary }> {
  const found = grepProject(box.open(), { ...REQUEST, ...request }, signal)
  const files: GrepFile[] = []
  for (;;) {
    const step = await found.next()
    if (step.done) return { files, summary: step.value }
    files.push(step.value)
  }
}

test("needs no index and creates none", async () => {
  const { files, summary } = await collect({})
  expect(files).toHaveLength(30)
  expect(files[0]).toMatchObject({ path: "f0.txt", language: "text", count: 10 })
  expect(summary).toMatchObject({ searched: 30, total: 30, notices: [] })
  expect(await Bun.file(`${box.root}/.aman/index.db`).exists()).toBe(false)
})

test("says at which file it stopped when its time ran out", async () => {
  const { files, summary } = await collect({ timeoutMs: 0 })
  expect(files.length).toBeLessThan(30)
  expect(summary.notices).toEqual([expect.stringMatching(/^stopped after 0 s, at \d+ of 30 files/)])
})

test("stops when the caller stops reading", async () => {
  for await (const { path } of grepProject(box.open(), REQUEST)) {
    expect(path).toBe("f0.txt")
    break
  }
})
