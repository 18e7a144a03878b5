import { closeSync, fstatSync, openSync, readSync, rmSync } from "node:fs"
import { basename, dirname } from "node:path"
import { LRUCache } from "lru-cache"
import { AmanError, firstNot } from "../../base/index.ts"
import { packedTrees } from "../../text/index.ts"

/*
 * The files of a revision on the disk of a team's node. Their contents are in one file beside the folder of the tree,
 * little-endian; in the folder itself, all files are empty but those that rules are read from (`.gitattributes`).
 *
 *   contents   zstd, each of one file
 *   table      u64 × 3n   xxHash3-64 of n paths, ascending; positions of their contents; the contents' bytes
 *   footer     u64 × 2    position of the table, `checkOf`
 */
const FOOTER_BYTES = 16

/** Packed trees, by the folder of their tree. packages/team/node writes them. */
export const packedTree = {
  packOf: (root: string): string => `${root}.pack`,
  hashOf: (path: string): bigint => Bun.hash.xxHash3(path),
  /** Hash of the table of a revision, which is the name of the folder with its tree. */
  checkOf: (revision: string, table: BigUint64Array): bigint =>
    Bun.hash.xxHash3(table, Bun.hash.xxHash3(revision)),
  /** Opens a pack if it is not open. Throws if it is not whole, or of another revision. The contents are not read. */
  open: (root: string): Pack => packs.get(root) ?? openPack(root),
  /** Closes a pack, which would otherwise take room after it was removed; the next read opens it. */
  close: (root: string): unknown => packs.delete(root),
  /** Lets this thread read the files of a packed tree. The pack is closed by disposing of what this returns. */
  use(root: string): Disposable {
    packedTrees.set(root, (path) => packedFile(root, path))
    return { [Symbol.dispose]: () => packedTree.close(root) }
  },
}

type Pack = { readonly file: number; readonly table: BigUint64Array }

/** Open packs of this thread, by root; `maxSize` is that of all tables together. */
const packs = new LRUCache<string, Pack>({
  ...{ max: 256, maxSize: 64 << 20, sizeCalculation: ({ table }) => 1 + table.byteLength },
  dispose: ({ file }) => closeSync(file),
})

/** The content of a file; null if it is not packed. Throws TEAM if the pack is missing or damaged, and removes it. */
function packedFile(root: string, path: string): Uint8Array | null {
  const wasOpen = packs.has(root)
  try {
    const { file, table } = packedTree.open(root)
    const [hash, count] = [packedTree.hashOf(path), table.length / 3]
    const at = firstNot(0, count, (each) => table[each]! < hash)
    if (at === count || table[at] !== hash) return null
    return Bun.zstdDecompressSync(bytesAt(file, Number(table[at + count]), Number(table[at + 2 * count])))
  } catch (cause) {
    packs.delete(root)
    // The revision may have been laid out again since the pack was opened.
    if (wasOpen) return packedFile(root, path)
    // The node then lays it out again. An error of the system, such as too many open files, is no damage.
    if (!(cause instanceof Error && "errno" in cause)) rmSync(packedTree.packOf(root), { force: true })
    throw new AmanError("TEAM", "its files on the team's node are missing or damaged; try again", { cause })
  }
}

function openPack(root: string): Pack {
  const file = openSync(packedTree.packOf(root), "r")
  try {
    const end = fstatSync(file).size - FOOTER_BYTES
    const [start, check] = new BigUint64Array(bytesAt(file, end, FOOTER_BYTES).buffer)
    const table = new BigUint64Array(bytesAt(file, Number(start), end - Number(start)).buffer)
    if (check !== packedTree.checkOf(basename(dirname(root)), table)) throw new Error("another revision")
    packs.set(root, { file, table })
    return { file, table }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function bytesAt(file: number, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  if (readSync(file, bytes, 0, length, at) < length) throw new Error("a packed tree is cut")
  return bytes
}
