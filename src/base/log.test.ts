import { expect, test } from "bun:test"
import { createLog } from "./log.ts"

function capture(level: Parameters<typeof createLog>[0]) {
  const lines: string[] = []
  return { lines, log: createLog(level, (line) => lines.push(line)) }
}

test("prints an event as one line of level, name and fields", () => {
  const { lines, log } = capture("info")
  log.info("indexed", { files: 12, root: "/a b", none: undefined, last: null })
  expect(lines).toEqual(['info indexed files=12 root="/a b" last=null\n'])
})

test("escapes line breaks and quotes in values", () => {
  const { lines, log } = capture("error")
  log.error("read\nfailed", { path: 'x\nerror forged path="y"' })
  expect(lines).toEqual(['error read failed path="x\\nerror forged path=\\"y\\""\n'])
})

test("prints events of the set level and of more severe ones; the level can be changed", () => {
  const { lines, log } = capture("warn")
  log.info("hidden")
  log.warn("shown")
  log.level = "silent"
  log.error("hidden too")
  expect(lines).toEqual(["warn shown\n"])
})

test("prints nothing at any level when printing is off", () => {
  const { lines, log } = capture("warn")
  log.isPrinted = false
  log.level = "debug"
  log.error("failed")
  expect(lines).toEqual([])
})

test("passes every event to a sink at any level", () => {
  const { lines, log } = capture("silent")
  const events: unknown[] = []
  log.sinks.add((event) => events.push(event))
  log.debug("looked", { files: 3 })
  log.error("failed")
  expect(events).toEqual([
    { level: "debug", text: "looked files=3" },
    { level: "error", text: "failed" },
  ])
  expect(lines).toEqual([])
})
