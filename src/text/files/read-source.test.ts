import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { TempProject } from "../../../test/temp-project.ts"
import { contentHash, decodeLines, decodeText, lineRange, readSource } from "./read-source.ts"

const project = new TempProject({
  "a.txt": "hello\n",
  "bom.txt": "\uFEFFhello\n",
  "empty.txt": "",
  "picture.txt": new Uint8Array(1000),
  "large.txt": "x".repeat(200),
})
afterAll(() => project[Symbol.dispose]())

const read = (path: string, maxBytes = 100_000) => readSource(project.root, path, maxBytes)

test("returns the text, the hash of its bytes, size and time", () => {
  expect(read("a.txt")).toMatchObject({ text: "hello\n", hash: contentHash("hello\n"), size: 6 })
  expect(contentHash("hello\n")).toMatch(/^[0-9a-f]{16}$/)
})

test("leaves the byte-order mark out of the text but not out of the hash", () => {
  const source = read("bom.txt")
  expect(source).toMatchObject({ text: "hello\n", size: 9 })
  expect("hash" in source && source.hash).not.toBe(contentHash("hello\n"))
})

test("reads an empty file as a text", () => expect(read("empty.txt")).toMatchObject({ text: "", size: 0 }))

describe("returns the reason, size and time of an unreadable file", () => {
  test("binary", () => expect(read("picture.txt")).toMatchObject({ reason: "binary", size: 1000 }))
  test("too large: above the limit, not at it", () => {
    expect(read("large.txt", 199)).toMatchObject({ reason: "too large", size: 200 })
    expect(read("large.txt", 200)).toMatchObject({ text: "x".repeat(200) })
  })
  test("a private key", () => {
    project.write("deploy.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n")
    expect(read("deploy.txt")).toMatchObject({ reason: "secret", size: 43 })
  })
  test("absent", () => expect(read("none.txt")).toEqual({ reason: "unreadable", size: 0, mtimeMs: 0 }))
  test("a folder", () => {
    mkdirSync(join(project.root, "folder"))
    expect(read("folder")).toMatchObject({ reason: "not a file" })
  })
})

test.skipIf(process.platform === "win32")("does not follow a link in place of the file", () => {
  symlinkSync(join(project.root, "a.txt"), join(project.root, "link.txt"))
  expect(read("link.txt")).toMatchObject({ reason: "unreadable" })
})

test.skipIf(process.platform === "win32")("does not block on a pipe in place of the file", () => {
  Bun.spawnSync(["mkfifo", join(project.root, "pipe.txt")])
  expect(read("pipe.txt")).toMatchObject({ reason: "not a file" })
})

const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16le = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"))
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16())
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
const textOf = (bytes: Uint8Array) => decodeText(bytes)?.text

test("removes the byte-order mark", () => {
  expect(textOf(utf8("\ufeffconst a = 1"))).toBe("const a = 1")
  expect(decodeText(utf16le("\ufeffconst a = 1"))).toEqual({
    text: "const a = 1",
    encoding: "utf-16le",
    isGuess: false,
  })
  expect(decodeText(utf16be("\ufeffconst a = 1"))).toEqual({
    text: "const a = 1",
    encoding: "utf-16be",
    isGuess: false,
  })
})

describe("UTF-16 without a byte-order mark", () => {
  const source = "class Größe { name = '名前' }\r\n".repeat(20)
  test.each([
    ["utf-16le", utf16le(source)],
    ["utf-16be", utf16be(source)],
  ])("%s", (encoding, bytes) => {
    expect(decodeText(bytes)).toEqual({
      text: source.replaceAll("\r\n", "\n"),
      encoding,
      isGuess: false,
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
    expect(decodeText(bytes)).toEqual({
      text: "// Größe für Straße €",
      encoding: "windows-1252",
      isGuess: true,
    })
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

const whole = (bytes: Uint8Array, first: number, last: number) => {
  const decoded = decodeText(bytes)
  return decoded === null ? null : lineRange(decoded.text, first, last)
}

test("returns the same lines as decoding the whole file, for random bytes", () => {
  const part = fc.constantFrom("a", "ä", "€", "😀", "\n", "\n", "\r\n", "\r", "\ufeff", "\0", " ")
  const texts = fc.array(part, { maxLength: 30 }).map((parts) => new TextEncoder().encode(parts.join("")))
  const pieces = fc.array(fc.oneof(fc.constant(10), fc.nat(255)), { maxLength: 30 })
  const bytes = fc.oneof(
    texts,
    pieces.map((all) => Uint8Array.from(all)),
  )
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 9 }), (of, first, last) => {
      expect(decodeLines(of, [{ first, last }])?.[0] ?? null).toBe(whole(of, first, last))
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ["UTF-8 with a mark", [0xef, 0xbb, 0xbf, 0x61, 10, 0x62], 1, 1, "a"],
  ["UTF-16", [0xff, 0xfe, 0x61, 0, 10, 0, 0x62, 0], 2, 2, "b"],
  ["Latin-1", [0x61, 10, 0xe4, 10], 2, 2, "ä"],
  ["two bytes at the end of a line", [0x61, 13, 10, 0x62], 1, 2, "a\nb"],
  ["the first of two such lines", [0x61, 13, 10, 0x62, 13, 10], 1, 1, "a"],
  ["the other byte alone", [0x61, 13, 0x62], 2, 2, "b"],
  ["binary", [0, 0, 0, 0, 1, 2, 10], 1, 1, null],
])("%s", (_, bytes, first, last, text) => {
  expect(decodeLines(Uint8Array.from(bytes), [{ first, last }])?.[0] ?? null).toBe(text)
})

test("returns the lines that splitting the text gives", () => {
  const text = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "", "\n\n")).map((parts) => parts.join(""))
  const place = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(text, place, place, (text, first, last) => {
      const lines = text.split("\n").slice(first - 1, last)
      expect(lineRange(text, first, last)).toBe(lines.join("\n"))
    }),
  )
})
