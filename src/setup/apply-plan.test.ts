import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { applyPlan } from "./apply-plan.ts"
import type { FilePlan } from "./file-plan.ts"
import { readTarget } from "./target-file.ts"

const NO_COPY = "no copy is kept, and so nothing changed"
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

test("where no copy can be kept, that is said, and the file is as it was", () => {
  writeFileSync(at("settings"), "theirs")
  mkdirSync(at("data"))
  writeFileSync(at("data/backups"), "")
  expect(failureFor(at("settings"))).toStartWith(`${NO_COPY}: cannot write ${at("data")}: `)
  expect(readFileSync(at("settings"), "utf8")).toBe("theirs")
})

test("where a copy is kept and no record can be, no copy is said to be missing", () => {
  writeFileSync(at("settings"), "theirs")
  mkdirSync(at("data/written.json"), { recursive: true })
  expect(failureFor(at("settings"))).toStartWith(`cannot write ${at("data")}: `)
  expect(readdirSync(at("data/backups"))).toHaveLength(1)
  expect(readFileSync(at("settings"), "utf8")).toBe("theirs")
})

test("a record that cannot be taken back does not hide why the file could not be written", () => {
  // The folder that is made for the file stands where a new record is written first; the name is too long for any.
  const path = at(join("data", `written.json.${process.pid}`, "x".repeat(255)))
  expect(failureFor(path)).toStartWith(`cannot write ${path}: `)
})
