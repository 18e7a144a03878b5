/**
 * Lines of our own at the end of a text, after a blank line. A text whose last line does not end keeps that, so that
 * `cutBlock` can tell what stood before.
 */
export function appendBlock(text: string, block: string, lineEnd: string): string {
  if (text === "") return block + lineEnd
  return text.endsWith("\n") ? text + lineEnd + block + lineEnd : text + lineEnd + lineEnd + block
}

/** The text without what `appendBlock` put there, whatever was written after it. */
export function cutBlock(text: string, from: number, to: number): string {
  const before = text.slice(0, from)
  const after = text.slice(to)
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "")
  return before.replace(/(?<=^|\n)\r?\n$/, "") + after.replace(/^\r?\n/, "")
}
