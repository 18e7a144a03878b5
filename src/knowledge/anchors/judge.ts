import type { EntrySource } from "../entry.ts"
import { type Anchor, anchoredAt, anchoredWhole, anchorOf, type LineRange, trimmedRange } from "./anchor.ts"
import { definitionsIn, named } from "./definitions.ts"
import { findEdited } from "./find-edited.ts"
import { hashOfLines, type Lines } from "./lines.ts"
import { findByHash, findExact } from "./locate.ts"
import type { Place } from "./place.ts"
import { present, type SourceState } from "./source-state.ts"

/** The file that a source speaks of, as it is now: under its path or under another. */
export type FileNow = { readonly path: string; readonly lines: Lines; readonly commit: string | null }

/** What became of the anchored lines in a file; null: they are gone from it. */
export async function judge(place: Place, source: EntrySource, file: FileNow): Promise<SourceState | null> {
  const base = { path: file.path, symbol: source.symbol, commit: file.commit }
  if (source.startLine === null) {
    return present(source, anchoredWhole(base, file.lines), hashOfLines(file.lines.texts) === source.hash)
  }
  const within = source.context?.within ?? null
  const anchor = anchorOf(source)
  const exact = anchor === null ? findByHash(file.lines, source) : findExact(file.lines, anchor)
  if (exact !== null) return present(source, anchoredAt(base, file.lines, exact, within), true)
  const changed = await findChanged(place, source, file, anchor)
  return changed === null ? null : present(source, anchoredAt(base, file.lines, changed, within), false)
}

/** The definition that was named; else what is left of the lines; of lines that were not kept, their place. */
async function findChanged(
  place: Place,
  { symbol, context, startLine, endLine }: EntrySource,
  { path, lines }: FileNow,
  anchor: Anchor | null,
): Promise<LineRange | null> {
  const line = startLine ?? 1
  const home = symbol ?? context?.within ?? null
  const found = home === null ? [] : named(await definitionsIn(place, path, lines), home)
  const distance = (range: LineRange) => Math.abs(range.startLine - line)
  const [nearest] = found.sort((a, b) => distance(a) - distance(b))
  if (symbol !== null && nearest !== undefined) return nearest
  if (anchor !== null) return findEdited(lines, anchor, home !== null && nearest === undefined)
  const old = { startLine: line, endLine: Math.min(endLine ?? line, lines.raw.length) }
  return line > lines.raw.length ? null : trimmedRange(lines, old)
}
