import { existsSync, readdirSync } from "node:fs"
import { isAbsolute } from "node:path"
import { AmanError, isInside, pathOfUri } from "../../../base/index.ts"
import { findRoot, isTopMarker } from "../../../index/index.ts"
import { findWorkTree } from "../../../tree/index.ts"

/** The folders that a server works in. */
export type WorkspaceFolders = {
  /** The working folder; its project has the memories and the log. */
  readonly cwd: string
  /** Roots of the other projects, which are served as well. */
  readonly others: readonly string[]
  /** Folders that are not served, each with the reason. */
  readonly problems: readonly string[]
}

/** Each project that is served is watched and kept in memory. */
export const MAX_ROOTS = 16

/**
 * The folders to work in, from those that a client names as URIs or paths. The working folder is the one where the
 * server was started, if it is in one of them, as with most clients; else the first of them. Several folders in one
 * project count once.
 */
export function workspaceFolders(cwd: string, named: readonly string[]): WorkspaceFolders {
  const problems: string[] = []
  const usable = named.flatMap((text) => {
    const folder = pathOfUri(text)
    const problem = !isAbsolute(folder) ? "is not a path on this machine" : unusable(folder)
    if (problem !== null) problems.push(`the folder ${text} of the client is not served: it ${problem}`)
    return problem === null ? [folder] : []
  })
  const around = projectAround(cwd)
  const isStartedThere = usable.some(
    (folder) => isInside(folder, cwd) || (around !== null && isInside(around, folder)),
  )
  const [first = cwd] = usable
  const own = isStartedThere ? cwd : first
  const ownRoot = rootOf(own)
  const others = [...new Set(usable.map(rootOf))].filter(
    (root) => root !== null && root !== ownRoot && !isInside(root, own),
  ) as string[]
  const more = others.slice(MAX_ROOTS - 1)
  if (more.length > 0) problems.push(`only ${MAX_ROOTS} folders are served; not: ${more.join(", ")}`)
  return { cwd: own, others: others.slice(0, MAX_ROOTS - 1), problems }
}

function unusable(folder: string): string | null {
  if (!existsSync(folder)) return "does not exist"
  try {
    findRoot({ cwd: folder })
    return null
  } catch (error) {
    if (error instanceof AmanError) return `is no project: ${error.message}`
    throw error
  }
}

function rootOf(folder: string): string | null {
  try {
    return findRoot({ cwd: folder }).root
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}

/** Root of the project that a folder is in; null if it is in none. */
function projectAround(cwd: string): string | null {
  const root = rootOf(cwd)
  return root !== null && (findWorkTree(root) !== null || readdirSync(root).some(isTopMarker)) ? root : null
}
