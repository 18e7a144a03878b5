/** A line that a text names. `path` is as written, with "/", perhaps only a file name; `row` is the row of the text. */
export type NamedLine = { readonly path: string; readonly line: number; readonly row: string }

const [MAX_ROW, MAX_NAMED] = [2000, 1000]
/** An extension and a line: a.ts:12, a.ts(12,5), a.cs:line 12, "a.py", line 12, a.php on line 12, a.ts#L12. */
const PLACE = /(\.\p{L}\w{0,9})(?::(?:line )?|\(|#L|"?,? (?:on )?line )(\d{1,6})(?!\w)/gu
const PATH_END = /[\p{L}\p{N}_@+.\\/-]+$/u
/** Python names the frame nearest to the error last; linters print a path once, above line and column of each message. */
const INNERMOST_LAST = /^\s*File "|^\S+\.py:\d+: (?:in )?\w+$/
const ALONE = /^\S*[\p{L}\p{N}_-]\.\p{L}\w{0,9}$/u

/** The lines that a stack trace, a compiler, a linter, a test or a link names, those nearest to an error first. */
export function namedLines(text: string): NamedLine[] {
  const named: NamedLine[] = []
  let alone = ""
  for (const whole of text.split(/\r\n?|\n/)) {
    const row = whole.slice(0, MAX_ROW).replace(/^\s+(?=\d{1,6}:\d+\s)/, () => `${alone}:`)
    if (ALONE.test(row)) alone = row
    for (const { index, 1: extension, 2: line } of row.matchAll(PLACE)) {
      const [stem = ""] = PATH_END.exec(row.slice(Math.max(0, index - 300), index)) ?? []
      const each = { path: `${stem}${extension}`.replaceAll("\\", "/"), line: Number(line), row }
      if (named.length < MAX_NAMED) named[INNERMOST_LAST.test(row) ? "unshift" : "push"](each)
    }
  }
  return named
}
