import { closeSync, openSync, readSync } from "node:fs"

const BLOCK_BYTES = 4 << 20

/**
 * xxHash3-64 of a file: of each 4 MiB, then of those hashes in order. So it takes one block of memory and leaves
 * the process's mapped pages alone. (Seeding each block with the last hash would not do: Bun takes 32 bits of it.)
 */
export function hashFile(path: string): { size: number; hash: string } {
  const file = openSync(path, "r")
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const hashes: bigint[] = []
    let size = 0
    for (;;) {
      const read = fill(file, block)
      hashes.push(Bun.hash.xxHash3(block.subarray(0, read)))
      size += read
      if (read < block.length) break
    }
    return { size, hash: Bun.hash.xxHash3(BigUint64Array.from(hashes)).toString(16).padStart(16, "0") }
  } finally {
    closeSync(file)
  }
}

/** Reads until the block is full or the file ends: a short read must not shift the blocks. */
function fill(file: number, block: Buffer): number {
  let filled = 0
  while (filled < block.length) {
    const read = readSync(file, block, filled, block.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}
