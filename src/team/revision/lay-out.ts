import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { AmanError } from "../../base/errors.ts"
import { writeAll } from "../../base/files/files.ts"
import { type BlobSource, getBlob } from "../get-blob.ts"
import { BLOCK_BYTES, HEAD_BYTES } from "./cut.ts"
import { INDEX_NAME, type RevisionManifest } from "./manifest.ts"

/** Number of blobs fetched at once. */
const AT_ONCE = 8
/** Max bytes of an unpacked pack. Most have half a megabyte; one has the largest file that settings allow (256 MiB). */
const MAX_PACK_BYTES = 260 << 20

/** Writes a revision's index and files into two new folders. Every blob is checked against its hash first. */
export async function layOut(
  store: BlobSource,
  { index, sources }: RevisionManifest,
  place: { readonly root: string; readonly indexDir: string },
): Promise<void> {
  for (const folder of [place.root, place.indexDir]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of index) await layOutFile(store, file, join(place.indexDir, file.name))
  for await (const pack of contents(store, sources, MAX_PACK_BYTES)) unpack(pack, place.root)
}

/** Writes one file of an index to a new file at `path`. Every blob is checked against its hash first. */
export async function layOutFile(
  store: BlobSource,
  { name, size, blocks }: RevisionManifest["index"][number],
  path: string,
): Promise<void> {
  if (!INDEX_NAME.test(name)) throw malformed()
  const file = openSync(path, "wx", 0o600)
  let written = 0
  try {
    for await (const block of contents(store, blocks, BLOCK_BYTES)) {
      writeAll(file, block)
      written += block.length
    }
  } finally {
    closeSync(file)
  }
  if (written !== size) throw malformed()
}

/** The blobs' contents, in order; several are fetched at once. */
async function* contents(
  store: BlobSource,
  hashes: readonly string[],
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < hashes.length; at += AT_ONCE) {
    const part = await Promise.all(hashes.slice(at, at + AT_ONCE).map((hash) => getBlob(store, hash)))
    for (const bytes of part) {
      yield zstdDecompressSync(bytes, { maxOutputLength: maxBytes })
    }
  }
}

function unpack(pack: Uint8Array, root: string): void {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
  for (let at = 0; at < bytes.length; ) {
    if (at + HEAD_BYTES > bytes.length) throw malformed()
    const start = at + HEAD_BYTES + bytes.readUInt32LE(at)
    const end = start + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) throw malformed()
    const path = bytes.toString("utf8", at + HEAD_BYTES, start)
    if (!isPlainPath(path)) throw malformed()
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, bytes.subarray(start, end), { flag: "wx", mode: 0o600 })
    at = end
  }
}

/** True for a relative path that stays inside the folder and enters neither `.git` nor `.aman`. */
function isPlainPath(path: string): boolean {
  const parts = path.split("/")
  return (
    !/[\\\0]/.test(path) &&
    parts.every((part) => !/^(?:|\.{1,2}|\.git|\.aman)$/i.test(part)) &&
    !/^[a-z]:/i.test(path)
  )
}

function malformed(): AmanError {
  return new AmanError("TEAM", "a revision of the team is malformed", {
    hint: "ask for the repository to be indexed again: aman team sync NAME",
  })
}
