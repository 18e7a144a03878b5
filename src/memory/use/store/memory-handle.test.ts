import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError } from "../../../base/errors.ts"
import { Knowledge } from "../../knowledge.ts"
import { Memory } from "../memory.ts"
import { MemoryHandle, type OpenMemory } from "./memory-handle.ts"

let folder: string
let path: string
/** Error with which opening the memory for writing fails; null: it can be written. */
let forbidden: AmanError | null
let now: number
let attempts: number
let handle: MemoryHandle

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-memory-handle-"))
  path = join(folder, "knowledge.db")
  new Knowledge({ path, now: Date.now }).close()
  now = 0
  attempts = 0
  handle = new MemoryHandle(open, () => now)
})

afterEach(async () => {
  await handle[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const open: OpenMemory = async ({ mustWrite }) => {
  attempts++
  if (forbidden === null) return new Memory(new Knowledge({ path, now: Date.now }), null)
  if (mustWrite) throw forbidden
  return new Memory(new Knowledge({ path, now: Date.now, readonly: true, unwritable: forbidden }), null)
}

const because = (code: string) => new AmanError("IO", "cannot write", { cause: { code } })
const current = () => handle.use(async (memory) => memory)
const isOpen = (memory: Memory) => memory.knowledge.lastSeq() === 0

test("a memory that cannot be written stays open, and writing is tried again every five seconds", async () => {
  forbidden = because("EROFS")
  const first = await current()
  for (const [at, tried] of [
    [4999, 1],
    [5000, 2],
    [9999, 2],
    [10_000, 3],
  ] as const) {
    now = at
    expect(await current()).toBe(first)
    expect(attempts).toBe(tried)
  }
  expect(isOpen(first)).toBe(true)
})

test("keeps the read-only memory when reopening fails for another reason", async () => {
  forbidden = because("SQLITE_FULL")
  const first = await current()
  forbidden = new AmanError("KNOWLEDGE_BUSY", "another process is writing")
  now = 5000
  expect(await current()).toBe(first)
  expect(isOpen(first)).toBe(true)
  forbidden = null
  now = 10_000
  expect((await current()).knowledge.readonly).toBe(false)
})

test("keeps a replaced memory open until the call that uses it has ended", async () => {
  forbidden = because("SQLITE_FULL")
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: isGiven, resolve: given } = Promise.withResolvers<Memory>()
  const long = handle.use(async (memory) => {
    given(memory)
    await isAnswered
    return isOpen(memory)
  })
  const old = await isGiven
  forbidden = null
  now = 5000
  expect((await current()).knowledge.readonly).toBe(false)
  now = 20_000
  expect(await current()).not.toBe(old)
  answer()
  expect(await long).toBe(true)
  expect(() => isOpen(old)).toThrow()
})
