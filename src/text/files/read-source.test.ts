import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { contentHash, readSource } from "./read-source.ts"

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
