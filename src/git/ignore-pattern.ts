import { bytesOf, lowerAscii, wildmatch } from "./wildmatch.ts"

/** A pattern as ignore and attribute files have them. */
export type GlobPattern = {
  /** Without "!", without the slashes that only anchor it or say "folders only". */
  readonly glob: string
  readonly foldersOnly: boolean
  /** It holds a slash, so it is compared with the path below its file's folder, and not with a bare name. */
  readonly isAnchored: boolean
}

/** One line of an ignore file, taken apart. */
export type IgnorePattern = GlobPattern & {
  /** "!": what it matches is not ignored after all. */
  readonly isNegated: boolean
}

/** The patterns of an ignore file in their order; the last one that matches decides. See gitignore(5). */
export function parseIgnoreFile(text: string): IgnorePattern[] {
  const patterns: IgnorePattern[] = []
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  for (const line of body.split("\n")) {
    const pattern = parseLine(line.endsWith("\r") ? line.slice(0, -1) : line)
    if (pattern) patterns.push(pattern)
  }
  return patterns
}

/** Null for one that says nothing. */
export function parsePattern(written: string): GlobPattern | null {
  const foldersOnly = written.endsWith("/")
  let glob = foldersOnly ? written.slice(0, -1) : written
  const isAnchored = glob.includes("/")
  if (glob.startsWith("/")) glob = glob.slice(1)
  return glob === "" ? null : { glob, foldersOnly, isAnchored }
}

/** True if the glob holds nothing that git would not compare letter by letter. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\\]/.test(glob)
}

/** Whether an anchored pattern that is no literal matches a path below its file's folder. */
export function matchesPath(glob: string, path: string, ignoreCase: boolean): boolean {
  // git compares the literal head first and matches only the rest, so that in "a**/b" the stars stand at the
  // start of what is left and cross folders, whatever the manual says.
  const head = glob.search(/[*?[\\]/)
  const [start, given] = [glob.slice(0, head), path.slice(0, head)]
  if (start !== given && !(ignoreCase && lowerAscii(start) === lowerAscii(given))) return false
  return wildmatch(bytesOf(glob.slice(head)), bytesOf(path.slice(head)), ignoreCase)
}

function parseLine(line: string): IgnorePattern | null {
  if (line.startsWith("#")) return null
  const written = trimSpaces(line)
  const isNegated = written.startsWith("!")
  const pattern = parsePattern(isNegated ? written.slice(1) : written)
  return pattern && { ...pattern, isNegated }
}

/** Without the spaces at the end; a backslash keeps the one that follows it. */
function trimSpaces(line: string): string {
  let end = 0
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\") i++
    else if (line[i] === " ") continue
    end = Math.min(i + 1, line.length)
  }
  return line.slice(0, end)
}
