const TAG = /<\s*(\/?)\s*private(?=[\s/>])[^>]*>|<\s*private\b[^>]*$/giu

/**
 * The text without what stands in `<private>…</private>`, tags included. Nested ones end with the outermost; one that
 * is never closed reaches to the end.
 */
export function withoutPrivate(text: string): string {
  let kept = ""
  let depth = 0
  let end = 0
  for (const tag of text.matchAll(TAG)) {
    const isClosing = tag[1] === "/"
    if (depth === 0) kept += text.slice(end, tag.index)
    depth = isClosing ? Math.max(0, depth - 1) : depth + 1
    end = tag.index + tag[0].length
  }
  return depth === 0 ? kept + text.slice(end) : kept
}
