import { collector, FILE_FLAG } from "../../base/index.ts"
import { centralityOf, type LinkedFile } from "../../parse/index.ts"
import { openStore, type Store } from "../../store/index.ts"
import { indexPath } from "../index-folder.ts"
import type { ProjectRanks, RankTask } from "./worker-pool.ts"

/** Computes the ranks of files and names. Runs in a worker, which writes no row of the database. */
export function rankFiles({ folder }: RankTask): ProjectRanks {
  using store = openStore(indexPath(folder), { readonly: true, isMapped: false })
  return store.consistently(() => {
    const ids: number[] = []
    const ranked = centralityOf(linkedFiles(store, ids), () => usedNames(store))
    return {
      files: ids.map((fileId, at) => ({ fileId, rank: ranked.files[at]! })),
      names: ranked.names.map(({ file, hash, rank }) => ({ fileId: ids[file]!, hash, rank })),
    }
  })
}

/** Yields the files one by one, and appends the id of each to `ids`. */
function* linkedFiles(store: Store, ids: number[]): Generator<LinkedFile> {
  for (const { id, defines, flags, ...row } of tidily(store.uses.linked())) {
    ids.push(id)
    yield { ...row, defines: hashesIn(defines), isAside: (flags & ASIDE) !== 0 }
  }
}

function* usedNames(store: Store): Generator<Uint32Array> {
  for (const names of tidily(store.uses.linkedNames())) yield hashesIn(names)
}

/** The size of the heap is checked once per this many rows, because measuring it takes as long as reading many rows. */
const ROWS_PER_CHECK = 256

/** Yields the rows unchanged. Meanwhile it collects garbage whenever the heap has grown by a few megabytes. */
function* tidily<T>(rows: Iterable<T>): Generator<T> {
  const collect = collector()
  let seen = 0
  for (const row of rows) {
    yield row
    if (++seen % ROWS_PER_CHECK === 0) collect()
  }
}

const ASIDE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

/** Reads hashes as the index stores them: 32-bit unsigned integers, little-endian. */
function hashesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
