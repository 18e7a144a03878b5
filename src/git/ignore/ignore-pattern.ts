import type { MatchWork } from "../../base/wildcards.ts"
import { lowerAscii, utf8Bytes, Wildmatch } from "./wildmatch.ts"

/** A pattern of an ignore or attribute file. */
export type GlobPattern = {
  /** The pattern without "!", and without a slash at its start or end. */
  readonly glob: string
  readonly foldersOnly: boolean
  /**
   * True when the pattern contains a slash that anchors it. It is then compared with the path below the folder of its
   * file; otherwise only with the name.
   */
  readonly isAnchored: boolean
}

/** A parsed line of an ignore file. */
export type IgnorePattern = GlobPattern & {
  /** True for a pattern with "!", which means that matching files are not ignored. */
  readonly isNegated: boolean
}

/** The patterns of an ignore file in order. The last pattern that matches decides. See gitignore(5). */
export function parseIgnoreFile(text: string): IgnorePattern[] {
  const patterns: IgnorePattern[] = []
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  for (const line of body.split("\n")) {
    const pattern = parseLine(line.endsWith("\r") ? line.slice(0, -1) : line)
    if (pattern) patterns.push(pattern)
  }
  return patterns
}

/** Parses a pattern without "!"; null for an empty pattern. */
export function parsePattern(written: string): GlobPattern | null {
  const foldersOnly = written.endsWith("/")
  let glob = foldersOnly ? written.slice(0, -1) : written
  const isAnchored = glob.includes("/")
  if (glob.startsWith("/")) glob = glob.slice(1)
  return glob === "" ? null : { glob, foldersOnly, isAnchored }
}

/** True when the glob has no wildcards, so that git compares it character by character. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\\]/.test(glob)
}

/** Returns a function that matches paths below the folder of the file, for an anchored pattern with wildcards. */
export function anchoredMatcher(
  glob: string,
  ignoreCase: boolean,
  work: MatchWork,
): (path: string) => boolean {
  // git compares the text before the first wildcard literally, and matches only the rest as a glob. So in "a**/b" the
  // stars are at the start of the rest and match across folders, although git's manual says otherwise.
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

/** Removes spaces at the end of the line, except a space after a backslash. */
function trimSpaces(line: string): string {
  let end = 0
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\") i++
    else if (line[i] === " ") continue
    end = Math.min(i + 1, line.length)
  }
  return line.slice(0, end)
}
