import { closeSync, openSync } from "node:fs"
import { collector } from "../base/collector.ts"
import { writeAll } from "../base/write-all.ts"
import { type MergePart, mergeSegments } from "../keyword/merge.ts"
import type { DerivedRow } from "../store/derived.ts"
import { publishDerived } from "../store/derived-files.ts"
import { openStore } from "../store/open.ts"
import { type WalkedFile, walkDerived } from "../store/walked-file.ts"
import { indexPath } from "./index-folder.ts"
import type { FoldedKeyword, FoldKeywordTask } from "./messages.ts"

/**
 * Merges delta segments, and the base if asked to, into the next generation's file. Runs in a worker, writes no row.
 */
export async function foldKeyword(task: FoldKeywordTask): Promise<FoldedKeyword> {
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
    // What is dead still stands in the parts that were left alone.
    dead: task.isWhole ? dead : [],
  }
}

/** A part that is damaged must not be left out: what it holds would be lost for good. The next run finds it. */
function walkSound(folder: string, row: DerivedRow): WalkedFile {
  const file = walkDerived(folder, row)
  if (file === null) throw new Error(`${row.name} is damaged`)
  return file
}

/**
 * `files`: those of the parts that are walked while this is written, all at once from their beginnings to their ends.
 */
function mergeInto(path: string, parts: readonly MergePart[], files: readonly WalkedFile[]): void {
  const file = openSync(path, "w")
  const collect = collector()
  try {
    mergeSegments(parts, {
      append: (bytes) => {
        writeAll(file, bytes)
        for (const { letGo } of files) letGo()
        collect()
      },
      writeHead: (bytes) => writeAll(file, bytes, 0),
    })
  } finally {
    closeSync(file)
  }
}
