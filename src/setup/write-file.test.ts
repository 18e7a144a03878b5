import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keepBackup, removeEmptyFolders, replaceFile } from "./write-file.ts"

let box = ""
const at = (name: string) => join(box, name)
const bytes = (text: string) => new TextEncoder().encode(text)
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), "aman-write-"))
})
afterEach(() => rmSync(box, { recursive: true, force: true }))

test("a file that changed since it was read is left as it is, and nothing is left beside it", () => {
  writeFileSync(at("a"), "theirs")
  expect(() => replaceFile(at("a"), bytes("read"), bytes("ours"))).toThrow("changed while this ran")
  expect(() => replaceFile(at("a"), null, bytes("ours"))).toThrow("changed while this ran")
  expect(() => replaceFile(at("gone"), bytes("read"), null)).toThrow("changed while this ran")
  expect(readFileSync(at("a"), "utf8")).toBe("theirs")
  expect(readdirSync(box)).toEqual(["a"])
})

test("what the system refuses is said with the file's name, and nothing is left beside it", () => {
  mkdirSync(at("folder"))
  writeFileSync(at("file"), "")
  expect(() => replaceFile(at("file/below"), null, bytes("x"))).toThrow(
    `cannot write ${at("file/below")}: not a directory`,
  )
  expect(readdirSync(box).sort()).toEqual(["file", "folder"])
})

test("backups of one second all stay", () => {
  const kept = ["one", "two", "three"].map((text) => keepBackup(at("backups"), "settings.json", bytes(text)))
  expect(kept.map((path) => readFileSync(path, "utf8"))).toEqual(["one", "two", "three"])
})

test("folders go as far as they are empty", () => {
  mkdirSync(at("a/b/c"), { recursive: true })
  writeFileSync(at("a/mine"), "")
  removeEmptyFolders([at("a"), at("a/b"), at("a/b/c")])
  expect(readdirSync(box, { recursive: true }).sort()).toEqual(["a", "a/mine"])
})
