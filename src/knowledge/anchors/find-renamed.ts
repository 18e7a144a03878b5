import { posix, relative } from "node:path"
import { toPosix } from "../../base/paths.ts"
import { renamedTo } from "../../git/renames.ts"
import type { GitFailure } from "../../git/run.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import type { EntrySource } from "../entry.ts"
import { filesLike } from "./files-like.ts"
import { findEdited } from "./find-edited.ts"
import { anchorOf } from "./kept-anchor.ts"
import { lookAt, type Place, readLines } from "./place.ts"
import { scoreOf } from "./score-of.ts"
import { stoodThere } from "./stood-there.ts"

export type RenamedFile = {
  readonly path: string | null
  /** Why git could not be asked. */
  readonly failure: GitFailure | null
}

/**
 * Where the file of a source went: as git knows, else by what is in the files that could be it and did not hold the
 * same before.
 */
export async function findRenamed(place: Place, source: EntrySource): Promise<RenamedFile> {
  const known = await renamedInGit(place, source)
  if (known.path !== null) return known
  const path = findByContent(place, source)
  const isOld = path !== null && (await stoodThere(place, source, path)) === true
  return { path: isOld ? null : path, failure: known.failure }
}

async function renamedInGit({ root, ...place }: Place, source: EntrySource): Promise<RenamedFile> {
  const workTree = findWorkTree(root)
  if (workTree === null) return { path: null, failure: null }
  const way = toPosix(relative(workTree.top, root))
  const inRoot = (path: string) => {
    const inside = posix.relative(way, path)
    return inside.startsWith("../") ? null : inside
  }
  const found = await renamedTo(workTree.top, posix.join(way, source.path), source.commit, (path) => {
    const inside = inRoot(path)
    return inside !== null && typeof lookAt({ root, ...place }, inside) !== "string"
  })
  return { path: found.path === null ? null : inRoot(found.path), failure: found.failure }
}

const MOST_FILES = 300

/** The one file of the same kind that holds the lines; else the one of the same name that holds them edited. */
function findByContent(place: Place, source: EntrySource): string | null {
  const candidates = filesLike(place.root, source.path).slice(0, MOST_FILES)
  const scored = candidates.flatMap((path) => {
    const lines = readLines(place, path)
    const score = typeof lines === "string" ? null : scoreOf(source, lines)
    return score === null ? [] : [{ path, score }]
  })
  const [best, next] = scored.sort((a, b) => b.score - a.score)
  if (best !== undefined) return best.score > (next?.score ?? -1) ? best.path : null
  const sameName = candidates.filter((path) => posix.basename(path) === posix.basename(source.path))
  return sameName.length === 1 && holdsEdited(place, sameName[0]!, source) ? sameName[0]! : null
}

function holdsEdited(place: Place, path: string, source: EntrySource): boolean {
  const anchor = anchorOf(source)
  const lines = readLines(place, path)
  return anchor !== null && typeof lines !== "string" && findEdited(lines, anchor) !== null
}
