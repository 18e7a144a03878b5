/**
 * Name of the tags around text that aman itself gives to an agent. Hooks and tools write them, and importing a
 * transcript removes the text between them; otherwise each recalled entry would be remembered and recalled again.
 */
export const CONTEXT_TAG = "aman-context"

/** The text without the parts that aman inserted. */
export function withoutContext(text: string): string {
  return withoutTagged(text, [CONTEXT_TAG])
}

/**
 * The text without elements of these names. An element that begins a line and is never closed, as in a
 * truncated text, reaches to the end; a tag mentioned in a sentence stays. Runs in linear time for any text.
 */
export function withoutTagged(text: string, names: readonly string[]): string {
  return names.reduce((left, name) => (left.includes(`<${name}`) ? withoutElements(left, name) : left), text)
}

function withoutElements(text: string, name: string): string {
  const close = `</${name}>`
  let kept = ""
  let from = 0
  for (;;) {
    const open = nextOpen(text, name, from)
    if (open === null) return kept + text.slice(from)
    const end = text.indexOf(close, open.end)
    if (end < 0) return kept + withoutCut(text.slice(from), name)
    kept += text.slice(from, open.start).replace(/[ \t]{1,40}$/, "")
    from = end + close.length
    // A line that contained nothing else is removed completely.
    if (kept === "" || kept.endsWith("\n"))
      from += /^[ \t]{0,40}\n?/.exec(text.slice(from, from + 41))![0].length
  }
}

/** The text without an element that begins a line and is never closed. */
function withoutCut(text: string, name: string): string {
  for (let open = nextOpen(text, name, 0); open !== null; open = nextOpen(text, name, open.end)) {
    const line = text.slice(Math.max(0, open.start - 41), open.start)
    const [indent] = /[ \t]*$/.exec(line)!
    const before = text[open.start - indent.length - 1]
    if (before === undefined || before === "\n")
      return text.slice(0, Math.max(0, open.start - indent.length - 1))
  }
  return text
}

function nextOpen(text: string, name: string, from: number): { start: number; end: number } | null {
  const begin = `<${name}`
  for (let start = text.indexOf(begin, from); start >= 0; start = text.indexOf(begin, start + 1)) {
    const rest = text.slice(start + begin.length, start + begin.length + 200)
    const tag = /^(?:\s[^<>]*)?>/.exec(rest)
    if (tag) return { start, end: start + begin.length + tag[0].length }
  }
  return null
}
