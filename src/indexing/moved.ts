import { isRacy } from "./scan-grain.ts"
import type { PackedScan } from "./scan-snapshot.ts"
import { openStatx, type Statx } from "./statx.ts"

/** Positions of files and folders that are not, or may not be, as a scan has them. */
export type Moved = { readonly files: readonly number[]; readonly folders: readonly number[] }

/** Looks at every file and folder of a packed scan without unpacking it; null where the system cannot be asked so. */
export function movedSince(root: string, scan: PackedScan): Moved | null {
  using statx = openStatx(root, scan.names)
  return statx === null ? null : lookAtAll(statx, scan)
}

function lookAtAll(statx: Statx, { names, numbers, files, folders, barred, startedAtMs }: PackedScan): Moved {
  const moved = { files: [] as number[], folders: [...barred] }
  let at = 0
  for (let i = 0; i < files; i++) {
    const mtimeMs = numbers[i * 2 + 1]!
    if (!statx.isFile(at, numbers[i * 2]!, mtimeMs) || isRacy(mtimeMs, startedAtMs)) moved.files.push(i)
    at = names.indexOf(0, at) + 1
  }
  for (let i = 0; i < folders; i++) {
    const mtimeMs = numbers[files * 2 + i]!
    if (!statx.isFolder(at, mtimeMs) || isRacy(mtimeMs, startedAtMs)) moved.folders.push(i)
    at = names.indexOf(0, at) + 1
  }
  return moved
}
