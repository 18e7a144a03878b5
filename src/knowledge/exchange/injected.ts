/**
 * What aman itself puts before an agent stands between these tags: hooks and tools write them, and a transcript that
 * is imported loses what is between them. Else each recall would be remembered, and recalled again.
 */
export const CONTEXT_TAG = "aman-context"

/** The text without what aman put into it. */
export function withoutContext(text: string): string {
  return withoutTagged(text, [CONTEXT_TAG])
}

/**
 * The text without the elements of these names. One that begins a line and is never closed, as in a text that was cut,
 * goes to the end; a tag named in a sentence stays.
 */
export function withoutTagged(text: string, names: readonly string[]): string {
  let left = text
  for (const name of names) {
    if (!left.includes(`<${name}`)) continue
    const closed = new RegExp(`[ \\t]*<${name}(?:\\s[^<>]*)?>[\\s\\S]*?</${name}>[ \\t]*\\n?`, "g")
    const open = new RegExp(`(?:^|\\n)[ \\t]*<${name}(?:\\s[^<>]*)?>[\\s\\S]*$`)
    left = left.replace(closed, "").replace(open, "")
  }
  return left
}
