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

/** Started in no project, as desktop clients do, with no root named: the first folder the client has open. */
export async function askForRoot(options: ProjectOptions, server: Server): Promise<ProjectOptions> {
  if (options.root !== undefined || !server.getClientCapabilities()?.roots) return options
  if (isInProject(options.cwd)) return options
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ANSWER_MS })
    const folders = roots.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri))
    const [first] = folders
    if (first === undefined || folders.some((folder) => isInside(folder, options.cwd))) return options
    return { ...options, cwd: first }
  } catch (error) {
    log.warn("the client did not name its roots", { message: String(error) })
    return options
  }
}

function isInProject(cwd: string): boolean {
  try {
    const { root } = findRoot({ cwd })
    return findWorkTree(root) !== null || readdirSync(root).some(isTopMarker)
  } catch (error) {
    if (error instanceof AmanError) return false
    throw error
  }
}
