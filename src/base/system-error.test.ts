import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError } from "./errors.ts"
import { systemError } from "./system-error.ts"

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}

test("an errno becomes IO with the system's words and a next step", () => {
  const missing = join(tmpdir(), "aman-no-such-folder", "file")
  expect(systemError(thrownBy(() => readFileSync(missing)))).toMatchObject({
    code: "IO",
    message: expect.stringContaining(missing),
    hint: "check what is at this path, and try again",
  })
  const open = Object.assign(new Error("EMFILE: too many open files, open"), { code: "EMFILE" })
  expect(systemError(open)?.hint).toContain("ulimit -n")
})

test("a failure of SQLite that is no damage becomes IO with a next step", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-system-error-"))
  const error = thrownBy(() => new Database(folder))
  rmSync(folder, { recursive: true })
  expect(systemError(error)).toMatchObject({ code: "IO", hint: expect.stringContaining("aman doctor") })
})

test.skipIf(process.platform !== "linux")("a path below a descriptor is named as the user knows it", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-system-error-"))
  writeFileSync(join(folder, "file"), "")
  const descriptor = openSync(folder, "r")
  const error = thrownBy(() => readFileSync(`/proc/self/fd/${descriptor}/file/below`))
  expect(systemError(error)?.message).toContain(`'${join(folder, "file", "below")}'`)
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

test("an error of aman, of the program itself or of a constraint is none of the system's", () => {
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
