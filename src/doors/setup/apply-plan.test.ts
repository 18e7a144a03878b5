import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { applyPlan, removeEmptyFolders, replaceFile, writeBackup } from "./apply-plan.ts"
import type { FilePlan } from "./file-plan.ts"
import { readTarget } from "./target-file.ts"

const NO_COPY = "nothing was changed, because no backup can be written"
let box = ""
const at = (name: string) => join(box, name)
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), "aman-apply-"))
})
afterEach(() => rmSync(box, { recursive: true, force: true }))

function failureFor(path: string): string {
  const { text: before, ...target } = readTarget(path)
  const plan: FilePlan = {
    ...{ file: path, path, owners: ["client/server"], filled: [], problem: null },
    ...{ state: before === null ? "create" : "change", before, after: "{}" },
    target: { text: before, ...target },
  }
  const keeping = { folder: at("data"), now: new Date(0), isRemoval: false }
  const [applied] = applyPlan([plan], keeping)
  return applied!.failure!.message
}

test("leaves the file unchanged and says so when no backup can be written", () => {
  writeFileSync(at("settings"), "theirs")
  mkdirSync(at("data"))
  writeFileSync(at("data/backups"), "")
  expect(failureFor(at("settings"))).toStartWith(`${NO_COPY}: cannot write ${at("data")}: `)
  expect(readFileSync(at("settings"), "utf8")).toBe("theirs")
})

test("leaves the file unchanged and no backup behind when the record cannot be written, and names that failure", () => {
  writeFileSync(at("settings"), "theirs")
  mkdirSync(at("data/written.json"), { recursive: true })
  expect(failureFor(at("settings"))).toStartWith(`cannot write ${at("data")}: `)
  expect(readdirSync(at("data/backups"))).toEqual([])
  expect(readFileSync(at("settings"), "utf8")).toBe("theirs")
})

test("reports why the file could not be written even when the record cannot be restored", () => {
  // The name of the file is too long for any file system, and the folder created for it blocks the path of the
  // new record.
  const path = at(join("data", `written.json.${process.pid}`, "x".repeat(255)))
  expect(failureFor(path)).toStartWith(`cannot write ${path}: `)
})

describe("write file", () => {
  let box = ""
  const at = (name: string) => join(box, name)
  const bytes = (text: string) => new TextEncoder().encode(text)
  beforeEach(() => {
    box = mkdtempSync(join(tmpdir(), "aman-write-"))
  })
  afterEach(() => rmSync(box, { recursive: true, force: true }))

  test("leaves a file that changed since it was read, and no temporary file beside it", () => {
    writeFileSync(at("a"), "theirs")
    expect(() => replaceFile(at("a"), bytes("read"), bytes("ours"))).toThrow("changed while setup ran")
    expect(() => replaceFile(at("a"), null, bytes("ours"))).toThrow("changed while setup ran")
    expect(() => replaceFile(at("gone"), bytes("read"), null)).toThrow("changed while setup ran")
    expect(readFileSync(at("a"), "utf8")).toBe("theirs")
    expect(readdirSync(box)).toEqual(["a"])
  })

  test("names the file that the system refuses to write, and leaves no temporary file", () => {
    mkdirSync(at("folder"))
    writeFileSync(at("file"), "")
    expect(() => replaceFile(at("file/below"), null, bytes("x"))).toThrow(
      `cannot write ${at("file/below")}: not a directory`,
    )
    expect(readdirSync(box).sort()).toEqual(["file", "folder"])
  })

  test("keeps several backups made in the same second", () => {
    const kept = ["one", "two", "three"].map((text) =>
      writeBackup(at("backups"), "settings.json", bytes(text)),
    )
    expect(kept.map((path) => readFileSync(path, "utf8"))).toEqual(["one", "two", "three"])
  })

  test("removes folders only while they are empty", () => {
    mkdirSync(at("a/b/c"), { recursive: true })
    writeFileSync(at("a/mine"), "")
    removeEmptyFolders([at("a"), at("a/b"), at("a/b/c")])
    expect(readdirSync(box, { recursive: true }).sort()).toEqual(["a", "a/mine"])
  })
})
