/**
 * A compiled wildcard pattern. An operation from 0 to 65535 matches this UTF-16 unit; the constants below match more
 * than one text; and `SET + i` matches one character in `sets[i]`.
 */
export type WildcardProgram = {
  readonly operations: readonly number[]
  readonly sets: readonly CharSet[]
}

/** Matches one character except "/". */
export const ANY = 0x1_0000
/** Matches any number of characters except "/". */
export const STAR = 0x1_0001
/** Matches any text. Allowed only at the end of a program, or before the operation for "/". */
export const DEEP = 0x1_0002
/**
 * Matches nothing, or any text that ends with "/". Allowed only at the start of a program, or after the operation for
 * "/".
 */
export const FOLDERS = 0x1_0003
/** Matches no text, so that the whole program never matches. */
export const NEVER = 0x1_0004
export const SET = 0x2_0000

const SLASH = 47
const TABLE_SIZE = 256

/** Number of steps that matching has taken. In a step, one operation is tried at one position of the text. */
export type MatchWork = { steps: number }

/** The first and last characters of the ranges of each POSIX class, in the C locale as in git. */
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    alnum: ["AZ", "az", "09"],
    alpha: ["AZ", "az"],
    blank: ["\t\t", "  "],
    cntrl: ["\x00\x1f", "\x7f\x7f"],
    digit: ["09"],
    graph: ["!~"],
    lower: ["az"],
    print: [" ~"],
    punct: ["!/", ":@", "[`", "{~"],
    space: ["\t\r", "  "],
    upper: ["AZ"],
    xdigit: ["AF", "af", "09"],
  }),
)

/** The set of characters in brackets. It never contains "/". */
export class CharSet {
  readonly #table = new Uint8Array(TABLE_SIZE)
  /** First and last code of each range that contains codes beyond the table. */
  readonly #ranges: number[] = []
  #isNegated = false

  add(first: number, last: number = first): void {
    for (let code = first; code <= Math.min(last, TABLE_SIZE - 1); code++) this.#table[code] = 1
    if (last >= TABLE_SIZE && last >= first) this.#ranges.push(first, last)
  }

  /** Adds the characters of a class "[:name:]"; false if there is no such class. */
  addClass(name: string): boolean {
    const ranges = CLASSES.get(name)
    for (const range of ranges ?? []) this.add(range.charCodeAt(0), range.charCodeAt(1))
    return ranges !== undefined
  }

  negate(): void {
    this.#isNegated = true
  }

  has(code: number): boolean {
    return (
      code !== SLASH &&
      (code < TABLE_SIZE ? this.#table[code] === 1 : this.#inRanges(code)) !== this.#isNegated
    )
  }

  #inRanges(code: number): boolean {
    for (let i = 0; i < this.#ranges.length; i += 2) {
      if (code >= this.#ranges[i]! && code <= this.#ranges[i + 1]!) return true
    }
    return false
  }
}

/**
 * True when a program matches the whole of `text`. Takes at most about |program| × |text| steps.
 *
 * Two positions for backtracking are enough. Within a folder, every match of a later star is also covered by an earlier
 * one, so the earlier star need not be tried again once the later one was reached. The same is true of DEEP and FOLDERS
 * for whole paths. They can begin only at the start of a folder, so each part of the text is compared with each part of
 * the program once.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over two positions; as functions it is slower
export function matchesWildcards(program: WildcardProgram, text: string, work?: MatchWork): boolean {
  const { operations, sets } = program
  const end = operations.length
  const length = text.length
  let at = 0
  let position = 0
  let steps = 0
  // The positions to resume at when a comparison fails: after the last STAR, and after the last DEEP or FOLDERS.
  let star = -1
  let starPosition = 0
  let deep = -1
  let deepPosition = 0
  let matches = false
  for (;;) {
    steps++
    if (at === end) {
      if (position === length) {
        matches = true
        break
      }
      // A star at the end of the program matches the rest of this folder.
      if (star === end && text.indexOf("/", position) < 0) {
        matches = true
        break
      }
    } else {
      const operation = operations[at]!
      if (operation === STAR) {
        star = ++at
        starPosition = position
        continue
      }
      if (operation === FOLDERS) {
        deep = ++at
        deepPosition = position
        star = -1
        continue
      }
      if (operation === DEEP) {
        if (at + 1 === end) {
          matches = true
          break
        }
        // The operation after a DEEP is "/".
        deepPosition = text.indexOf("/", position)
        if (deepPosition < 0) break
        deepPosition++
        at += 2
        deep = at
        position = deepPosition
        star = -1
        continue
      }
      if (position < length) {
        const code = text.charCodeAt(position)
        if (operation < ANY) {
          if (operation === code) {
            at++
            position++
            continue
          }
        } else if (operation === ANY) {
          if (code !== SLASH) {
            at++
            position += isPair(code, text, position) ? 2 : 1
            continue
          }
        } else if (operation >= SET && sets[operation - SET]!.has(code)) {
          at++
          position++
          continue
        }
      }
    }
    if (star >= 0 && star < end && starPosition < length && text.charCodeAt(starPosition) !== SLASH) {
      position = ++starPosition
      at = star
    } else if (deep >= 0) {
      const slash = text.indexOf("/", deepPosition)
      if (slash < 0) break
      deepPosition = position = slash + 1
      at = deep
      star = -1
    } else break
  }
  if (work) work.steps += steps
  return matches
}

/** True when a surrogate pair (two units) begins at `position`. */
function isPair(code: number, text: string, position: number): boolean {
  return code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(position + 1) & 0xfc00) === 0xdc00
}
