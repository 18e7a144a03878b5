import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CONTEXT_CLEARED, pruneSessions, SessionLog } from "./session-log.ts"

const DAY_MS = 24 * 3_600_000
const NOW = Date.UTC(2026, 0, 20)

let dir: string
let former: string | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "aman-session-"))
  former = process.env["AMAN_DATA_DIR"]
  process.env["AMAN_DATA_DIR"] = dir
})
afterEach(() => {
  if (former === undefined) delete process.env["AMAN_DATA_DIR"]
  else process.env["AMAN_DATA_DIR"] = former
  rmSync(dir, { recursive: true, force: true })
})

test("grants a claim once a session, and again after the context was emptied", () => {
  const session = new SessionLog("one", NOW)
  expect(session.claims("file", "src/a.ts")).toBe(true)
  expect(new SessionLog("one", NOW).claims("file", "src/a.ts")).toBe(false)
  expect(session.claims("file", "src/b.ts")).toBe(true)
  expect(session.claims("entry", "src/a.ts")).toBe(true)
  expect(new SessionLog("two", NOW).claims("file", "src/a.ts")).toBe(true)
  session.note(CONTEXT_CLEARED)
  expect(session.claims("file", "src/a.ts")).toBe(true)
  expect(session.claims("file", "src/a.ts")).toBe(false)
})

test("denies a claim that cannot be written", () => {
  process.env["AMAN_DATA_DIR"] = "/dev/null/nowhere"
  expect(new SessionLog("one", NOW).claims("file", "a")).toBe(false)
  expect(new SessionLog("one", NOW).notes()).toEqual([])
})

test("returns notes in order, and none of a forgotten session", () => {
  const session = new SessionLog("one", NOW)
  session.note("failed", "npm%20test")
  session.note("fixed", "npm%20test@3")
  expect(session.notes()).toEqual([
    { at: NOW, what: "failed", about: "npm%20test" },
    { at: NOW, what: "fixed", about: "npm%20test@3" },
  ])
  session.forget()
  expect(session.notes()).toEqual([])
})

test("deletes sessions older than a week", () => {
  new SessionLog("old", NOW).note("x")
  new SessionLog("new", NOW).note("x")
  const folder = join(dir, "hooks", "sessions")
  const [first] = readdirSync(folder)
  utimesSync(join(folder, first!), new Date(NOW - 8 * DAY_MS), new Date(NOW - 8 * DAY_MS))
  utimesSync(join(folder, readdirSync(folder)[1]!), new Date(NOW), new Date(NOW))
  pruneSessions(NOW)
  expect(readdirSync(folder)).toHaveLength(1)
})
