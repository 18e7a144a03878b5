import { expect, test } from "bun:test"
import fc from "fast-check"
import { pathWords, pathWordsOf } from "./path-words.ts"

test("returns the words of the file name, of its folder and of the whole path", () => {
  expect(pathWords("src/HTTPServer/web_sockets/readFrames.test.ts")).toEqual({
    stem: ["read", "fram", "test"],
    folder: ["web", "socket"],
    all: ["src", "http", "serv", "web", "socket", "read", "fram", "test"],
  })
  expect(pathWords("Makefile")).toEqual({ stem: ["makefil"], folder: [], all: ["makefil"] })
  expect(pathWords("a/a.ts")).toEqual({ stem: ["a"], folder: ["a"], all: ["a"] })
})

test("returns the same words for many paths as for each alone", () => {
  const part = fc.constantFrom("src", "Src", "webSocket", "é", "a.b", ".git", "x1")
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      expect(pathWordsOf(paths)).toEqual(paths.map(pathWords))
    }),
  )
})
