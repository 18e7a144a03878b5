import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createLog, LOG_FILE_BYTES, log, logToFile } from "./log.ts"

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

const box = mkdtempSync(join(tmpdir(), "aman-log-"))
afterAll(() => rmSync(box, { recursive: true }))
const clock = () => new Date(0)

test("writes time and process id with each event, and debug events only at level debug", () => {
  const path = join(box, "deep/server.log")
  const sink = logToFile(path, clock)
  sink({ level: "info", text: "indexed files=3" })
  sink({ level: "debug", text: "hidden" })
  log.level = "debug"
  sink({ level: "debug", text: "shown" })
  log.level = "silent"
  sink({ level: "error", text: "failed" })
  log.level = "warn"
  const start = `1970-01-01T00:00:00.000Z ${process.pid}`
  expect(readFileSync(path, "utf8")).toBe(
    `${start} info indexed files=3\n${start} debug shown\n${start} error failed\n`,
  )
  if (process.platform !== "win32") expect(statSync(path).mode & 0o77).toBe(0)
})

test("rotates a full file and keeps three", () => {
  const path = join(box, "rotated.log")
  const sink = logToFile(path, clock)
  for (const age of ["first", "second", "third", "fourth"]) {
    writeFileSync(path, age.padEnd(LOG_FILE_BYTES, "."))
    sink({ level: "info", text: "next" })
  }
  const kept = readdirSync(box).filter((name) => name.startsWith("rotated"))
  expect(kept.sort()).toEqual(["rotated.log", "rotated.log.1", "rotated.log.2"])
  expect(readFileSync(path, "utf8")).toEndWith("info next\n")
  expect(readFileSync(`${path}.1`, "utf8")).toStartWith("fourth")
  expect(readFileSync(`${path}.2`, "utf8")).toStartWith("third")
})

test("warns once when the file cannot be written and continues", () => {
  const warnings: string[] = []
  const listen = ({ text }: { text: string }) => void warnings.push(text)
  log.level = "silent"
  log.sinks.add(listen)
  const sink = logToFile(join(box, "rotated.log/x.log"))
  log.sinks.add(sink)
  log.info("one")
  log.info("two")
  log.sinks.delete(sink)
  log.sinks.delete(listen)
  log.level = "warn"
  expect(warnings.filter((text) => text.startsWith("no log file is written"))).toHaveLength(1)
})
