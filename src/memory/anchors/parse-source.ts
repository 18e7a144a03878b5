/** One interpretation of a typed source. */
export type SourceReading = {
  /** Null for a symbol without a file. */
  readonly path: string | null
  readonly startLine: number | null
  readonly endLine: number | null
  readonly symbol: string | null
}

/** Line numbers as people write them: "12", "12-20", "L12-L20", "12:5" (the column is ignored). */
const LINES = /^L?(\d+)(?:-L?(\d+)|:\d+)?$/i

/**
 * Parses `path`, `path:line`, `path:10-20`, `path#symbol`, `path:line#symbol`, `path#L10-L20` or a symbol.
 * Returns all interpretations in the order in which to try them: file names may contain any of these
 * characters, so the first existing file decides.
 */
export function parseSource(text: string): SourceReading[] {
  const source = text.trim()
  const readings = splits(source, "#").flatMap(([before, mark]) => {
    const anchored = mark === null ? null : linesIn(mark)
    if (anchored) return [reading(before, anchored, null)]
    if (mark !== null && /[\s/\\]/u.test(mark)) return []
    return splits(before, ":").flatMap(([path, after]) => {
      if (after === null) return [reading(path, null, mark)]
      const [first, column] = twoNumbers(path, after)
      const lines = linesIn(after)
      if (first !== null) return [reading(first, linesIn(column), mark)]
      return lines ? [reading(path, lines, mark)] : []
    })
  })
  return isSymbol(source) ? [...readings, { ...NO_LINES, path: null, symbol: source }] : readings
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text.trim())
}

const NO_LINES = { startLine: null, endLine: null }

/** Splits at the last `sign`; the unsplit text comes second. */
function splits(text: string, sign: string): [before: string, after: string | null][] {
  const at = text.lastIndexOf(sign)
  const whole: [string, null] = [text, null]
  return at > 0 && at < text.length - 1 ? [[text.slice(0, at), text.slice(at + 1)], whole] : [whole]
}

/** "a.ts:12:5": the last number is a column. */
function twoNumbers(before: string, column: string): [path: string | null, line: string] {
  const [, path, line] = /^(.+):(\d+)$/s.exec(before) ?? []
  return /^\d+$/.test(column) && path !== undefined && line !== undefined ? [path, line] : [null, ""]
}

function linesIn(text: string): { startLine: number; endLine: number } | null {
  const [, from, to] = LINES.exec(text) ?? []
  if (from === undefined) return null
  const start = Math.max(1, Number(from))
  const end = Math.max(1, Number(to ?? from))
  return { startLine: Math.min(start, end), endLine: Math.max(start, end) }
}

function reading(
  path: string,
  lines: { startLine: number; endLine: number } | null,
  symbol: string | null,
): SourceReading {
  return { path, ...(lines ?? NO_LINES), symbol }
}

/** True for the forms `name`, `Owner.name`, `Owner::name` and `Owner#name`. */
function isSymbol(text: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$~][\p{L}\p{N}_$]*[?!=]?)*$/u.test(text)
}
