import { expect, test } from "bun:test"
import { decodeText } from "./decode.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

test("the byte-order mark is not part of the text", () => {
  expect(decodeText(utf8("\ufeffconst a = 1"))).toEqual({ text: "const a = 1" })
})

test("invalid bytes are replaced, the rest is kept", () => {
  expect(decodeText(Uint8Array.of(97, 0xff, 98))).toEqual({ text: "a\ufffdb" })
})

test("a zero byte in the first eight kilobytes makes it binary, a later one does not", () => {
  const bytes = utf8("x".repeat(9000))
  bytes[8191] = 0
  expect(decodeText(bytes)).toBeNull()
  bytes[8191] = 120
  bytes[8192] = 0
  expect(decodeText(bytes)?.text.length).toBe(9000)
})

test("an empty file is an empty text", () => {
  expect(decodeText(new Uint8Array())).toEqual({ text: "" })
})
