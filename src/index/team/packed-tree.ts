import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { LRUCache } from "lru-cache"
import { firstNot } from "../../base/index.ts"
import { packedTrees } from "../../text/index.ts"

/*
 * The files of a revision on the disk of a team's node. Their contents are in one file beside the folder of the tree,
 * little-endian; in the folder itself, all files are empty but those that rules are read from (`.gitattributes`).
 *
 *   contents   zstd, each of one file
 *   hashes     u64 × count    xxHash3-64 of the paths, ascending
 *   starts     f64 × count    position of the content
 *   sizes      u32 × count    its bytes
 *   footer     f64 × 2        position of the hashes, count
 */
const ENTRY_BYTES = 20
const FOOTER_BYTES = 16
/** Max bytes of the directories that are kept, of all trees together. */
const DIRECTORY_BYTES = 64 << 20

/** Packed trees, by the folder of their tree. packages/team/node writes them. */
export const packedTree = {
  packOf: (root: string): string => `${root}.pack`,
  hashOf: (path: string): bigint => Bun.hash.xxHash3(path),
  /** Lets this thread read the files of a tree, if it is packed. */
  use(root: string): void {
    packedTrees.set(root, (path) => packedFile(root, path))
  },
}

/** Where the contents of a tree are in its pack. */
type Directory = {
  readonly hashes: BigUint64Array
  readonly starts: Float64Array
  readonly sizes: Uint32Array
}

const directories = new LRUCache<string, Directory>({
  maxSize: DIRECTORY_BYTES,
  sizeCalculation: ({ hashes }) => 1 + hashes.length * ENTRY_BYTES,
})

/** The content of a file; null if it is not packed. Throws if the pack is damaged. */
function packedFile(root: string, path: string): Uint8Array | null {
  const pack = packedTree.packOf(root)
  let file: number
  try {
    file = openSync(pack, "r")
  } catch {
    return null
  }
  try {
    const { hashes, starts, sizes } = directories.get(pack) ?? readDirectory(file)
    if (!directories.has(pack)) directories.set(pack, { hashes, starts, sizes })
    const hash = packedTree.hashOf(path)
    const at = firstNot(0, hashes.length, (each) => hashes[each]! < hash)
    return hashes[at] === hash ? Bun.zstdDecompressSync(bytesAt(file, starts[at]!, sizes[at]!)) : null
  } finally {
    closeSync(file)
  }
}

function readDirectory(file: number): Directory {
  const end = fstatSync(file).size - FOOTER_BYTES
  const footer = new Float64Array(bytesAt(file, end, FOOTER_BYTES).buffer)
  const [start, count] = footer as unknown as [number, number]
  const { buffer } = bytesAt(file, start, count * ENTRY_BYTES)
  return {
    hashes: new BigUint64Array(buffer, 0, count),
    starts: new Float64Array(buffer, count * 8, count),
    sizes: new Uint32Array(buffer, count * 16, count),
  }
}

function bytesAt(file: number, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  if (readSync(file, bytes, 0, length, at) < length) throw new Error("a packed tree is cut")
  return bytes
}
