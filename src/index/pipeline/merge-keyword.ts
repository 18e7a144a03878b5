import { closeSync } from "node:fs"
import { collector, createFile, writeAll } from "../../base/index.ts"
import {
  type DerivedRow,
  openSequentialDerived,
  openStore,
  publishDerived,
  type SequentialFile,
} from "../../store/index.ts"
import { indexPath } from "../index-folder.ts"
import { type MergePart, mergeSegments } from "../keyword/merge.ts"
import type { MergedKeyword, MergeKeywordTask } from "./worker-pool.ts"

/**
 * Merges delta segments into the file of the next generation; with `isWhole`, the base as well. Runs in a worker, which
 * writes no row of the database.
 */
export async function mergeKeyword(task: MergeKeywordTask): Promise<MergedKeyword> {
  using store = openStore(indexPath(task.folder), { readonly: true, isMapped: false })
  const { base, deltas, dead } = store.consistently(() => ({
    base: store.derived.of("keyword"),
    deltas: store.segments.all(),
    dead: store.tombstones.all("keyword"),
  }))
  const gone = new Set(dead)
  const files = task.isWhole ? base.map((row) => walkSound(task.folder, row)) : []
  const inputs = [...files.map(({ bytes }) => bytes), ...deltas.map(({ blob }) => blob)]
  const name = `keyword-${task.generation}.seg`
  const file = await publishDerived(task.folder, name, (path) => {
    mergeInto(
      path,
      inputs.map((bytes) => ({ bytes, dead: gone })),
      files,
    )
  })
  return {
    row: {
      ...file,
      kind: "keyword",
      spaceId: 0,
      part: task.isWhole ? 0 : (base.at(-1)?.part ?? -1) + 1,
      generation: task.generation,
      dimensions: 0,
      count: 0,
    },
    upTo: deltas.at(-1)?.id ?? 0,
    // After a partial merge, the other parts still contain deleted files, so their tombstones are kept.
    dead: task.isWhole ? dead : [],
  }
}

/**
 * Opens a segment and checks it. A damaged segment must not be left out of the merge, because its content would then be
 * lost unnoticed. The next run detects the damage.
 */
function walkSound(folder: string, row: DerivedRow): SequentialFile {
  const file = openSequentialDerived(folder, row)
  if (file === null) throw new Error(`${row.name} is damaged`)
  return file
}

/**
 * Writes the merged segment to `path`. `files` are the memory-mapped inputs, which are read in parallel from start to
 * end while the output is written. After each write, the memory pages that were read are released.
 */
function mergeInto(path: string, parts: readonly MergePart[], files: readonly SequentialFile[]): void {
  const file = createFile(path)
  const collect = collector()
  try {
    mergeSegments(parts, {
      append: (bytes) => {
        writeAll(file, bytes)
        for (const { releasePages } of files) releasePages()
        collect()
      },
      writeHead: (bytes) => writeAll(file, bytes, 0),
    })
  } finally {
    closeSync(file)
  }
}
