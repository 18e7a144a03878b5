import { expect, test } from "bun:test"
import { splitIdentifier, words } from "./identifiers.ts"

test.each([
  ["camelCase", ["camel", "case"]],
  ["PascalCase", ["pascal", "case"]],
  ["snake_case_", ["snake", "case"]],
  ["__init__", ["init"]],
  ["kebab-case", ["kebab", "case"]],
  ["HTTPServer", ["http", "server"]],
  ["parseURLs", ["parse", "urls"]],
  ["getUserIDsByName", ["get", "user", "ids", "by", "name"]],
  ["utf8Decoder", ["utf", "8", "decoder"]],
  ["MAX_SIZE", ["max", "size"]],
  ["aBC", ["a", "bc"]],
  ["größenÄnderung", ["größen", "änderung"]],
  ["ÜBERTrieben", ["über", "trieben"]],
  ["", []],
])("%s", (identifier, expected) => {
  expect(splitIdentifier(identifier)).toEqual(expected)
})

test("splits all identifiers of a text, Chinese and Japanese words into pairs", () => {
  expect(words("if (webSocket.isOpen) // 连接已打开 ok")).toEqual([
    "if",
    "web",
    "socket",
    "is",
    "open",
    "连接",
    "接已",
    "已打",
    "打开",
    "ok",
  ])
})
