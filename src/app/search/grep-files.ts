import { join } from "node:path"
import { scanProject } from "../../index/scan/scan-folder.ts"
import { addCounts, type ScanResult, scanOptionsOf } from "../../index/scan/scan-snapshot.ts"
import { pathGlobs } from "../../search/patterns/glob.ts"
import { type ProjectPlace, projectPath } from "../project/project-path.ts"

/** Maximum size of a searched file, which is decoded into one string; larger files are data. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024

export type GrepScope = {
  /** Files and folders, relative to the root; none: the whole project. */
  readonly paths: readonly string[]
  /** As ripgrep's `-g`. */
  readonly globs: readonly string[]
}

type GrepFiles = {
  /** Paths of the files to search, in order. */
  readonly paths: readonly string[]
  /** Number of files left out, by reason; a folder counts once. */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * The files to search: all that git does not ignore, whatever their names or sizes, except secrets. Ignored
 * files are searched if they are named explicitly.
 */
export function filesToGrep(project: ProjectPlace, { paths, globs }: GrepScope): GrepFiles {
  const targets = paths.length === 0 ? [""] : paths.map((path) => projectPath(project, path))
  const files = new Set<string>()
  const leftOut: Record<string, number> = {}
  let whole: ScanResult | null = null
  for (const target of targets) {
    if (typeof target !== "string" && !target.stat.isDirectory()) {
      if (target.stat.isFile()) files.add(target.path)
      else leftOut["not a file"] = (leftOut["not a file"] ?? 0) + 1
      continue
    }
    const folder = typeof target === "string" ? target : target.path
    whole ??= scan(project, "")
    if (!addFilesBelow(whole, folder, "", files, leftOut))
      addFilesBelow(scan(project, folder), "", folder, files, leftOut)
  }
  const isWanted = globs.length === 0 ? () => true : pathGlobs(globs)
  return { paths: [...files].filter(isWanted).sort(), leftOut }
}

/** True when the search covers only one file that was named explicitly, so that results need no path. */
export function isOneFile(project: ProjectPlace, { paths }: GrepScope): boolean {
  return paths.length === 1 && projectPath(project, paths[0]!).stat.isFile()
}

function scan(project: ProjectPlace, folder: string): ScanResult {
  const options = { ...scanOptionsOf(project.config), maxFileBytes: MAX_FILE_BYTES, everyName: true }
  return scanProject(join(project.root, folder), options)
}

/**
 * Adds the files that a scan found below a folder; false when the scan did not visit that folder because it
 * is ignored.
 */
function addFilesBelow(
  { files, folders }: ScanResult,
  below: string,
  prefix: string,
  paths: Set<string>,
  leftOut: Record<string, number>,
): boolean {
  const inside = below === "" ? "" : `${below}/`
  const visited = folders.filter(({ path }) => path === below || path.startsWith(inside))
  for (const folder of visited) addCounts(leftOut, folder.skipped)
  for (const { path } of files) {
    if (path.startsWith(inside)) paths.add(prefix === "" ? path : `${prefix}/${path}`)
  }
  return visited.length > 0
}
