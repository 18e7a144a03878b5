import { posix } from "node:path"
import type { EntrySource } from "../entry.ts"
import { filesIn } from "./files-like.ts"
import { scoreOf } from "./find-renamed.ts"
import { anchorOf } from "./kept-anchor.ts"
import { type Lines, telling } from "./lines.ts"
import { type Place, readLines, type SymbolPlace } from "./place.ts"

const MOST_FILES = 100
/** Letters of the anchored lines from which on they do not stand elsewhere by chance. */
const TELLING = 20
/** Of the six lines around shorter ones, so many must have gone with them. */
const AROUND = 3

/**
 * Where lines went that are gone from a file which is still there: into a file where their symbol is defined now, one
 * of their folder, or one of the folder that the file became (a.ts → a/b.ts). Only what is the same, and nowhere else
 * as well. Null: nowhere that one could be sure of.
 */
export function findMovedOut(
  place: Place,
  source: EntrySource,
  defined: readonly SymbolPlace[],
): { path: string; lines: Lines } | null {
  if (source.startLine === null) return null
  const { dir, name } = posix.parse(source.path)
  const near = [dir, posix.join(dir, name)].flatMap((folder) => filesIn(place.root, folder, source.path))
  const paths = new Set([...defined.map(({ path }) => path), ...near.slice(0, MOST_FILES)])
  paths.delete(source.path)
  const least = telling(anchorOf(source)?.lines ?? []) >= TELLING ? 0 : AROUND
  const holding = [...paths].flatMap((path) => {
    const lines = readLines(place, path)
    const score = typeof lines === "string" ? null : scoreOf(source, lines)
    return typeof lines === "string" || score === null || score < least ? [] : [{ path, lines, score }]
  })
  const [best, next] = holding.sort((a, b) => b.score - a.score)
  return best !== undefined && best.score > (next?.score ?? -1) ? best : null
}
