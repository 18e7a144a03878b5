import { createHash } from "node:crypto"
import { closeSync, constants as fs, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { type BlobSource, getBlob, REVISION, type RevisionManifest } from "../../src/ask/index.ts"
import { compareTexts, PLAIN_FILE_FLAGS, sha256 } from "../../src/base/index.ts"
import { contentHash } from "../../src/text/index.ts"

export type IndexedTree = {
  readonly root: string
  /**
   * Folder of the project's index. The index is complete, its write-ahead log is empty, and no process writes to it.
   */
  readonly indexDir: string
  readonly files: readonly IndexedFile[]
}

/** The indexed files: `path` is relative to the root, `hash` is the hash of the content that the index has. */
export type IndexedFile = { readonly path: string; readonly hash: string; readonly size: number }

/** A published revision, and where its blobs are. Its blobs are based on no other ones. */
export type BaseRevision = { readonly manifest: RevisionManifest; readonly store: BlobSource }

/**
 * Cuts an index and the files that it covers into blobs. `keep` receives each blob once, in any order. Equal content
 * gives equal blobs, so that unchanged blocks are shared with the previous revision. With a base, what differs is
 * compressed with the blob of the base at the same place as its dictionary.
 */
export async function cutRevision(
  tree: IndexedTree,
  keep: (hash: string, bytes: Uint8Array) => Promise<void>,
  base: BaseRevision | null = null,
): Promise<RevisionManifest> {
  const bases: Record<string, string[]> = {}
  const store = async (content: Uint8Array, like: readonly string[] = []) => {
    const bytes = Bun.zstdCompressSync(content)
    const hash = sha256(bytes)
    if (like.length === 0 || like.includes(hash)) {
      await keep(hash, bytes)
      return hash
    }
    const kept = await Promise.all(like.map((each) => getBlob(base!.store, each)))
    const contents = kept.map((each) => zstdDecompressSync(each))
    const smaller = zstdCompressSync(content, { dictionary: REVISION.dictionary(contents), params: WINDOW })
    if (smaller.length > bytes.length * MAX_SHARE) {
      await keep(hash, bytes)
      return hash
    }
    const name = sha256(smaller)
    bases[name] = [...like]
    for (const [i, each] of like.entries()) await keep(each, kept[i]!)
    await keep(name, smaller)
    return name
  }
  const index = []
  const { indexDir } = tree
  for (const name of readdirSync(indexDir)
    .filter((each) => REVISION.indexName.test(each))
    .sort()) {
    const path = join(indexDir, name)
    const blocks = []
    for (const block of blocksOf(path)) blocks.push(await store(block, likeBlocks(base, name, blocks.length)))
    index.push({ name, size: statSync(path).size, blocks })
  }
  const sources = []
  for (const pack of packsOf(tree)) sources.push(await store(pack, likePack(base, sources.length)))
  return { format: 2, index, sources, bases }
}

/** A blob is based on others only if that makes it smaller than this share, because it keeps those alive. */
const MAX_SHARE = 0.8
/** Bytes that zstd looks back, as a power of two: all of a dictionary and its block. */
const WINDOW = { [constants.ZSTD_c_windowLog]: 22 }
/** Max number of blobs with vectors that an index.db is based on: those of edited files, which it has, resemble them. */
const MAX_VECTOR_BLOBS = 4

/** The blobs of a base that a block of an index file may resemble: that at the same place in the file of the same kind. */
function likeBlocks(base: BaseRevision | null, name: string, block: number): string[] {
  const files = base?.manifest.index ?? []
  const blocks = files.find((file) => kindOf(file.name) === kindOf(name))?.blocks ?? []
  const same = blocks.slice(block, block + 1)
  if (kindOf(name) !== "index") return same
  const vectors = files.filter((file) => kindOf(file.name) === "vectors").flatMap((file) => file.blocks)
  return vectors.length > MAX_VECTOR_BLOBS ? same : [...vectors, ...same]
}

function kindOf(name: string): string {
  return /^[a-z]+/.exec(name)![0]
}

/** The pack of a base that has most of the files of a pack. */
function likePack(base: BaseRevision | null, pack: number): string[] {
  const packs = base?.manifest.sources ?? []
  return packs.length === 0 ? [] : [packs[pack % packs.length]!]
}

/** Maximum of the mean size of a pack in bytes; the number of packs is a power of two. */
const PACK_BYTES = 512 * 1024

function* blocksOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r")
  try {
    for (;;) {
      const block = Buffer.alloc(REVISION.blockBytes)
      const length = readSync(file, block)
      if (length === 0) return
      yield block.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

/** The files in packs, assigned by a hash of their paths, so that an edit changes one pack; see REVISION. */
function* packsOf(tree: IndexedTree): Generator<Uint8Array> {
  const total = tree.files.reduce((sum, { size }) => sum + size, 0)
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, total / PACK_BYTES)))
  const files = tree.files.toSorted((a, b) => compareTexts(a.path, b.path))
  const packs = Map.groupBy(files, ({ path }) => packOf(path, count))
  for (const number of [...packs.keys()].sort((a, b) => a - b)) {
    yield Buffer.concat(packs.get(number)!.flatMap((file) => packFile(tree, file)))
  }
}

function packOf(path: string, count: number): number {
  return createHash("sha256").update(path).digest().readUInt32LE(0) % count
}

/** The packed form of a file; empty for a file that has changed since it was indexed. */
function packFile({ root }: IndexedTree, { path, hash }: IndexedFile): Uint8Array[] {
  const content = bytesOf(join(root, path))
  if (content === null || contentHash(content) !== hash) return []
  const name = Buffer.from(path)
  const head = Buffer.alloc(REVISION.headBytes)
  head.writeUInt32LE(name.length, 0)
  head.writeUInt32LE(content.length, 4)
  return [head, name, content]
}

/** The bytes of a plain file; null if it cannot be read. Whether it may be read was checked when it was indexed. */
function bytesOf(path: string): Uint8Array | null {
  try {
    return readFileSync(path, { flag: fs.O_RDONLY | PLAIN_FILE_FLAGS })
  } catch {
    return null
  }
}
