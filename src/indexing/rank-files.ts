import { collector } from "../base/collector.ts"
import { FILE_FLAG } from "../base/file-flag.ts"
import { centralityOf } from "../code/centrality.ts"
import type { LinkedFile } from "../code/file-links.ts"
import { openStore } from "../store/open.ts"
import type { Store } from "../store/store.ts"
import { indexPath } from "./index-folder.ts"
import type { Ranked, RankTask } from "./messages.ts"

/** Runs in a worker, writes no row. */
export function rankFiles({ folder }: RankTask): Ranked {
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

/** One after the other, and their ids into `ids`. */
function* linkedFiles(store: Store, ids: number[]): Generator<LinkedFile> {
  for (const { id, defines, flags, ...row } of tidily(store.uses.linked())) {
    ids.push(id)
    yield { ...row, defines: hashesIn(defines), isAside: (flags & ASIDE) !== 0 }
  }
}

function* usedNames(store: Store): Generator<Uint32Array> {
  for (const names of tidily(store.uses.linkedNames())) yield hashesIn(names)
}

/** Asking how large the heap is takes as long as many rows. */
const ROWS_A_LOOK = 256

/** The same rows, of which not more than some megabytes lie as garbage. */
function* tidily<T>(rows: Iterable<T>): Generator<T> {
  const collect = collector()
  let seen = 0
  for (const row of rows) {
    yield row
    if (++seen % ROWS_A_LOOK === 0) collect()
  }
}

const ASIDE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

/** As they lie in the index: u32, little-endian. */
function hashesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
