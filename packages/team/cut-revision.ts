import { createHash } from "node:crypto"
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { REVISION, type RevisionManifest } from "../../src/ask/index.ts"
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

/**
 * Cuts an index and the files that it covers into blobs. `keep` receives each blob once, in any order. Equal content
 * gives equal blobs, so that unchanged blocks are shared with the previous revision.
 */
export async function cutRevision(
  tree: IndexedTree,
  keep: (hash: string, bytes: Uint8Array) => Promise<void>,
): Promise<RevisionManifest> {
  const store = async (content: Uint8Array) => {
    const bytes = Bun.zstdCompressSync(content)
    const hash = sha256(bytes)
    await keep(hash, bytes)
    return hash
  }
  const index = []
  const { indexDir } = tree
  for (const name of readdirSync(indexDir)
    .filter((each) => REVISION.indexName.test(each))
    .sort()) {
    const path = join(indexDir, name)
    const blocks = []
    for (const block of blocksOf(path)) blocks.push(await store(block))
    index.push({ name, size: statSync(path).size, blocks })
  }
  const sources = []
  for (const pack of packsOf(tree)) sources.push(await store(pack))
  return { format: 1, index, sources }
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
    return readFileSync(path, { flag: constants.O_RDONLY | PLAIN_FILE_FLAGS })
  } catch {
    return null
  }
}
