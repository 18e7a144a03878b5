/*
 * A published revision of a repository: the offer with its signature, the manifest that lists its files as blobs, and laying
 * them out (`layOut`). packages/team/cut-revision.ts makes them.
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { z } from "zod"
import { AmanError, sha256, writeAll } from "../../base/index.ts"
import type { RevisionOffer } from "../../index/index.ts"

/** The facts about a revision by which a client decides whether to take its index. */
export type RevisionFacts = Omit<RevisionOffer, "signature">

/** Signs the facts. `privateKey`: PKCS #8, DER. */
export function signOffer(facts: RevisionFacts, privateKey: Uint8Array): RevisionOffer {
  const signature = sign(null, signedText(facts), privateKeyOf(privateKey))
  return { ...facts, signature: signature.toString("base64url") }
}

/** True if the server with this key (see `publicKeyOf`) has signed these facts. */
export function isSigned({ signature, ...facts }: RevisionOffer, publicKey: string): boolean {
  try {
    const der = Buffer.from(publicKey, "base64url")
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    return verify(null, signedText(facts), key, Buffer.from(signature, "base64url"))
  } catch {
    return false
  }
}

/** The public key that belongs to a private one: SPKI, DER, base64url. */
export function publicKeyOf(privateKey: Uint8Array): string {
  const key = createPublicKey(privateKeyOf(privateKey))
  return key.export({ format: "der", type: "spki" }).toString("base64url")
}

function privateKeyOf(bytes: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" })
}

/**
 * The text to sign. It begins with its purpose, so that the signature cannot be used for another kind of text signed
 * by the same key.
 */
function signedText({ repository, commit, manifest, index_version, shape }: RevisionFacts): Buffer {
  return Buffer.from(JSON.stringify(["aman revision 1", repository, commit, manifest, index_version, shape]))
}

/** The parts of a revision; blobs are named by their hashes. */
export type RevisionManifest = z.infer<typeof SHAPE>

const HASH = z.string().regex(/^[0-9a-f]{64}$/)
const SHAPE = z.strictObject({
  format: z.literal(2),
  /** Files of the index folder, each cut into blocks. */
  index: z.array(z.strictObject({ name: z.string(), size: z.int().min(0), blocks: z.array(HASH) })),
  /** Packs of the indexed files themselves. */
  sources: z.array(HASH),
  /** For each blob that is compressed with the contents of other ones as its dictionary: those blobs, in order. */
  bases: z.record(HASH, z.array(HASH)),
})

/** Throws TEAM for anything that is not a manifest of this format. */
export function parseManifest(bytes: Uint8Array): RevisionManifest {
  try {
    return SHAPE.parse(JSON.parse(Buffer.from(bytes).toString("utf8")))
  } catch (cause) {
    throw new AmanError("TEAM", "the list of a revision's segments cannot be read", {
      hint: "a newer aman may have written it: update aman",
      cause,
    })
  }
}

export function blobsIn({ index, sources, bases }: RevisionManifest): string[] {
  return [...new Set([...index.flatMap(({ blocks }) => blocks), ...sources, ...Object.values(bases).flat()])]
}

/** How a revision is cut. */
export const REVISION = {
  /** Pattern for the names that files of an index may have. */
  indexName: /^(?:index\.db|(?:keyword|vectors)-[\w.-]+)$/u,
  /**
   * Size of a block in bytes. It is small, so that an edit changes a small part of an index, and large enough to keep
   * the number of requests low.
   */
  blockBytes: 512 * 1024,
  /** A file in a pack: the length of its path and of its content (32 bits each, little endian), the path and the content. */
  headBytes: 8,
  /** The dictionary of a blob. The byte before it keeps zstd from taking it for a trained one. */
  dictionary: (bases: readonly Uint8Array[]) => Buffer.concat([Buffer.alloc(1), ...bases]),
} as const

/** Where blobs are read, each by the SHA-256 of its bytes (64 hexadecimal digits). */
export type BlobSource = {
  /** The blob's bytes; null if there is none. The caller checks the bytes against the hash. */
  get(hash: string): Promise<Uint8Array | null>
}

/** The blob; throws TEAM if it is missing or its bytes do not have this hash. */
export async function getBlob(store: BlobSource, hash: string): Promise<Uint8Array> {
  const bytes = await store.get(hash)
  if (bytes !== null && sha256(bytes) === hash) return bytes
  throw new AmanError(
    "TEAM",
    `segment ${hash.slice(0, 12)} of the team is ${bytes === null ? "missing" : "damaged"}`,
    { hint: "ask for the repository to be indexed again: aman team sync NAME" },
  )
}

/** Returns a blob's content, which may have at most `maxBytes`. */
export type ContentReader = (hash: string, maxBytes?: number) => Promise<Uint8Array>

export function contentReader(store: BlobSource, { bases }: Pick<RevisionManifest, "bases">): ContentReader {
  return async (hash, maxOutputLength = MAX_PACK_BYTES) => {
    const bytes = await getBlob(store, hash)
    // A blob that others are based on is based on none.
    const contents = await Promise.all(
      (bases[hash] ?? []).map((each) => contentReader(store, { bases: {} })(each)),
    )
    const dictionary = contents.length === 0 ? {} : { dictionary: REVISION.dictionary(contents) }
    return zstdDecompressSync(bytes, { maxOutputLength, ...dictionary })
  }
}

/** Number of blobs fetched at once. */
const AT_ONCE = 8
/** Max bytes of an unpacked pack. Most have half a megabyte; one has the largest file that settings allow (256 MiB). */
const MAX_PACK_BYTES = 260 << 20

/** Writes a revision's index to a new folder and its files to `tree`. Every blob is checked against its hash first. */
export async function layOut(
  store: BlobSource,
  manifest: RevisionManifest,
  indexDir: string,
  tree: { add(path: string, content: Uint8Array): void },
): Promise<void> {
  mkdirSync(indexDir, { recursive: true, mode: 0o700 })
  const read = contentReader(store, manifest)
  for (const file of manifest.index) await layOutFile(read, file, join(indexDir, file.name))
  for await (const pack of contents(read, manifest.sources)) unpack(pack, tree)
}

/** Writes one file of an index to a new file at `path`. Every blob is checked against its hash first. */
export async function layOutFile(
  read: ContentReader,
  { name, size, blocks }: RevisionManifest["index"][number],
  path: string,
): Promise<void> {
  if (!REVISION.indexName.test(name)) throw malformed()
  const file = openSync(path, "wx", 0o600)
  let written = 0
  try {
    for await (const block of contents(read, blocks, REVISION.blockBytes)) {
      writeAll(file, block)
      written += block.length
    }
  } finally {
    closeSync(file)
  }
  if (written !== size) throw malformed()
}

/** The blobs' contents, in order; several are fetched at once. */
async function* contents(read: ContentReader, hashes: readonly string[], maxBytes?: number) {
  for (let at = 0; at < hashes.length; at += AT_ONCE)
    yield* await Promise.all(hashes.slice(at, at + AT_ONCE).map((hash) => read(hash, maxBytes)))
}

function unpack(pack: Uint8Array, tree: Parameters<typeof layOut>[3]): void {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
  for (let at = 0; at < bytes.length; ) {
    if (at + REVISION.headBytes > bytes.length) throw malformed()
    const start = at + REVISION.headBytes + bytes.readUInt32LE(at)
    const end = start + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) throw malformed()
    const path = bytes.toString("utf8", at + REVISION.headBytes, start)
    if (!isPlainPath(path)) throw malformed()
    tree.add(path, bytes.subarray(start, end))
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
