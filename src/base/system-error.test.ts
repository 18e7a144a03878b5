import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError } from "./errors.ts"
import { noteOpened } from "./paths.ts"
import { cannotWrite, systemError } from "./system-error.ts"

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}

test("converts an errno to an IO error with the system's message and a hint", () => {
  const missing = join(tmpdir(), "aman-no-such-folder", "file")
  expect(systemError(thrownBy(() => readFileSync(missing)))).toMatchObject({
    code: "IO",
    message: expect.stringContaining(missing),
    hint: "check what is at this path, and try again",
  })
  const open = Object.assign(new Error("EMFILE: too many open files, open"), { code: "EMFILE" })
  expect(systemError(open)?.hint).toContain("ulimit -n")
})

test("converts an SQLite failure other than damage to an IO error with a hint", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-system-error-"))
  const error = thrownBy(() => new Database(folder))
  rmSync(folder, { recursive: true })
  expect(systemError(error)).toMatchObject({ code: "IO", hint: expect.stringContaining("aman doctor") })
})

test.skipIf(process.platform !== "linux")("shows a path below /proc/self/fd as the user's path", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-system-error-"))
  writeFileSync(join(folder, "file"), "")
  const descriptor = openSync(folder, "r")
  // A folder of an earlier test may have had this number.
  noteOpened(descriptor, null)
  const error = thrownBy(() => readFileSync(`/proc/self/fd/${descriptor}/file/below`))
  expect(systemError(error)?.message).toContain(`'${join(folder, "file", "below")}'`)
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

test("returns null for our own errors, bugs and constraint violations", () => {
  const code = "ERR_INVALID_ARG_TYPE"
  for (const error of [
    new AmanError("USAGE", "known already"),
    new TypeError("x is not a function"),
    Object.assign(new Error("bad"), { code }),
    Object.assign(new Error("constraint"), { code: "SQLITE_CONSTRAINT" }),
    "a text",
  ])
    expect(systemError(error)).toBeNull()
})

test("names a full disk and suggests making room; other errors omit the temporary file's name", () => {
  const failure = (code: string, message: string) =>
    cannotWrite("/a/b", Object.assign(new Error(message), { code }), "make it writable")
  expect(failure("ENOSPC", "ENOSPC: no space left on device, write")).toMatchObject({
    message: "cannot write /a/b: the disk is full",
    hint: "free disk space, and try again",
  })
  expect(failure("EACCES", "EACCES: permission denied, open '/a/.b.17.tmp'")).toMatchObject({
    code: "IO",
    message: "cannot write /a/b: permission denied",
    hint: "make it writable",
  })
})
