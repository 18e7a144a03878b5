import { statSync } from "node:fs"
import { sha256 } from "../../base/files/files.ts"
import type { ProjectMark, ProjectsTable } from "../../store/memory/projects.ts"

/**
 * Identity of a folder in the file system: inode number and creation time in ns. Both stay when the folder is
 * renamed or moved within a file system, and unpacking an archive cannot set them. Null when the folder is
 * missing or the file system has no creation times.
 */
export function folderId(path: string): string | null {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined || stat.birthtimeNs <= 0n ? null : `${stat.ino}:${stat.birthtimeNs}`
  } catch {
    return null
  }
}

/** Value of a project's "folder" mark. The path is hashed, because marks are exported and compared. */
export function folderMark(path: string, id: string): string {
  return `${id}:${pathHash(path)}`
}

/** The folder id in a "folder" mark. */
export function idInMark(mark: string): string {
  return mark.slice(0, mark.lastIndexOf(":"))
}

/**
 * Compares the folder at a project's path with the folder recorded for it: "same"; "other" when another folder has
 * taken its place; "unknown" when nothing was recorded or the file system cannot tell.
 */
export function folderState(
  projects: ProjectsTable,
  project: string,
  path: string,
): "same" | "other" | "unknown" {
  const recorded = folderMarksAt(projects.marks(project), path)
  const id = recorded.length === 0 ? null : folderId(path)
  if (id === null) return "unknown"
  return recorded.some(({ value }) => idInMark(value) === id) ? "same" : "other"
}

/** The "folder" marks recorded for this path. */
export function folderMarksAt(marks: readonly ProjectMark[], path: string): ProjectMark[] {
  const end = `:${pathHash(path)}`
  return marks.filter(({ kind, value }) => kind === "folder" && value.endsWith(end))
}

function pathHash(path: string): string {
  return sha256(path).slice(0, 16)
}
