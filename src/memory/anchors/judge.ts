import type { EntrySource } from "../entries/entry.ts"
import { anchoredAt, anchoredWhole, trimmedRange } from "./anchor.ts"
import { definitionsIn, definitionsNamed, lastPart } from "./file-definitions.ts"
import { findEdited } from "./find-edited.ts"
import { agreeing, findByHash, findExact } from "./locate.ts"
import { hashOfLines, indexFrom, keptLines, type NormalizedLines } from "./normalized-lines.ts"
import type { LocalProject } from "./place.ts"
import { findReflowed, findReflowedEdit, isReflowed } from "./reflow.ts"
import { presentState, type SourceState } from "./source-state.ts"
import { anchorOf, CONTEXT_LINES, type LineRange } from "./stored-anchor.ts"

/** The current file of a source, which may have been renamed. */
type FileNow = {
  readonly path: string
  readonly lines: NormalizedLines
  readonly commit: string | null
}

/**
 * The state of a memory's source in the current file; null when its lines are gone from it. Decides in this order:
 *
 * 1. The source is a whole file: unchanged if the texts are equal, or differ only in how a formatter wrapped them.
 * 2. Unchanged: the same lines stand somewhere in the file (`sameRange`). Of several places, one inside the definition
 *    that contained them comes first.
 * 3. Changed: the definition that the source names; else what is left of the lines inside the definition that contained
 *    them; else similar lines elsewhere, but only if that definition still exists or the lines are certain to be these.
 * 4. Gone.
 */
export async function judge(
  place: LocalProject,
  source: EntrySource,
  file: FileNow,
): Promise<SourceState | null> {
  const base = { path: file.path, symbol: source.symbol, commit: file.commit }
  const { texts } = file.lines
  if (source.startLine === null) {
    return presentState(
      source,
      anchoredWhole(base, file.lines),
      isSameWhole(source, texts) ? null : { texts },
    )
  }
  const within = source.context?.within ?? null
  const containing = await containingRanges(place, source, file)
  const same = sameRange(source, file.lines, containing)
  if (same !== null) return presentState(source, anchoredAt(base, file.lines, same, within), null)
  const changed = await findChanged(place, source, file, containing)
  if (changed === null) return null
  const now = { texts: textsInRange(file.lines, changed), around: textsAround(file.lines, changed) }
  return presentState(source, anchoredAt(base, file.lines, changed, within), now)
}

function isSameWhole({ hash, text }: EntrySource, texts: readonly string[]): boolean {
  if (hashOfLines(texts) === hash) return true
  const stored = text === null ? [] : keptLines(text)
  // The hash of the whole text shows whether the stored text is complete.
  return hashOfLines(stored) === hash && isReflowed(stored, texts)
}

/**
 * Lines of the definitions that contained the source's lines, or of those that the source names, in the current file.
 */
type ContainingRanges = readonly LineRange[]

/**
 * The definitions that contained the source's lines, at their present places in the file. Empty when the lines stand
 * unchanged in their old place, or belonged to no definition.
 */
async function containingRanges(
  place: LocalProject,
  source: EntrySource,
  { path, lines }: FileNow,
): Promise<ContainingRanges> {
  const symbol = source.symbol ?? source.context?.within ?? null
  if (symbol === null || isUntouched(source, lines) || !mayDefine(symbol, path, lines)) return []
  return definitionsNamed(await definitionsIn(place, path, lines), symbol)
}

/**
 * The range of a source's unchanged lines, also where a formatter wrapped them; null when there is none. Of several
 * places that match, those inside `containing` come first. No place outside counts if the lines inside `containing`
 * are an edit of the source's lines.
 */
function sameRange(
  source: EntrySource,
  lines: NormalizedLines,
  containing: ContainingRanges = [],
): LineRange | null {
  const anchor = anchorOf(source)
  if (anchor === null) return findByHash(lines, source)
  const isContained = (range: LineRange) =>
    containing.some(({ startLine, endLine }) => startLine <= range.startLine && range.endLine <= endLine)
  const exact = findExact(lines, anchor, isContained)
  if (exact !== null && (containing.length === 0 || isContained(exact))) return exact
  const reflowed = findReflowed(lines, anchor)
  const wrapped = reflowed.find(isContained) ?? (containing.length === 0 ? reflowed[0] : undefined)
  if (wrapped !== undefined) return wrapped
  const isEditedThere = containing.some((range) => findEdited(linesInRange(lines, range), anchor)?.isLeft)
  return isEditedThere ? null : (exact ?? reflowed[0] ?? null)
}

