import { posix, relative } from "node:path"
import { toPosix } from "../../base/paths.ts"
import { renamedTo } from "../../git/renames.ts"
import type { GitFailure } from "../../git/run.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import type { EntrySource } from "../entry.ts"
import { filesLike } from "./files-like.ts"
import { findEdited } from "./find-edited.ts"
import { anchorOf } from "./kept-anchor.ts"
import { hashOfLines, indexFrom, type Lines, telling } from "./lines.ts"
import { agreeing, findExact } from "./locate.ts"
import { lookAt, type Place, readLines } from "./place.ts"

export type RenamedFile = {
  readonly path: string | null
  /** Why git could not be asked. */
  readonly failure: GitFailure | null
}

/** Where the file of a source went: as git knows, else by what is in the files that could be it. */
export async function findRenamed(place: Place, source: EntrySource): Promise<RenamedFile> {
  const known = await renamedInGit(place, source)
  if (known.path !== null) return known
  return { path: findByContent(place, source), failure: known.failure }
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
/** Letters of the anchored lines and those around, from which on they are not in two files by chance. */
const TELLING = 30

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

/** How many of the lines around agree, where the anchored ones are there; null where they are not. */
export function scoreOf(source: EntrySource, lines: Lines): number | null {
  const anchor = anchorOf(source)
  if (anchor === null) return lines.texts.length > 0 && hashOfLines(lines.texts) === source.hash ? 0 : null
  if (telling([...anchor.before, ...anchor.lines, ...anchor.after]) < TELLING) return null
  const range = findExact(lines, anchor)
  return range === null ? null : agreeing(lines, anchor, indexFrom(lines, range.startLine), range)
}

function holdsEdited(place: Place, path: string, source: EntrySource): boolean {
  const anchor = anchorOf(source)
  const lines = readLines(place, path)
  return anchor !== null && typeof lines !== "string" && findEdited(lines, anchor) !== null
}
