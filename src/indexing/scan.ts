import { AmanError } from "../base/errors.ts"
import { readFolder, walkFrom } from "./scan-folder.ts"
import type { ScanOptions } from "./scan-options.ts"
import type { ScanResult } from "./scan-result.ts"
import { finishWalk, startWalk } from "./scan-walk.ts"

/**
 * Every file of a project that may be indexed, by git's ignore rules and our own list of what is no source.
 * Follows no link. `nowMs` is the clock at the start.
 */
export function scanProject(root: string, options: ScanOptions, nowMs: number = Date.now()): ScanResult {
  const { walk, top } = startWalk(root, options, nowMs)
  const listing = readFolder(walk, top)
  if (typeof listing === "string") {
    throw new AmanError("IO", `cannot read the project root ${root}`, {
      hint: "check that it exists and may be read",
    })
  }
  walkFrom(walk, top, listing)
  return finishWalk(walk)
}
