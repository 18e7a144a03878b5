import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomFrom } from "../../../test/random.ts"
import { hashFile, mapDerived, publishDerived, sweepDerived, verifyDerived } from "./derived-files.ts"

const NAME = "keyword-1.seg"
// More than one block of the hash.
const BYTES = new Uint8Array((4 << 20) + 12_345).map((_, i) => (i * 2654435761) >>> 13)
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-derived-"))
  path = join(folder, NAME)
})

afterEach(() => rmSync(folder, { recursive: true }))

const publish = () => publishDerived(folder, NAME, (temporary) => writeFileSync(temporary, BYTES))

test("publishes a complete file, without leftovers, that maps to the written bytes", async () => {
  const file = await publish()
  expect(file.size).toBe(BYTES.length)
  expect(readdirSync(folder)).toEqual([NAME])
  expect(Buffer.compare(mapDerived(folder, file)!, BYTES)).toBe(0)
})

test("detects a flipped byte at any position", async () => {
  const file = await publish()
  for (const at of [0, 4 << 20, BYTES.length - 1]) {
    const flipped = BYTES.slice()
    flipped[at]! ^= 1
    writeFileSync(path, flipped)
    expect(mapDerived(folder, file)).toBeNull()
  }
})

test("detects each of 1,000 flipped bits although size and modification time are restored", async () => {
  const bytes = BYTES.slice(0, 100_000)
  const random = randomFrom(1)
  const file = await publishDerived(folder, NAME, (temporary) => writeFileSync(temporary, bytes))
  utimesSync(path, 1, 1)
  const known = { ...file, ...verifyDerived(folder, file)! }
  const handle = openSync(path, "r+")
  const flip = (at: number, bit: number) => {
    bytes[at]! ^= 1 << bit
    writeSync(handle, bytes, at, 1, at)
    utimesSync(path, 1, 1)
  }
  for (let trial = 0; trial < 1000; trial++) {
    const at = Math.floor(random() * bytes.length)
    const bit = Math.floor(random() * 8)
    flip(at, bit)
    if (mapDerived(folder, known) !== null) throw new Error(`bit ${bit} of byte ${at} was let through`)
    flip(at, bit)
  }
  closeSync(handle)
  expect(mapDerived(folder, known)).not.toBeNull()
})

test("detects a truncated, emptied, lengthened or missing file", async () => {
  const file = await publish()
  for (const size of [BYTES.length - 1, 0, BYTES.length + 1]) {
    truncateSync(path, size)
    expect(verifyDerived(folder, file)).toBeNull()
  }
  rmSync(path)
  expect(verifyDerived(folder, file)).toBeNull()
})

test("verifies a copy with another inode and time once, then knows its new stamp", async () => {
  const file = await publish()
  cpSync(path, `${path}.copy`)
  rmSync(path)
  cpSync(`${path}.copy`, path)
  utimesSync(path, 1, 1)
  const stamp = verifyDerived(folder, file)!
  expect(stamp.times).toStartWith("1000000000 ")
  expect(stamp).not.toEqual({ inode: file.inode, times: file.times })
  expect(mapDerived(folder, { ...file, ...stamp })).not.toBeNull()
})

test("does not read the bytes again if the stamp is that of the last verification", async () => {
  const file = await publish()
  expect(verifyDerived(folder, { ...file, hash: "0000000000000000" })).not.toBeNull()
  expect(verifyDerived(folder, { ...file, hash: "0000000000000000", times: "1" })).toBeNull()
})

test("leaves nothing behind when writing fails", async () => {
  const failing = publishDerived(folder, NAME, (temporary) => {
    writeFileSync(temporary, "half")
    throw new Error("disk full")
  })
  expect(failing).rejects.toThrow("disk full")
  await failing.catch(() => {})
  expect(readdirSync(folder)).toEqual([])
})

test("sweeps what a crash left before the rename or the row, and no other files", async () => {
  const file = await publish()
  for (const name of [
    "keyword-2.seg",
    "keyword-3.seg.tmp",
    "vectors-1-2.vec.tmp",
    "vectors-1-2.vec.tmp.side.tmp",
  ])
    writeFileSync(join(folder, name), "left")
  for (const name of ["index.db", "keywords.txt", ".gitignore"]) writeFileSync(join(folder, name), "other")
  expect(sweepDerived(folder, [file])).toBe(4)
  expect(readdirSync(folder).sort()).toEqual([".gitignore", "index.db", NAME, "keywords.txt"])
})

test("a mapped file stays readable after it was removed", async () => {
  const mapped = mapDerived(folder, await publish())!
  sweepDerived(folder, [])
  expect(existsSync(path)).toBe(false)
  expect(mapped[BYTES.length - 1]).toBe(BYTES[BYTES.length - 1]!)
})

test("hashes the content independently of the sizes of single reads", async () => {
  await publish()
  const { hash, size } = hashFile(path)
  expect(size).toBe(statSync(path).size)
  const blocks = [0, 4 << 20].map((at) => Bun.hash.xxHash3(readFileSync(path).subarray(at, at + (4 << 20))))
  expect(hash).toBe(Bun.hash.xxHash3(BigUint64Array.from(blocks)).toString(16).padStart(16, "0"))
})
