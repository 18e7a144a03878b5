import { existsSync } from "node:fs"
import type { ReposConfig } from "../../config/load-repos.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import { openProject, type Project } from "../open-project.ts"
import type { Repository } from "./configured.ts"

/** A clone as a project, with its index outside of it; null before it is cloned. */
export function openClone(
  { clone, index }: Repository,
  config: ReposConfig,
  flags: ConfigFlags = {},
): Project | null {
  if (!existsSync(clone)) return null
  return openProject({
    ...flags,
    root: clone,
    cwd: clone,
    "index.dir": index,
    "index.max_file_size": config.maxFileBytes,
    // Others' code is sent nowhere, and no sync waits for a model; the built-in vectors are as complete as ever.
    "embeddings.provider": "static",
  })
}
