import { RE2JS } from "re2js"

/**
 * Which files to look into, by globs as ripgrep's `-g` takes them: any of those without "!" must match, none of
 * those with it. One without "/" means a name wherever it stands; a folder means all below it.
 */
export function pathGlobs(globs: readonly string[]): (path: string) => boolean {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(globPattern)
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => globPattern(glob.slice(1)))
  const matches = (path: string) => (pattern: RE2JS) => pattern.test(path)
  return (path) => (wanted.length === 0 || wanted.some(matches(path))) && !unwanted.some(matches(path))
}

/** In linear time, for globs come from strangers as patterns do. */
function globPattern(glob: string): RE2JS {
  const clean = glob.replace(/^(\.\/)+/, "").replace(/\/+$/, "")
  const anchored = clean.includes("/") ? clean.replace(/^\/+/, "") : `**/${clean}`
  return RE2JS.compile(`^${patternOf(anchored)}(?:/|$)`, RE2JS.DOTALL)
}

const PIECES = /\*\*\/|\*+|\?|\\.|\[[!^]?\]?[^\]]*\]|[{},]|[^*?\\[\]{},]+|./gsu

/** A glob as a regular expression; what is unbalanced stands for itself. */
function patternOf(glob: string): string {
  const hasGroups = isBalanced(glob)
  let depth = 0
  return glob.replace(PIECES, (piece) => {
    if (hasGroups && piece === "{") depth++
    if (hasGroups && piece === "," && depth > 0) return "|"
    if (hasGroups && piece === "}") {
      depth--
      return ")"
    }
    return hasGroups && piece === "{" ? "(?:" : pieceOf(piece)
  })
}

function pieceOf(piece: string): string {
  if (piece === "**/") return "(?:.*/)?"
  if (piece.startsWith("**")) return ".*"
  if (piece === "*") return "[^/]*"
  if (piece === "?") return "[^/]"
  if (/^\[.+\]$/s.test(piece)) return bracketsOf(piece) ?? RE2JS.quote(piece)
  return RE2JS.quote(piece.length === 2 && piece.startsWith("\\") ? piece.slice(1) : piece)
}

/** Null for a class that is none, such as [z-a]. */
function bracketsOf(piece: string): string | null {
  const members = piece
    .slice(1, -1)
    .replace(/^[!^]/, "")
    .replace(/[\\[\]^]/g, "\\$&")
  const source = /^\[[!^]/.test(piece) ? `[^/${members}]` : `[${members}]`
  try {
    RE2JS.compile(source)
    return source
  } catch {
    return null
  }
}

function isBalanced(glob: string): boolean {
  let depth = 0
  for (const piece of glob.match(PIECES) ?? []) {
    if (piece === "{") depth++
    if (piece === "}" && --depth < 0) return false
  }
  return depth === 0
}