/** True if the lines and those around are unchanged in their place. */
function isUntouched(source: EntrySource, lines: NormalizedLines): boolean {
  const anchor = anchorOf(source)
  const range = anchor === null ? findByHash(lines, source) : findExact(lines, anchor)
  if (range === null || range.startLine !== source.startLine) return false
  const around = anchor === null ? [] : [...anchor.before, ...anchor.after]
  return (
    anchor === null || agreeing(lines, anchor, indexFrom(lines, range.startLine), range) === around.length
  )
}

/** The lines of a range, with their numbers in the file. */
function linesInRange(lines: NormalizedLines, { startLine, endLine }: LineRange): NormalizedLines {
  const [from, to] = [indexFrom(lines, startLine), indexFrom(lines, endLine + 1)]
  return { ...lines, texts: lines.texts.slice(from, to), numbers: lines.numbers.slice(from, to) }
}

function textsInRange(lines: NormalizedLines, range: LineRange): readonly string[] {
  return linesInRange(lines, range).texts
}

/** Up to CONTEXT_LINES lines before and after a range. */
function textsAround(lines: NormalizedLines, { startLine, endLine }: LineRange): readonly string[] {
  const [from, to] = [indexFrom(lines, startLine), indexFrom(lines, endLine + 1)]
  return [
    ...lines.texts.slice(Math.max(0, from - CONTEXT_LINES), from),
    ...lines.texts.slice(to, to + CONTEXT_LINES),
  ]
}

/** The changed range: step 3 of `judge`. If the source's lines were not stored, the range at their old place. */
async function findChanged(
  place: LocalProject,
  source: EntrySource,
  file: FileNow,
  containing: ContainingRanges,
): Promise<LineRange | null> {
  const anchor = anchorOf(source)
  if (source.symbol !== null) {
    const definition = await definitionOf(place, source.symbol, source.startLine ?? 1, file)
    if (definition !== null) return definition
  }
  if (anchor === null) return oldPlace(source, file.lines)
  const editedThere = containing
    .map((range) => findEdited(linesInRange(file.lines, range), anchor))
    .find((found) => found?.isLeft)
  if (editedThere) return editedThere.range
  const edited = findEdited(file.lines, anchor)
  if (edited === null || !edited.isLeft) {
    const wrapped = containing
      .map((range) => findReflowedEdit(linesInRange(file.lines, range), anchor))
      .find(Boolean)
    if (wrapped) return wrapped
  }
  if (edited === null) return null
  if (edited.isSure) return edited.range
  // The definition that contained the lines no longer exists, so similar lines elsewhere do not count as the source's
  // lines.
  const symbol = source.symbol ?? source.context?.within ?? null
  const isHomeGone = symbol !== null && (await definitionOf(place, symbol, 1, file)) === null
  return isHomeGone ? null : edited.range
}

/**
 * The named definition; of several, the one nearest to `line`. A file that does not contain the name is not
 * parsed.
 */
async function definitionOf(
  place: LocalProject,
  symbol: string,
  line: number,
  { path, lines }: FileNow,
): Promise<LineRange | null> {
  if (!mayDefine(symbol, path, lines)) return null
  const found = definitionsNamed(await definitionsIn(place, path, lines), symbol)
  const distance = (range: LineRange) => Math.abs(range.startLine - line)
  return found.sort((a, b) => distance(a) - distance(b))[0] ?? null
}

function mayDefine(symbol: string, path: string, { texts }: NormalizedLines): boolean {
  const name = lastPart(symbol)
  return path.includes(name) || texts.some((text) => text.includes(name))
}

function oldPlace({ startLine, endLine }: EntrySource, file: NormalizedLines): LineRange | null {
  const count = file.raw.length
  if (startLine === null || endLine === null || startLine > count) return null
  return trimmedRange(file, { startLine, endLine: Math.min(endLine, count) })
}
