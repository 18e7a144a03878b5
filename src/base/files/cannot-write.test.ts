import { expect, test } from "bun:test"
import { cannotWrite } from "./cannot-write.ts"

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
