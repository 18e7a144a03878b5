import { afterAll, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type IndexEntry, Registry } from "./registry.ts"

const box = mkdtempSync(join(tmpdir(), "aman-registry-"))
afterAll(() => rmSync(box, { recursive: true }))

const entry = (name: string, id = 7): IndexEntry => {
  return { id, root: `/work/${name}`, dir: `/work/${name}/.aman`, created: "2026-01-02T03:04:05.000Z" }
}

test("finds an added entry by folder, lists it by root, and forgets it when removed", () => {
  const folder = join(box, "one/deeper")
  const registry = new Registry([folder])
  expect(registry.find("/work/a/.aman")).toBeNull()
  expect(registry.all()).toEqual([])
  for (const name of ["b", "a"]) expect(registry.add(entry(name))).toBe(true)
  expect(registry.add(entry("a", 8))).toBe(true)
  expect(new Registry([folder]).find("/work/a/.aman")).toEqual(entry("a", 8))
  expect(registry.all()).toEqual([entry("a", 8), entry("b")])
  registry.remove("/work/a/.aman")
  registry.remove("/work/never/.aman")
  expect(registry.all()).toEqual([entry("b")])
  expect(readdirSync(folder)).toHaveLength(1)
})

test("ignores a damaged entry", () => {
  const folder = join(box, "damaged")
  const registry = new Registry([folder])
  registry.add(entry("a"))
  const [name] = readdirSync(folder)
  for (const text of ["", "{", "[]", "null", '{"id":"7"}', JSON.stringify({ ...entry("a"), dir: "/else" })]) {
    writeFileSync(join(folder, name!), text)
    expect(registry.find("/work/a/.aman")).toBeNull()
  }
})

test("writes to the next folder if the first is not writable, and reads both", () => {
  const blocked = join(box, "blocked")
  writeFileSync(blocked, "")
  const [first, second] = [join(blocked, "projects"), join(box, "second")]
  expect(new Registry([first, second]).add(entry("a"))).toBe(true)
  expect(new Registry([first, second]).find("/work/a/.aman")).toEqual(entry("a"))
  expect(new Registry([first]).add(entry("a"))).toBe(false)
  expect(new Registry([first]).isWritable).toBe(false)
  expect(new Registry([]).all()).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)("another user's folder vouches for nothing", async () => {
  const { chownSync } = await import("node:fs")
  const folder = join(box, "shared")
  new Registry([folder]).add(entry("a"))
  chownSync(folder, 12345, 12345)
  chmodSync(folder, 0o777)
  expect(new Registry([folder]).find("/work/a/.aman")).toBeNull()
  expect(new Registry([folder]).add(entry("b"))).toBe(false)
})
