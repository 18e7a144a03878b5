import { posix } from "node:path"
import type { EntrySource } from "../entry.ts"
import { anchorOf } from "./kept-anchor.ts"
import { type Lines, telling } from "./lines.ts"
import type { NearFiles } from "./near-files.ts"
import type { Place, SymbolPlace } from "./place.ts"
import { scoreOf } from "./score-of.ts"
import { stoodThere } from "./stood-there.ts"

/** Letters of the anchored lines from which on they do not come to stand elsewhere by chance. */
const TELLING = 20
/** Of the six lines around others, so many must have gone with them. */
const AROUND = 3

/**
 * Where lines went that are gone from a file which is still there: into a file where their symbol is defined now, one
 * of their folder, or one of the folder that the file became (a.ts → a/b.ts). Only what is the same, nowhere else as
 * well, and was not there before; where git cannot say so, with its symbol or the lines around. Null: nowhere that one
 * could be sure of.
 */
export async function findMovedOut(
  place: Place,
  near: NearFiles,
  source: EntrySource,
  defined: readonly SymbolPlace[],
): Promise<{ path: string; lines: Lines } | null> {
  if (source.startLine === null) return null
  const { dir, name, ext } = posix.parse(source.path)
  const definedIn = new Set(defined.map(({ path }) => path))
  const files = near.read([...definedIn], [dir, posix.join(dir, name)], ext)
  const holding = [...(files ?? [])].flatMap(([path, lines]) => {
    const score = path === source.path ? null : scoreOf(source, lines)
    return score === null ? [] : [{ path, lines, score }]
  })
  const [best, next] = holding.sort((a, b) => b.score - a.score)
  if (best === undefined || best.score === next?.score) return null
  const isBorneOut = best.score >= AROUND || definedIn.has(best.path)
  const isLong = telling(anchorOf(source)?.lines ?? []) >= TELLING
  if (!isBorneOut && !isLong) return null
  const stood = await stoodThere(place, source, best.path)
  return stood === false || (stood === null && isBorneOut) ? best : null
}
