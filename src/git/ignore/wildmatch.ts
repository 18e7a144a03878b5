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
} from "../../base/wildcards.ts"

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

export function lowerAscii(text: string): string {
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
