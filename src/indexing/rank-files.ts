import { FILE_FLAG } from "../base/file-flag.ts"
import { centralityOf } from "../code/centrality.ts"
import { openStore } from "../store/open.ts"
import { indexPath } from "./index-folder.ts"
import type { Ranked, RankTask } from "./messages.ts"

/** Runs in a worker, writes no row. */
export function rankFiles({ folder }: RankTask): Ranked {
  using store = openStore(indexPath(folder), { readonly: true, isMapped: false })
  return store.consistently(() => {
    const rows = store.uses.linked()
    const files = rows.map(({ defines, flags, ...row }) => ({
      ...row,
      defines: hashesIn(defines),
      isAside: (flags & ASIDE) !== 0,
    }))
    const ranked = centralityOf(files, (file) => hashesIn(rows[file]!.names))
    return {
      files: rows.map(({ id }, at) => ({ fileId: id, rank: ranked.files[at]! })),
      names: ranked.names.map(({ file, hash, rank }) => ({ fileId: rows[file]!.id, hash, rank })),
    }
  })
}

const ASIDE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

/** As they lie in the index: u32, little-endian. */
function hashesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
