import { compareTexts } from "../../base/compare-texts.ts"
import { filePath, type Segment } from "../format/segment.ts"

/** The files of the merged segment in their new order and, for each old segment, the new numbers of its documents. */
export type MergePlan = {
  readonly files: readonly { readonly segment: number; readonly file: number }[]
  readonly documents: number
  readonly symbols: number
  readonly documentMaps: readonly Uint32Array[]
}

/** Stands in `documentMaps` for the number of a document that is dropped, because its file was deleted. */
export const DROPPED = 0xffff_ffff

export function planMerge(segments: readonly Segment[], dead: readonly ReadonlySet<number>[]): MergePlan {
  const files = liveFiles(segments, dead).sort(byPath)
  const documentMaps = segments.map((segment) => new Uint32Array(segment.documents).fill(DROPPED))
  let documents = 0
  let symbols = 0
  for (const { segment: place, file } of files) {
    const { fileFirst, firstSymbol } = segments[place]!
    const [from, to] = [fileFirst[file]!, fileFirst[file + 1]!]
    documents = renumber(documentMaps[place]!, from, to, documents)
    symbols += firstSymbol[to]! - firstSymbol[from]!
  }
  return { files, documents, symbols, documentMaps }
}

type LiveFile = { readonly segment: number; readonly file: number; readonly path: string }

function liveFiles(segments: readonly Segment[], dead: readonly ReadonlySet<number>[]): LiveFile[] {
  return segments.flatMap((segment, place) =>
    Array.from(segment.fileId, (id, file) => ({ id, file }))
      .filter(({ id }) => !dead[place]!.has(id))
      .map(({ file }) => ({ segment: place, file, path: filePath(segment, file) })),
  )
}

function byPath(a: LiveFile, b: LiveFile): number {
  if (a.path === b.path) return a.segment - b.segment || a.file - b.file
  return compareTexts(a.path, b.path)
}

/** Gives the documents [from, to) the numbers from `next` on. Returns the number after the last one. */
function renumber(map: Uint32Array, from: number, to: number, next: number): number {
  for (let old = from; old < to; old++) map[old] = next + old - from
  return next + to - from
}
