import {
  ANY,
  CharSet,
  DEEP,
  FOLDERS,
  type MatchWork,
  matchesWildcards,
  NEVER,
  SET,
  STAR,
  type WildcardProgram,
} from "./wildcards.ts"

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
type IgnorePattern = GlobPattern & {
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
  let glob = (foldersOnly ? written.slice(0, -1) : written).normalize("NFC")
  const isAnchored = glob.includes("/")
  if (glob.startsWith("/")) glob = glob.slice(1)
  return glob === "" ? null : { glob, foldersOnly, isAnchored }
}

/** True when the glob has no wildcards, so that git compares it character by character. */
function isLiteral(glob: string): boolean {
  return !/[*?[\\]/.test(glob)
}

/** Returns a function that matches paths below the folder of the file, for an anchored pattern with wildcards. */
function anchoredMatcher(glob: string, ignoreCase: boolean, work: MatchWork): (path: string) => boolean {
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

const BACKSLASH = 92
const BANG = 33
const BRACKET_CLOSE = 93
const BRACKET_OPEN = 91
const CARET = 94
const COLON = 58
const DASH = 45
const QUESTION = 63
const SLASH = 47
const STAR_CHAR = 42
const LOWER_A = 97
const LOWER_Z = 122
const UPPER_A = 65
const UPPER_Z = 90

/** A git glob. It is compiled at its first use, because most patterns of a file are never compared. */
export class Wildmatch {
  readonly #pattern: string
  readonly #fold: boolean
  #program: WildcardProgram | null = null

  /**
   * `pattern` is a string of bytes (see `utf8Bytes`), because "?" means one byte in git, not one character. `fold`
   * ignores the case of ASCII letters in the same places as git does: not in brackets, and not after a backslash.
   */
  constructor(pattern: string, fold: boolean) {
    this.#pattern = pattern
    this.#fold = fold
  }

  /** True when the glob matches the whole of `text`, which must be a string of bytes, too. */
  matches(text: string, work?: MatchWork): boolean {
    if (this.#program === null) {
      this.#program = new Compiler(this.#pattern, this.#fold).compile()
      if (work) work.steps += this.#pattern.length
    }
    return matchesWildcards(this.#program, this.#fold ? lowerAscii(text) : text, work)
  }
}

/** True when a git glob matches the whole of `text`. "*" and "?" do not match "/"; "**" between slashes does. */
export function wildmatch(pattern: string, text: string, fold = false): boolean {
  return new Wildmatch(pattern, fold).matches(text)
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * A string in which each char code is one byte of the text in UTF-8. A text of ASCII characters is returned unchanged.
 */
export function utf8Bytes(text: string): string {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return Buffer.from(text, "utf8").toString("latin1")
  }
  return text
}

/** Parses a glob in the same way as git's wildmatch.c with WM_PATHNAME. */
class Compiler {
  readonly #pattern: string
  readonly #fold: boolean
  readonly #operations: number[] = []
  readonly #sets: CharSet[] = []
  #at = 0
  /**
   * Position of the first "]" after `#at`. It is kept until `#at` has passed it, so that no part of the pattern is
   * searched twice.
   */
  #close = -1

  constructor(pattern: string, fold: boolean) {
    this.#pattern = pattern
    this.#fold = fold
  }

  compile(): WildcardProgram {
    while (this.#at < this.#pattern.length) this.#operations.push(this.#next())
    return { operations: this.#operations, sets: this.#sets }
  }

  #next(): number {
    const code = this.#take()
    if (code === STAR_CHAR) return this.#stars()
    if (code === QUESTION) return ANY
    if (code === BRACKET_OPEN) return this.#brackets()
    if (code === BACKSLASH) return this.#at < this.#pattern.length ? this.#take() : NEVER
    return this.#fold && code >= UPPER_A && code <= UPPER_Z ? code + 32 : code
  }

  #take(): number {
    return this.#pattern.charCodeAt(this.#at++)
  }

  /** The char code that is `ahead` positions after the next one; NaN after the end of the pattern. */
  #peek(ahead = 0): number {
    return this.#pattern.charCodeAt(this.#at + ahead)
  }

  #stars(): number {
    const start = this.#at - 1
    while (this.#peek() === STAR_CHAR) this.#at++
    const beginsFolder = start === 0 || this.#pattern.charCodeAt(start - 1) === SLASH
    if (this.#at - start === 1 || !beginsFolder) return STAR
    if (this.#at === this.#pattern.length) return DEEP
    // In git, "**/" can match no folder at all, but "**\/" must match at least one.
    if (this.#peek() === BACKSLASH && this.#peek(1) === SLASH) return DEEP
    if (this.#peek() !== SLASH) return STAR
    this.#at++
    return FOLDERS
  }

  /** Parses a set after its "["; NEVER (which matches nothing) if the set is not closed or names an unknown class. */
  #brackets(): number {
    const set = new CharSet()
    const isNegated = this.#peek() === BANG || this.#peek() === CARET
    if (isNegated) this.#at++
    let previous = 0
    // A "]" directly after the "[" is an ordinary member.
    for (let isFirst = true; isFirst || this.#peek() !== BRACKET_CLOSE; isFirst = false) {
      const member = this.#member(set, previous)
      if (member === null) {
        this.#at = this.#pattern.length
        return NEVER
      }
      previous = member
    }
    this.#at++
    if (isNegated) set.negate()
    this.#sets.push(set)
    return SET + this.#sets.length - 1
  }

  /**
   * Adds a member to the set. Returns the character that may begin a range; 0 if there is none; null if the set is
   * invalid.
   */
  #member(set: CharSet, previous: number): number | null {
    if (this.#at >= this.#pattern.length) return null
    const code = this.#take()
    if (code === BACKSLASH) {
      if (this.#at >= this.#pattern.length) return null
      const escaped = this.#take()
      set.add(escaped)
      return escaped
    }
    if (code === DASH && previous > 0 && !this.#isRangeOver()) {
      if (this.#peek() === BACKSLASH) this.#at++
      if (this.#at >= this.#pattern.length) return null
      this.#addRange(set, previous, this.#take())
      return 0
    }
    if (code === BRACKET_OPEN && this.#peek() === COLON) return this.#class(set)
    set.add(code)
    return code
  }

  #isRangeOver(): boolean {
    return this.#at >= this.#pattern.length || this.#peek() === BRACKET_CLOSE
  }

  /**
   * Adds a range to the set. With `fold`, the text is in lower case, and git also compares its letters in upper case.
   */
  #addRange(set: CharSet, first: number, last: number): void {
    set.add(first, last)
    if (!this.#fold) return
    const [from, to] = [Math.max(first, UPPER_A), Math.min(last, UPPER_Z)]
    if (from <= to) set.add(from + 32, to + 32)
  }

  #class(set: CharSet): number | null {
    if (this.#close < this.#at + 1) this.#close = this.#pattern.indexOf("]", this.#at + 1)
    const close = this.#close
    if (close < 0) return null
    if (close <= this.#at + 1 || this.#pattern.charCodeAt(close - 1) !== COLON) {
      set.add(BRACKET_OPEN)
      return BRACKET_OPEN
    }
    const name = this.#pattern.slice(this.#at + 1, close - 1)
    if (!set.addClass(name)) return null
    if (this.#fold && name === "upper") set.add(LOWER_A, LOWER_Z)
    this.#at = close + 1
    return 0
  }
}

// Number of comparison steps that are always allowed; each takes 2 to 10 ns. A file with 500 patterns takes some 2,000
// steps for each path. A file that takes ten times as many, for each of many thousand paths, was made to slow down the
// programs that read it.
const FREE_STEPS = 200_000_000
const STEPS_PER_PATH = 20_000

/** The patterns of one file. The table finds the last pattern that matches a path. */
export type PatternTable = {
  /**
   * Position in the file of the last pattern that matches; −1 if none matches. `path` is relative to the folder of the
   * file.
   */
  last(path: string, name: string, isFolder: boolean): number
  /** Number of patterns that are compared one by one. */
  readonly globs: number
  /** True once comparing the globs has exceeded the limit of steps. From then on, globs are not compared. */
  readonly isSpent: boolean
}

/**
 * Creates the table. Nearly all real patterns are a plain name, "*.extension" or a plain path. These are looked up in
 * maps, so that their number does not matter; only other globs are compared one by one. Of all patterns that match, the
 * one with the last position in the file wins.
 */
export function tableOf(patterns: readonly GlobPattern[], ignoreCase: boolean): PatternTable {
  const tables: Tables = {
    names: new Table(),
    extensions: new Table(),
    paths: new Table(),
    globs: [],
    work: { steps: 0 },
  }
  for (const [position, pattern] of patterns.entries()) addPattern(tables, pattern, position, ignoreCase)
  tables.globs.reverse()
  let allowedSteps = FREE_STEPS
  const { work } = tables
  return {
    last: (path, name, isFolder) => {
      allowedSteps += STEPS_PER_PATH
      const [composed, ownName] = [path.normalize("NFC"), name.normalize("NFC")]
      return lastMatch(tables, composed, ownName, isFolder, ignoreCase, work.steps > allowedSteps)
    },
    globs: tables.globs.length,
    get isSpent() {
      return work.steps > allowedSteps
    },
  }
}

type Glob = {
  readonly position: number
  readonly foldersOnly: boolean
  matches(path: string, name: string): boolean
}

type Tables = {
  readonly names: Table
  readonly extensions: Table
  readonly paths: Table
  /** The patterns with wildcards, from the last to the first. */
  readonly globs: Glob[]
  readonly work: MatchWork
}

/**
 * For each name, path or extension that occurs as a pattern, its last position in the file. There are two positions:
 * for matching folders, and for matching anything else.
 */
class Table {
  private readonly anything = new Map<string, number>()
  private readonly folders = new Map<string, number>()

  add(key: string, position: number, foldersOnly: boolean): void {
    this.folders.set(key, position)
    if (!foldersOnly) this.anything.set(key, position)
  }

  get(key: string, isFolder: boolean): number {
    return (isFolder ? this.folders : this.anything).get(key) ?? -1
  }

  get isEmpty(): boolean {
    return this.folders.size === 0
  }
}

/** Adds a pattern to the map for its kind or, if it has other wildcards, to the globs. */
function addPattern(
  tables: Tables,
  { glob, isAnchored, foldersOnly }: GlobPattern,
  position: number,
  ignoreCase: boolean,
): void {
  const key = ignoreCase ? lowerAscii(glob) : glob
  if (isLiteral(glob)) (isAnchored ? tables.paths : tables.names).add(key, position, foldersOnly)
  else if (!isAnchored && /^\*\.[^.*?[\\]+$/.test(glob))
    tables.extensions.add(key.slice(1), position, foldersOnly)
  else
    tables.globs.push({
      position,
      foldersOnly,
      matches: globMatcher(glob, isAnchored, ignoreCase, tables.work),
    })
}

function globMatcher(
  glob: string,
  isAnchored: boolean,
  ignoreCase: boolean,
  work: MatchWork,
): Glob["matches"] {
  if (isAnchored) return anchoredMatcher(glob, ignoreCase, work)
  const rest = glob.slice(1)
  if (glob.startsWith("*") && isLiteral(rest) && !ignoreCase) {
    return (_, name) => {
      work.steps++
      return name.endsWith(rest)
    }
  }
  const wildmatch = new Wildmatch(utf8Bytes(glob), ignoreCase)
  return (_, name) => wildmatch.matches(utf8Bytes(name), work)
}

function lastMatch(
  tables: Tables,
  path: string,
  name: string,
  isFolder: boolean,
  ignoreCase: boolean,
  isSpent: boolean,
): number {
  const [pathKey, nameKey] = ignoreCase ? [lowerAscii(path), lowerAscii(name)] : [path, name]
  let last = tables.names.get(nameKey, isFolder)
  if (!tables.extensions.isEmpty) {
    const dot = nameKey.lastIndexOf(".")
    if (dot >= 0) last = Math.max(last, tables.extensions.get(nameKey.slice(dot), isFolder))
  }
  if (!tables.paths.isEmpty) last = Math.max(last, tables.paths.get(pathKey, isFolder))
  if (isSpent) return last
  for (const glob of tables.globs) {
    if (glob.position < last) break
    if ((isFolder || !glob.foldersOnly) && glob.matches(path, name)) return glob.position
  }
  return last
}
