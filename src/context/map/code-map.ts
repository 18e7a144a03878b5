import { compareTexts } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"

/** A file or folder of a map, with what its area and colour show. */
export type MapItem = {
  readonly name: string
  readonly path: string
  readonly is_folder: boolean
  readonly files: number
  readonly lines: number
  /** Language with most lines. */
  readonly language: string
  /** Highest centrality of a file in the item; 1 is the average file, 0 means unknown. */
  readonly centrality: number
  /** Time of the latest change of a file in the item, in milliseconds since 1970. */
  readonly changed: number
  /** Number of entries of the memory about a file in it. */
  readonly memories: number
  /** The largest items in a folder, one level deep. */
  readonly inside: readonly MapItem[]
}

export type CodeMap = {
  readonly folder: string
  readonly items: readonly MapItem[]
  readonly left_out: number
}

type File = {
  readonly memories: number
  readonly path: string
  readonly lines: number
  readonly language: string
  readonly mtimeMs: number
  readonly rank: number | null
}

const MAX_ITEMS = 60

/** The files and folders directly below a folder ("" is the root), largest first; null while there is no index. */
export function codeMap(
  project: Project,
  folder: string,
  memories: ReadonlyMap<string, number>,
): CodeMap | null {
  const store = project.reader()?.store
  if (store === undefined) return null
  const files = store.files.sizes().map((file) => ({ ...file, memories: memories.get(file.path) ?? 0 }))
  const all = itemsIn(files, folder.replace(/\/+$/, ""), MAX_ITEMS, true)
  return { folder, items: all.slice(0, MAX_ITEMS), left_out: Math.max(0, all.length - MAX_ITEMS) }
}

function itemsIn(files: readonly File[], folder: string, max: number, isOuter: boolean): MapItem[] {
  const prefix = folder === "" ? "" : `${folder}/`
  const groups = new Map<string, File[]>()
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue
    const end = file.path.indexOf("/", prefix.length)
    const path = end < 0 ? file.path : file.path.slice(0, end)
    const group = groups.get(path)
    if (group === undefined) groups.set(path, [file])
    else group.push(file)
  }
  const items = [...groups].map(([path, filesInItem]) => itemOf(path, filesInItem, prefix.length))
  items.sort((a, b) => b.lines - a.lines || compareTexts(a.path, b.path))
  if (!isOuter) return items.slice(0, max)
  return items.map((item, nth) =>
    item.is_folder && nth < max
      ? { ...item, inside: itemsIn(groups.get(item.path)!, item.path, 14, false) }
      : item,
  )
}

function itemOf(path: string, files: readonly File[], nameAt: number): MapItem {
  const lines = new Map<string, number>()
  for (const file of files) lines.set(file.language, (lines.get(file.language) ?? 0) + file.lines)
  const [language = "text"] = [...lines].sort(([, a], [, b]) => b - a)[0] ?? []
  const ranks = files.flatMap(({ rank }) => (rank === null ? [] : [rank]))
  return {
    name: path.slice(nameAt),
    path,
    is_folder: files.length > 1 || files[0]!.path !== path,
    files: files.length,
    lines: files.reduce((sum, file) => sum + file.lines, 0),
    language,
    centrality: ranks.length === 0 ? 0 : 2 ** (ranks.reduce((max, rank) => Math.max(max, rank)) / 16),
    changed: files.reduce((max, { mtimeMs }) => Math.max(max, mtimeMs), 0),
    memories: files.reduce((sum, file) => sum + file.memories, 0),
    inside: [],
  }
}
