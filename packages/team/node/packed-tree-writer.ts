import { closeSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { createFile, writeAll } from "../../../src/base/index.ts"
import { packedTree } from "../../../src/index/index.ts"

/** Files of 14 repositories take .28 of their size, and writing them as long as unpacked ones; at level 3 .29. */
const LEVEL = 6

/** The hash of a path; position and bytes of the file's content. */
type Entry = { readonly hash: bigint; readonly start: number; readonly size: number }

/** Writes a tree to a new folder and its pack; see packed-tree.ts in src/index/team. */
export class PackedTreeWriter {
  readonly #root: string
  readonly #file: number
  readonly #entries: Entry[] = []
  #end = 0

  constructor(root: string) {
    this.#root = root
    mkdirSync(root, { recursive: true, mode: 0o700 })
    this.#file = createFile(packedTree.packOf(root))
  }

  /** `path` must be relative and stay inside the tree. Throws EEXIST if it was added before. */
  add(path: string, content: Uint8Array): void {
    const file = join(this.#root, path)
    const isRule = basename(path).startsWith(".")
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, isRule ? content : "", { flag: "wx", mode: 0o600 })
    if (isRule) return
    const packed = Bun.zstdCompressSync(content, { level: LEVEL })
    writeAll(this.#file, packed)
    this.#entries.push({ hash: packedTree.hashOf(path), start: this.#end, size: packed.length })
    this.#end += packed.length
  }

  /** Completes the pack, which cannot be read before. `revision`: the name that the tree's folder will have. */
  finish(revision: string): void {
    const entries = this.#entries.sort((a, b) => (a.hash < b.hash ? -1 : 1))
    const table = BigUint64Array.from([
      ...entries.map(({ hash }) => hash),
      ...entries.map(({ start }) => BigInt(start)),
      ...entries.map(({ size }) => BigInt(size)),
    ])
    writeAll(this.#file, table)
    writeAll(this.#file, BigUint64Array.of(BigInt(this.#end), packedTree.checkOf(revision, table)))
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** True if the pack of a tree is whole and of the revision that its folder is named by; the contents are not read. */
export function hasSoundPack(root: string): boolean {
  try {
    packedTree.open(root)
    return true
  } catch {
    return false
  } finally {
    packedTree.close(root)
  }
}
