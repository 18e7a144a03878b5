import { expect, test } from "bun:test"
import fc from "fast-check"
import { homeDir, isInside, temporaryDataDir, toPosix, userConfigDir, userDataDir } from "./paths.ts"

test.skipIf(process.platform === "win32")("puts user data where each operating system keeps it", () => {
  expect(userDataDir({ HOME: "/h" }, "linux")).toBe("/h/.local/share/aman")
  expect(userDataDir({ HOME: "/h", XDG_DATA_HOME: "/d" }, "linux")).toBe("/d/aman")
  expect(userDataDir({ HOME: "/h", XDG_DATA_HOME: "relative" }, "linux")).toBe("/h/.local/share/aman")
  expect(userDataDir({ HOME: "/h" }, "darwin")).toBe("/h/Library/Application Support/aman")
  expect(userDataDir({ HOME: "/h", XDG_DATA_HOME: "/d", AMAN_DATA_DIR: "/mine" }, "linux")).toBe("/mine")
  expect(userDataDir({ HOME: "/h", LOCALAPPDATA: "/local" }, "win32")).toBe("/local/aman")
})

test.skipIf(process.platform === "win32")("ignores a relative home folder", () => {
  expect(homeDir({ HOME: "here" })).toBe("")
  expect(userDataDir({ HOME: "here" }, "linux")).toBe(temporaryDataDir())
  expect(userConfigDir({ HOME: "here" }, "linux")).toBeNull()
})

test("treats a folder as inside itself, but not a sibling with the same prefix", () => {
  expect(isInside("/a/b", "/a/b")).toBe(true)
  expect(isInside("/a/b", "/a/b/")).toBe(true)
  expect(isInside("/a/b", "/a/b/..c/d")).toBe(true)
  expect(isInside("/", "/a")).toBe(true)
  expect(isInside("/a/b", "/a/bc")).toBe(false)
  expect(isInside("/a/b", "/a")).toBe(false)
  expect(isInside("/a/b", "/a/b/../c")).toBe(false)
})

test("detects paths that leave a folder with ..", () => {
  const part = fc.constantFrom("a", "b", "..", ".", "..a", "...")
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const stack: string[] = ["r"]
      for (const p of parts) {
        if (p === "..") stack.pop()
        else if (p !== ".") stack.push(p)
      }
      expect(isInside("/r", `/r/${parts.join("/")}`)).toBe(stack[0] === "r")
    }),
  )
})

test.skipIf(process.platform === "win32")("keeps backslashes on systems where they do not separate", () => {
  expect(toPosix("a\\b/c")).toBe("a\\b/c")
})
