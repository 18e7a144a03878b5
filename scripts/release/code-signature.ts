import { createHash } from "node:crypto"
import { type MachO, readMachO } from "./macho.ts"

// From <kern/cs_blobs.h>; all numbers of a signature are big-endian.
export const SUPER_BLOB = 0xfade0cc0
export const CODE_DIRECTORY = 0xfade0c02
export const SHA256 = 2
/** Offsets inside a code directory. */
export const DIRECTORY = {
  length: 4,
  version: 8,
  flags: 12,
  hashes: 16,
  identifier: 20,
  specialSlots: 24,
  codeSlots: 28,
  codeLimit: 32,
  hashSize: 36,
  hashType: 37,
  pageShift: 39,
  execSegmentBase: 64,
  execSegmentLimit: 72,
  execSegmentFlags: 80,
} as const

const HASHES: Readonly<Record<number, string>> = { 1: "sha1", 2: "sha256", 3: "sha256", 4: "sha384" }
/**
 * The largest slot number of a blob whose hash is in the code directory; these blobs are parts of the signature
 * itself.
 */
const LAST_SPECIAL_SLOT = 0x0fff

type Blob = { readonly slot: number; readonly at: number; readonly bytes: Buffer }

/** Reasons, as text, why macOS would reject the file's signature; empty if every hash is right. */
export function signatureProblems(file: Buffer): string[] {
  try {
    return problemsOf(file, readMachO(file))
  } catch (error) {
    // The file is cut off, or an offset points outside of it.
    return [error instanceof Error ? error.message : String(error)]
  }
}

function problemsOf(file: Buffer, { signature, linkedit }: MachO): string[] {
  if (signature === null) return ["not signed"]
  const problems: string[] = []
  const end = signature.at + signature.size
  if (end !== file.length) problems.push(`the signature ends at ${end}, the file at ${file.length}`)
  if (linkedit.fileAt + linkedit.fileSize !== end) problems.push("__LINKEDIT does not end with the signature")
  const blobs = blobsOf(file.subarray(signature.at, end))
  const directories = blobs.filter(({ bytes }) => bytes.readUInt32BE(0) === CODE_DIRECTORY)
  if (directories.length === 0) problems.push("the signature has no code directory")
  for (const { bytes } of directories) {
    problems.push(...pageProblems(bytes, file, signature.at), ...specialProblems(bytes, blobs))
  }
  return problems
}

function blobsOf(signature: Buffer): Blob[] {
  if (signature.readUInt32BE(0) !== SUPER_BLOB) throw new Error("the signature has no beginning")
  return Array.from({ length: signature.readUInt32BE(8) }, (_, index): Blob => {
    const slot = signature.readUInt32BE(12 + 8 * index)
    const at = signature.readUInt32BE(16 + 8 * index)
    const length = signature.readUInt32BE(at + 4)
    if (at + length > signature.length) throw new Error(`blob ${slot} of the signature leads out of it`)
    return { slot, at, bytes: signature.subarray(at, at + length) }
  })
}

function pageProblems(directory: Buffer, file: Buffer, signatureAt: number): string[] {
  const codeLimit = directory.readUInt32BE(DIRECTORY.codeLimit)
  const slots = directory.readUInt32BE(DIRECTORY.codeSlots)
  const pageBytes = 2 ** directory[DIRECTORY.pageShift]!
  const problems: string[] = []
  if (codeLimit !== signatureAt)
    problems.push(`signed are ${codeLimit} bytes of the ${signatureAt} before the signature`)
  const expected = Math.ceil(codeLimit / pageBytes)
  if (slots !== expected) problems.push(`${slots} hashes for ${expected} pages`)
  const wrong = Array.from({ length: slots }, (_, page) => page).filter((page) => {
    const code = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, codeLimit))
    return !hashOf(directory, code).equals(storedHash(directory, page))
  })
  if (wrong.length > 0)
    problems.push(`${wrong.length} of ${slots} pages have another hash, first ${wrong[0]}`)
  return problems
}

/** Wrong hashes of entitlements, requirements and the like. */
function specialProblems(directory: Buffer, blobs: readonly Blob[]): string[] {
  const count = directory.readUInt32BE(DIRECTORY.specialSlots)
  return blobs
    .filter(({ slot }) => slot > 0 && slot <= LAST_SPECIAL_SLOT)
    .filter(
      ({ slot, bytes }) => slot > count || !hashOf(directory, bytes).equals(storedHash(directory, -slot)),
    )
    .map(({ slot }) => `blob ${slot} of the signature has another hash`)
}

function hashOf(directory: Buffer, bytes: Buffer): Buffer {
  const name = HASHES[directory[DIRECTORY.hashType]!]
  if (name === undefined) throw new Error("a code directory has an unknown kind of hash")
  return createHash(name).update(bytes).digest().subarray(0, directory[DIRECTORY.hashSize]!)
}

/**
 * Hash in a slot of a code directory. Special slots are before that of the first page and have negative
 * numbers.
 */
function storedHash(directory: Buffer, slot: number): Buffer {
  const size = directory[DIRECTORY.hashSize]!
  const at = directory.readUInt32BE(DIRECTORY.hashes) + slot * size
  if (at < 0 || at + size > directory.length) throw new Error("a hash leads out of its code directory")
  return directory.subarray(at, at + size)
}
