/**
 * Lines `first` to `last` of a text, counted from 1, as splitting it would give them: a large file's lines would each
 * be made into a string for the sake of a few.
 */
export function lineRange(text: string, first: number, last: number): string {
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = text.indexOf("\n", start)
    if (end < 0) return ""
    start = end + 1
  }
  let end = start - 1
  for (let line = first; line <= last; line++) {
    end = text.indexOf("\n", end + 1)
    if (end < 0) return text.slice(start)
  }
  return last < first ? "" : text.slice(start, end)
}
