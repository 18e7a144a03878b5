import type { Task } from "../learn/task.ts"
import { mean } from "./labels.ts"

/** Lines of a file, 1-based and inclusive. */
export type Range = { readonly start: number; readonly end: number }

export type Place = Range & { readonly path: string }

/** One file of a ranking with the places in it that are shown. */
export type ScoredFile = { readonly path: string; readonly places: readonly Range[] }

/** Files in their order; a rank is 1-based, and null where no answer is found. */
export type FileScore = { readonly file: number | null; readonly definition: number | null }

/** Scores of one answer; all are shares from 0 to 1. */
export type LineScore = {
  readonly recall: number
  readonly precision: number
  readonly f1: number
  /** Share of the changed files that are named at all. */
  readonly files: number
  /** Share of the changed definitions of which a changed line is shown; null where only top-level code changed. */
  readonly definitions: number | null
}

/** Text of the lines of a file; null for one that cannot be read. */
export type LinesOf = (path: string) => readonly string[] | null

/** The rank of the first changed file, and of the first file with a place in a changed definition. */
export function scoreFiles(task: Task, ranked: readonly ScoredFile[]): FileScore {
  const rankOf = (isHit: (file: ScoredFile) => boolean) => {
    const at = ranked.findIndex(isHit)
    return at < 0 ? null : at + 1
  }
  const definitions = task.files.flatMap(({ path, definitions: own }) =>
    own.map((each) => ({ ...each, path })),
  )
  return {
    file: rankOf(({ path }) => task.files.some((file) => file.path === path)),
    definition:
      definitions.length === 0
        ? null
        : rankOf(({ path, places }) =>
            definitions.some((own) => own.path === path && places.some((place) => overlap(place, own))),
          ),
  }
}

function overlap(a: Range, b: Range): boolean {
  return a.start <= b.end && b.start <= a.end
}

/** Compares the changed lines with the shown ones. Blank lines count neither as changed nor as shown. */
export function scoreLines(
  task: Task,
  shown: readonly Place[],
  named: readonly string[],
  linesOf: LinesOf,
): LineScore {
  const shownLines = lineKeys(shown, linesOf)
  const goldLines = lineKeys(changedPlaces(task), linesOf)
  const found = [...goldLines].filter((key) => shownLines.has(key)).length
  const recall = goldLines.size === 0 ? 0 : found / goldLines.size
  const precision = shownLines.size === 0 ? 0 : found / shownLines.size
  return {
    recall,
    precision,
    f1: found === 0 ? 0 : (2 * recall * precision) / (recall + precision),
    files: mean(task.files.map(({ path }) => (named.includes(path) ? 1 : 0))),
    definitions: shownDefinitions(task, shownLines),
  }
}

function changedPlaces(task: Task): Place[] {
  return task.files.flatMap(({ path, hunks }) => hunks.map(({ start, end }) => ({ path, start, end })))
}

/** "path:line" of every line with text. */
function lineKeys(places: readonly Place[], linesOf: LinesOf): Set<string> {
  const keys = new Set<string>()
  for (const { path, start, end } of places) {
    const lines = linesOf(path) ?? []
    for (let line = start; line <= Math.min(end, lines.length); line++)
      if (lines[line - 1]!.trim() !== "") keys.add(`${path}:${line}`)
  }
  return keys
}

function shownDefinitions(task: Task, shownLines: ReadonlySet<string>): number | null {
  const shares = task.files.flatMap(({ path, hunks, definitions }) =>
    definitions.map((definition) => {
      const own = hunks.filter((hunk) => overlap(hunk, definition))
      const isShown = own.some(({ start, end }) => {
        for (let line = Math.max(start, definition.start); line <= Math.min(end, definition.end); line++)
          if (shownLines.has(`${path}:${line}`)) return true
        return false
      })
      return isShown ? 1 : 0
    }),
  )
  return shares.length === 0 ? null : mean(shares)
}

/**
 * The lines of a file that a text shows. Each line of the text is searched after the previous one, within `range`. A
 * text may leave lines out; a line that is not in the file shows nothing.
 */
export function alignShown(text: string, range: Range, lines: readonly string[]): Range[] {
  const found: Range[] = []
  let next = range.start
  for (const wanted of text.split("\n").map((line) => line.trimEnd())) {
    if (wanted === "") continue
    for (let line = next; line <= Math.min(range.end, lines.length); line++) {
      if (lines[line - 1]!.trimEnd() !== wanted) continue
      found.push({ start: line, end: line })
      next = line + 1
      break
    }
  }
  return found
}
