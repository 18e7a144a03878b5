import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { ProjectOptions } from "../app/open-project.ts"
import { isTopMarker } from "../app/project-markers.ts"
import { findRoot } from "../app/root.ts"
import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import { isInside } from "../base/paths.ts"
import { findWorkTree } from "../git/work-tree.ts"

const ANSWER_MS = 2000

/**
 * With no root named, the client's folders say where it works: where the server was started, if that is one of them or
 * in one, as most clients do it; else the first of them.
 */
export async function askForRoot(options: ProjectOptions, server: Server): Promise<ProjectOptions> {
  if (options.root !== undefined || !server.getClientCapabilities()?.roots) return options
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ANSWER_MS })
    const folders = roots.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri))
    const [first] = folders
    const own = projectAround(options.cwd)
    const isStartedThere = folders.some(
      (folder) => isInside(folder, options.cwd) || (own !== null && isInside(own, folder)),
    )
    return first === undefined || isStartedThere ? options : { ...options, cwd: first }
  } catch (error) {
    log.warn("the client did not name its roots", { message: String(error) })
    return options
  }
}

/** Root of the project that a folder is in; null in a place that is none. */
function projectAround(cwd: string): string | null {
  try {
    const { root } = findRoot({ cwd })
    return findWorkTree(root) !== null || readdirSync(root).some(isTopMarker) ? root : null
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}
