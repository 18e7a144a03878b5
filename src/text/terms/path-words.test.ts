import { expect, test } from "bun:test"
import fc from "fast-check"
import { pathWords, pathWordsOf } from "./path-words.ts"

test("the words of a name, of its folder and of the whole way", () => {
  expect(pathWords("src/HTTPServer/web_sockets/readFrames.test.ts")).toEqual({
    stem: ["read", "fram", "test"],
    folder: ["web", "socket"],
    all: ["src", "http", "serv", "web", "socket", "read", "fram", "test"],
  })
  expect(pathWords("Makefile")).toEqual({ stem: ["makefil"], folder: [], all: ["makefil"] })
  expect(pathWords("a/a.ts")).toEqual({ stem: ["a"], folder: ["a"], all: ["a"] })
})

test("many paths have the words that each has alone", () => {
  const part = fc.constantFrom("src", "Src", "webSocket", "é", "a.b", ".git", "x1")
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      expect(pathWordsOf(paths)).toEqual(paths.map(pathWords))
    }),
  )
})
