import { join } from "node:path"
import { readSmallFile } from "./config-file.ts"
import { isCommitId } from "./run/run.ts"
import type { WorkTree } from "./work-tree.ts"

/** Maximum length of a chain of symbolic references; a longer chain must be a cycle. */
const MAX_STEPS = 5

/**
 * The commit that is checked out, read without running git. Null before the first commit, and for a repository that
 * stores references in a format which is not supported (reftable).
 */
export function headCommit(workTree: WorkTree): string | null {
  let text = readSmallFile(join(workTree.gitDir, "HEAD"))
  for (let step = 0; text !== null && step < MAX_STEPS; step++) {
    const name = /^ref: (refs\/[^\0]+?)\s*$/.exec(text)?.[1]
    if (name === undefined) return asCommit(text)
    if (name.split("/").includes("..")) return null
    text = readSmallFile(join(workTree.gitDir, name)) ?? readSmallFile(join(workTree.commonDir, name))
    if (text === null) return packedCommit(workTree, name)
  }
  return null
}

function packedCommit({ commonDir }: WorkTree, name: string): string | null {
  const packed = readSmallFile(join(commonDir, "packed-refs")) ?? ""
  const line = packed.split("\n").find((line) => line.trimEnd().endsWith(` ${name}`))
  return line === undefined ? null : asCommit(line.split(" ", 1)[0]!)
}

function asCommit(text: string): string | null {
  const id = text.trim()
  return isCommitId(id) ? id : null
}
