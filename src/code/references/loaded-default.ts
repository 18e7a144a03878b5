/** Max characters around an `import()` that are read. */
const NEAR_CHARS = 300

const BOUND = /^(?:[\w$]+\.)*(\{[^{}]*\}|[A-Za-z_$][\w$]*)\s*=(?![=>])/
const MEMBER = /\)\s*\??\.\s*([A-Za-z_$][\w$]*)$/
const THEN = /^\s*\(\s*(?:async\s*)?\(?\s*(\{[^{}]*\}|[A-Za-z_$][\w$]*)[^=(]{0,100}=>/
const AS_STATEMENT = /^(?:void\s+|await\s+)*import\s*\(/
const RETURNED = /=>\s*(?:await\s+)?\(?\s*import\s*\(|^return\b/
const TAKEN = /\bdefault\s*:\s*([A-Za-z_$][\w$]*)/

/**
 * The name that code with `import("./module")` binds to the default export: `open` for `const { default: open } = await
 * import("./shop")`. "" if it takes the default without a name, or gives the whole module to a caller that may take it,
 * as `lazy(() => import("./Page"))` does. Null if it takes no default.
 */
export function loadedDefault(text: string, start: number, end: number): string | null {
  const written = text.slice(start, end)
  const after = text.slice(end, end + NEAR_CHARS)
  const bound = BOUND.exec(written)?.[1]
  if (bound !== undefined) return takenOf(bound, text)
  const member = MEMBER.exec(written)?.[1]
  if (member === "then") {
    const taken = THEN.exec(after)?.[1]
    return taken === undefined ? "" : takenOf(taken, after)
  }
  if (member !== undefined) return member === "default" ? "" : null
  if (RETURNED.test(written)) return ""
  if (AS_STATEMENT.test(written)) return null
  return /\bdefault\b/.test(text.slice(Math.max(0, start - NEAR_CHARS), end) + after) ? "" : null
}

/** What a pattern takes of the default, or what the text takes of a module with a name. */
function takenOf(bound: string, text: string): string | null {
  if (bound.startsWith("{")) return TAKEN.exec(bound)?.[1] ?? null
  const name = RegExp.escape(bound)
  const isTaken = new RegExp(
    `(?<![\\w$])${name}\\s*\\??\\.\\s*default\\b|\\bdefault\\b[^{}]*\\}\\s*=\\s*${name}(?![\\w$])`,
  )
  return isTaken.test(text) ? "" : null
}
