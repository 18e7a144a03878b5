import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { decodeText } from "./read-source.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16le = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"))
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16())
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
const textOf = (bytes: Uint8Array) => decodeText(bytes)?.text

test("removes the byte-order mark", () => {
  expect(textOf(utf8("\ufeffconst a = 1"))).toBe("const a = 1")
  expect(decodeText(utf16le("\ufeffconst a = 1"))).toEqual({ text: "const a = 1", encoding: "utf-16le" })
  expect(decodeText(utf16be("\ufeffconst a = 1"))).toEqual({ text: "const a = 1", encoding: "utf-16be" })
})

describe("UTF-16 without a byte-order mark", () => {
  const source = "class Größe { name = '名前' }\r\n".repeat(20)
  test.each([
    ["utf-16le", utf16le(source)],
    ["utf-16be", utf16be(source)],
  ])("%s", (encoding, bytes) => {
    expect(decodeText(bytes)).toEqual({
      text: source.replaceAll("\r\n", "\n"),
      encoding: encoding as "utf-8",
    })
  })
  test.each<[string, Uint8Array]>([
    ["a table of small numbers", new Uint8Array(new Uint16Array(500).map((_, i) => i % 40).buffer)],
    ["a few zeros among text", utf8("int a\0 = 1;\n")],
    ["a text in UTF-32", Uint8Array.from([0xff, 0xfe, 0, 0, 97, 0, 0, 0])],
    ["half surrogates", utf16le("abc\ud800def".repeat(9))],
    ["zeros on both sides", Uint8Array.from([0, 97, 98, 0, 99, 99, 100, 100])],
  ])("but %s is binary", (_, bytes) => expect(decodeText(bytes)).toBeNull())
})

describe("bytes that are not UTF-8", () => {
  test("replaces a few wrong bytes and keeps the rest", () => {
    expect(textOf(Uint8Array.from([...utf8("é ü ß "), 0xff, 98]))).toBe("é ü ß \ufffdb")
  })
  test("decodes single-byte text as Windows-1252", () => {
    const bytes = Uint8Array.from([...latin1("// Größe für Straße "), 0x80])
    expect(decodeText(bytes)).toEqual({ text: "// Größe für Straße €", encoding: "windows-1252" })
  })
  test("treats random bytes as binary even without a zero byte", () => {
    const bytes = Uint8Array.from({ length: 4000 }, (_, i) => ((i * 2654435761) % 255) + 1)
    expect(decodeText(bytes)).toBeNull()
  })
})

describe("every line ends with one line feed", () => {
  test.each([
    ["a\r\nb\r\n", "a\nb\n"],
    ["a\rb\rc", "a\nb\nc"],
    ["a\nb", "a\nb"],
    ["progress 1\rprogress 2\ndone\r\n", "progress 1\rprogress 2\ndone\n"],
    ["\r\r", "\n\n"],
  ])("%j", (given, expected) => expect(textOf(utf8(given))).toBe(expected))
})

test("treats a file with a zero byte among the first 8 KiB as binary", () => {
  const bytes = utf8("x".repeat(9000))
  bytes[8191] = 0
  expect(decodeText(bytes)).toBeNull()
  bytes[8191] = 120
  bytes[8192] = 0
  expect(textOf(bytes)?.length).toBe(9000)
})

test("decodes an empty file as an empty text", () => expect(textOf(new Uint8Array())).toBe(""))

test("decodes random texts from UTF-8 and from UTF-16 with a mark", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 50 }).map((each) => each.replace(/[\0\r\ufeff]/g, ""))
  fc.assert(
    fc.property(text, (each) => {
      expect(textOf(utf8(each))).toBe(each)
      expect(textOf(utf16le(`\ufeff${each}`))).toBe(each)
      expect(textOf(utf16be(`\ufeff${each}`))).toBe(each)
    }),
  )
})

test("returns a text or null for random bytes, without throwing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const decoded = decodeText(bytes)
      expect(decoded === null || typeof decoded.text === "string").toBe(true)
    }),
  )
})
