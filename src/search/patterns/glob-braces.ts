import { AmanError } from "../../base/errors.ts"

/**
 * A glob that expands to more patterns or characters than this is refused, because each path is compared with all
 * patterns.
 */
const MAX_PATTERNS = 1000
const MAX_CHARACTERS = 16_384

/**
 * The patterns that a glob with braces expands to: "*.{c,h}" to "*.c" and "*.h", "v{1..3}" to three patterns.
 * Unbalanced and escaped braces are literal. "{a}" expands to itself and to "a", because a folder may be called {id}.
 */
export function expandBraces(pattern: string): string[] {
  if (!pattern.includes("{")) return [pattern]
  const patterns = [...new Set(new BraceReader(pattern).read())]
  if (patterns.reduce((sum, each) => sum + each.length, 0) > MAX_CHARACTERS) throw tooMany()
  return patterns
}

class BraceReader {
  readonly #pattern: string
  /** Position of the "}" that belongs to each "{". */
  readonly #closers: ReadonlyMap<number, number>
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#closers = closersOf(pattern)
  }

  read(): string[] {
    return this.#until(this.#pattern.length)
  }

  /**
   * The expansions of the text from `#at` to `end`. If the text is one alternative inside braces (`isPart`), it ends at
   * the next ",".
   */
  #until(end: number, isPart = false): string[] {
    let found = [""]
    let plain = ""
    while (this.#at < end) {
      const char = this.#pattern[this.#at]!
      if (isPart && char === ",") break
      const close = char === "{" ? this.#closers.get(this.#at) : undefined
      if (close === undefined) {
        plain += this.#character()
        continue
      }
      found = concatenations(found, [plain], this.#braces(close))
      plain = ""
    }
    return concatenations(found, [plain])
  }

  /** Reads one character, including the backslash before it. */
  #character(): string {
    const length = this.#pattern[this.#at] === "\\" ? 2 : 1
    this.#at += length
    return this.#pattern.slice(this.#at - length, this.#at)
  }

  #braces(close: number): string[] {
    const inner = this.#pattern.slice(this.#at + 1, close)
    this.#at++
    const range = rangeOf(inner)
    if (range !== null) {
      this.#at = close + 1
      return range
    }
    const parts: string[][] = [this.#until(close, true)]
    while (this.#at < close) {
      this.#at++
      parts.push(this.#until(close, true))
    }
    this.#at = close + 1
    const all = parts.flat()
    if (parts.length > 1) return all
    return limited([...all, ...all.map((each) => `\\{${each}\\}`)])
  }
}

function concatenations(...lists: readonly (readonly string[])[]): string[] {
  return lists.reduce<string[]>(
    (starts, ends) => {
      checkCount(starts.length * ends.length)
      return starts.flatMap((start) => ends.map((end) => start + end))
    },
    [""],
  )
}

function limited(patterns: string[]): string[] {
  checkCount(patterns.length)
  return patterns
}

function checkCount(count: number): void {
  if (count > MAX_PATTERNS) throw tooMany()
}

function tooMany(): AmanError {
  const limits = `more than ${MAX_PATTERNS} patterns or ${MAX_CHARACTERS} characters`
  return new AmanError("USAGE", `the braces of a glob expand to ${limits}`, {
    hint: "use several globs, or * instead of some braces",
  })
}

/** The texts of a range such as "1..3" or "a..c"; null for anything else. */
function rangeOf(inner: string): string[] | null {
  const [, first, last] = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])$/.exec(inner) ?? []
  if (first === undefined || last === undefined) return null
  const isNumber = /\d/.test(first)
  if (isNumber !== /\d/.test(last)) return null
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)]
  const count = Math.abs(to - from) + 1
  checkCount(count)
  const values = Array.from({ length: count }, (_, i) => Math.min(from, to) + i)
  return values.map((value) => (isNumber ? String(value) : String.fromCharCode(value)))
}

/**
 * The position of the closing brace for each opening one. Braces after a backslash and unbalanced braces are left out,
 * because they are literal.
 */
function closersOf(pattern: string): Map<number, number> {
  const closers = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === "\\") at++
    else if (char === "{") open.push(at)
    else if (char === "}" && open.length > 0) closers.set(open.pop()!, at)
  }
  return closers
}
