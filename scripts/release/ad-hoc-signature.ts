import { createHash } from "node:crypto"
import { CODE_DIRECTORY, DIRECTORY, SHA256, SUPER_BLOB } from "./code-signature.ts"
import { type MachO, readMachO, SEGMENT, SIGNATURE } from "./macho.ts"

const PAGE_SHIFT = 12
const PAGE_BYTES = 2 ** PAGE_SHIFT
const HASH_BYTES = 32
/**
 * Version of the code directory that contains the executable segment, which arm64 requires; codesign and ld
 * write the same one.
 */
const VERSION = 0x20400
const DIRECTORY_BYTES = 88
/** CS_ADHOC: signed without a certificate, so that only the hashes count. */
const AD_HOC = 0x2
const MAIN_BINARY = 1
const SUPER_BLOB_BYTES = 20
const PLACE_BYTES = 16

/**
 * The file with a new ad hoc signature in place of the existing one, as `codesign --force --sign - --identifier
 * …` writes it: one code directory with the SHA-256 of every page. Throws if the file has no place for a
 * signature.
 */
export function signAdHoc(file: Buffer, identifier: string): Buffer {
  const macho = readMachO(file)
  if (macho.signature === null)
    throw new Error("the file was never signed, so there is no place for a signature")
  const at = macho.signature.at
  if (at % PLACE_BYTES !== 0 || at > file.length) throw new Error("the signature's place cannot be right")
  const name = Buffer.from(`${identifier}\0`, "latin1")
  const pages = Math.ceil(at / PAGE_BYTES)
  const bytes = SUPER_BLOB_BYTES + DIRECTORY_BYTES + name.length + pages * HASH_BYTES
  const size = roundUp(bytes, PLACE_BYTES)
  const signed = Buffer.alloc(at + size)
  file.copy(signed, 0, 0, at)
  // Place and size of the signature are written first, because they are in the header, which is hashed as part
  // of the first page.
  placeSignature(signed, macho, size)
  writeSuperBlob(signed.subarray(at), bytes)
  writeDirectory(signed.subarray(at + SUPER_BLOB_BYTES), { macho, name, pages, code: signed.subarray(0, at) })
  return signed
}

function placeSignature(file: Buffer, { signature, linkedit, isArm }: MachO, size: number): void {
  const { commandAt, at } = signature!
  file.writeUInt32LE(size, commandAt + SIGNATURE.size)
  const fileSize = at + size - linkedit.fileAt
  const vmSize = roundUp(fileSize, isArm ? 0x4000 : 0x1000)
  file.writeBigUInt64LE(BigInt(fileSize), linkedit.commandAt + SEGMENT.fileSize)
  file.writeBigUInt64LE(BigInt(vmSize), linkedit.commandAt + SEGMENT.vmSize)
}

function writeSuperBlob(blob: Buffer, length: number): void {
  blob.writeUInt32BE(SUPER_BLOB, 0)
  blob.writeUInt32BE(length, 4)
  blob.writeUInt32BE(1, 8)
  // Slot 0: the code directory, and its offset.
  blob.writeUInt32BE(0, 12)
  blob.writeUInt32BE(SUPER_BLOB_BYTES, 16)
}

type Signed = {
  readonly macho: MachO
  readonly name: Buffer
  readonly pages: number
  readonly code: Buffer
}

function writeDirectory(directory: Buffer, { macho, name, pages, code }: Signed): void {
  const hashesAt = DIRECTORY_BYTES + name.length
  directory.writeUInt32BE(CODE_DIRECTORY, 0)
  directory.writeUInt32BE(hashesAt + pages * HASH_BYTES, DIRECTORY.length)
  directory.writeUInt32BE(VERSION, DIRECTORY.version)
  directory.writeUInt32BE(AD_HOC, DIRECTORY.flags)
  directory.writeUInt32BE(hashesAt, DIRECTORY.hashes)
  directory.writeUInt32BE(DIRECTORY_BYTES, DIRECTORY.identifier)
  directory.writeUInt32BE(pages, DIRECTORY.codeSlots)
  directory.writeUInt32BE(code.length, DIRECTORY.codeLimit)
  directory[DIRECTORY.hashSize] = HASH_BYTES
  directory[DIRECTORY.hashType] = SHA256
  directory[DIRECTORY.pageShift] = PAGE_SHIFT
  directory.writeBigUInt64BE(BigInt(macho.text.fileAt), DIRECTORY.execSegmentBase)
  directory.writeBigUInt64BE(BigInt(macho.text.fileSize), DIRECTORY.execSegmentLimit)
  directory.writeBigUInt64BE(BigInt(MAIN_BINARY), DIRECTORY.execSegmentFlags)
  name.copy(directory, DIRECTORY_BYTES)
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    createHash("sha256")
      .update(bytes)
      .digest()
      .copy(directory, hashesAt + page * HASH_BYTES)
  }
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit
}
