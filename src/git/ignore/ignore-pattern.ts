import type { MatchWork } from "../../base/wildcards.ts"
import { lowerAscii, utf8Bytes, Wildmatch } from "./wildmatch.ts"

/** A pattern of an ignore or attribute file. */
export type GlobPattern = {
  /** The pattern without "!", and without slashes that only anchor it or mean "folders only". */
  readonly glob: string
  readonly foldersOnly: boolean
  /**
   * True when it contains a slash: it is then compared with the path below its file's folder, not with the
   * bare name.
   */
  readonly isAnchored: boolean
}

/** A parsed line of an ignore file. */
export type IgnorePattern = GlobPattern & {
  /** "!": files that match are not ignored after all. */
  readonly isNegated: boolean
}

/** The patterns of an ignore file in order; the last one that matches decides. See gitignore(5). */
export function parseIgnoreFile(text: string): IgnorePattern[] {
  const patterns: IgnorePattern[] = []
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  for (const line of body.split("\n")) {
    const pattern = parseLine(line.endsWith("\r") ? line.slice(0, -1) : line)
    if (pattern) patterns.push(pattern)
  }
  return patterns
}

/** Parses a pattern without "!"; null for an empty one. */
export function parsePattern(written: string): GlobPattern | null {
  const foldersOnly = written.endsWith("/")
  let glob = foldersOnly ? written.slice(0, -1) : written
  const isAnchored = glob.includes("/")
  if (glob.startsWith("/")) glob = glob.slice(1)
  return glob === "" ? null : { glob, foldersOnly, isAnchored }
}

/** True when git compares the glob character by character. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\\]/.test(glob)
}

/** Returns a matcher of paths below the file's folder, for an anchored pattern that is not literal. */
export function anchoredMatcher(
  glob: string,
  ignoreCase: boolean,
  work: MatchWork,
): (path: string) => boolean {
  // git compares the literal head first and matches only the rest, so that in "a**/b" the stars are at the
  // start of the rest and cross folders, contrary to the manual.
  const head = glob.search(/[*?[\\]/)
  const start = ignoreCase ? lowerAscii(glob.slice(0, head)) : glob.slice(0, head)
  const rest = new Wildmatch(utf8Bytes(glob.slice(head)), ignoreCase)
  return (path) => {
    work.steps++
    const given = path.slice(0, head)
    if (start !== given && !(ignoreCase && start === lowerAscii(given))) return false
    return rest.matches(utf8Bytes(path.slice(head)), work)
  }
}

function parseLine(line: string): IgnorePattern | null {
  if (line.startsWith("#")) return null
  const written = trimSpaces(line)
  const isNegated = written.startsWith("!")
  const pattern = parsePattern(isNegated ? written.slice(1) : written)
  return pattern && { ...pattern, isNegated }
}

/** Removes the spaces at the end; a backslash keeps the space that follows it. */
function trimSpaces(line: string): string {
  let end = 0
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\") i++
    else if (line[i] === " ") continue
    end = Math.min(i + 1, line.length)
  }
  return line.slice(0, end)
}
