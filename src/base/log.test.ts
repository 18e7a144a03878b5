import { expect, test } from "bun:test"
import { chooseLogLevel, createLog } from "./log.ts"

function capture(level: Parameters<typeof createLog>[0]) {
  const lines: string[] = []
  return { lines, log: createLog(level, (line) => lines.push(line)) }
}

test("an event is one line of level, name and fields", () => {
  const { lines, log } = capture("info")
  log.info("indexed", { files: 12, root: "/a b", none: undefined, last: null })
  expect(lines).toEqual(['info indexed files=12 root="/a b" last=null\n'])
})

test("line breaks and quotes in a value cannot forge a second line", () => {
  const { lines, log } = capture("error")
  log.error("read\nfailed", { path: 'x\nerror forged path="y"' })
  expect(lines).toEqual(['error read failed path="x\\nerror forged path=\\"y\\""\n'])
})

test("a level lets through itself and what is graver, and can be changed", () => {
  const { lines, log } = capture("warn")
  log.info("hidden")
  log.warn("shown")
  log.level = "silent"
  log.error("hidden too")
  expect(lines).toEqual(["warn shown\n"])
})

test("quiet beats verbose beats AMAN_LOG beats the default", () => {
  expect(chooseLogLevel({ quiet: true, verbose: true, env: "debug" })).toBe("silent")
  expect(chooseLogLevel({ verbose: true, env: "error" })).toBe("debug")
  expect(chooseLogLevel({ env: "INFO" })).toBe("info")
  expect(chooseLogLevel({ env: "loud" })).toBe("warn")
})
