import type { EntrySource } from "../entries/entry.ts"
import { anchoredAt, anchoredWhole, trimmedRange } from "./anchor.ts"
import { definitionsIn, lastPart, named } from "./definitions.ts"
import { findEdited } from "./find-edited.ts"
import { hashOfLines, indexFrom, type Lines } from "./lines.ts"
import { findByHash, findExact } from "./locate.ts"
import type { Place } from "./place.ts"
import { present, type SourceState } from "./source-state.ts"
import { type Anchor, anchorOf, type LineRange } from "./stored-anchor.ts"

/** The current file of a source, under its own path or a new one. */
export type FileNow = { readonly path: string; readonly lines: Lines; readonly commit: string | null }

/** The state of a source's lines in a file; null when they are gone from it. */
export async function judge(place: Place, source: EntrySource, file: FileNow): Promise<SourceState | null> {
  const base = { path: file.path, symbol: source.symbol, commit: file.commit }
  if (source.startLine === null) {
    const { texts } = file.lines
    return present(source, anchoredWhole(base, file.lines), hashOfLines(texts) === source.hash ? null : texts)
  }
  const within = source.context?.within ?? null
  const anchor = anchorOf(source)
  const exact = anchor === null ? findByHash(file.lines, source) : findExact(file.lines, anchor)
  if (exact !== null) return present(source, anchoredAt(base, file.lines, exact, within), null)
  const changed = await findChanged(place, source, file, anchor)
  return changed === null
    ? null
    : present(source, anchoredAt(base, file.lines, changed, within), textsOf(file.lines, changed))
}

function textsOf(lines: Lines, { startLine, endLine }: LineRange): readonly string[] {
  return lines.texts.slice(indexFrom(lines, startLine), indexFrom(lines, endLine + 1))
}

/**
 * The named definition; otherwise what is left of the lines; for lines that were not kept, their old place.
 */
async function findChanged(
  place: Place,
  source: EntrySource,
  file: FileNow,
  anchor: Anchor | null,
): Promise<LineRange | null> {
  if (source.symbol !== null) {
    const definition = await definitionOf(place, source.symbol, source.startLine ?? 1, file)
    if (definition !== null) return definition
  }
  if (anchor === null) return oldPlace(source, file.lines)
  const edited = findEdited(file.lines, anchor)
  if (edited === null) return null
  if (edited.isSure) return edited.range
  // The definition that contained the lines is gone, so similar lines are other lines.
  const home = source.symbol ?? source.context?.within ?? null
  const isHomeGone = home !== null && (await definitionOf(place, home, 1, file)) === null
  return isHomeGone ? null : edited.range
}

/**
 * The named definition; of several, the one nearest to `line`. A file that does not contain the name is not
 * parsed.
 */
async function definitionOf(
  place: Place,
  symbol: string,
  line: number,
  { path, lines }: FileNow,
): Promise<LineRange | null> {
  const name = lastPart(symbol)
  if (!path.includes(name) && !lines.texts.some((text) => text.includes(name))) return null
  const found = named(await definitionsIn(place, path, lines), symbol)
  const distance = (range: LineRange) => Math.abs(range.startLine - line)
  return found.sort((a, b) => distance(a) - distance(b))[0] ?? null
}

function oldPlace({ startLine, endLine }: EntrySource, file: Lines): LineRange | null {
  const count = file.raw.length
  if (startLine === null || endLine === null || startLine > count) return null
  return trimmedRange(file, { startLine, endLine: Math.min(endLine, count) })
}
