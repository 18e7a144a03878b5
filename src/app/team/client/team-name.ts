import { remoteOf } from "../../../git/repository-identity.ts"
import type { WorkTree } from "../../../git/work-tree.ts"

/** The name by which the team's server knows this repository; null if it has no remote. */
export function teamNameOf(workTree: WorkTree): string | null {
  return remoteOf(workTree)?.replace(/^file:/, "") ?? null
}
