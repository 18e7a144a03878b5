// Results of a partial match, after Rich $alz' wildmat.c (1986) by way of git's wildmatch.c: an abort tells the
// star that called that moving on cannot help, which keeps hostile patterns from exploding.
const MATCH = 0
const NO_MATCH = 1
const ABORT_ALL = -1
const ABORT_TO_STARSTAR = -2

const BACKSLASH = 92
const BANG = 33
const BRACKET_CLOSE = 93
const BRACKET_OPEN = 91
const CARET = 94
const COLON = 58
const DASH = 45
const QUESTION = 63
const SLASH = 47
const STAR = 42

/** POSIX character classes, in the C locale as git has them. */
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[A-Za-z0-9]/],
  ["alpha", /[A-Za-z]/],
  ["blank", /[ \t]/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what the class is
  ["cntrl", /[\x00-\x1f\x7f]/],
  ["digit", /[0-9]/],
  ["graph", /[!-~]/],
  ["lower", /[a-z]/],
  ["print", /[ -~]/],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /[ \t\n\v\f\r]/],
  ["upper", /[A-Z]/],
  ["xdigit", /[A-Fa-f0-9]/],
])

/**
 * Whether a git glob matches the whole of `text`. "*" and "?" stop at "/", "**" between slashes does not.
 * Both are strings of bytes (see `bytesOf`), for git's "?" is one byte and not one character. `fold` ignores the
 * case of ASCII letters as git does: not in the pattern's brackets, nor behind a backslash.
 */
export function wildmatch(pattern: string, text: string, fold = false): boolean {
  return matchFrom(pattern, 0, fold ? lowerAscii(text) : text, 0, fold) === MATCH
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A string whose every char code is one byte of the UTF-8 form; the same string when it is plain ASCII. */
export function bytesOf(text: string): string {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return Buffer.from(text, "utf8").toString("latin1")
  }
  return text
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over the pattern's characters, as in git
function matchFrom(pattern: string, start: number, text: string, from: number, fold: boolean): number {
  let t = from
  for (let p = start; p < pattern.length; p++, t++) {
    let wanted = pattern.charCodeAt(p)
    if (t >= text.length && wanted !== STAR) return ABORT_ALL
    if (wanted === STAR) {
      const verdict = matchStar(pattern, start, p, text, t, fold)
      if (verdict <= NO_MATCH) return verdict
      // One star and a slash: go on behind the next slash of the text.
      t = text.indexOf("/", t)
      p = pattern.indexOf("/", p)
    } else if (wanted === QUESTION) {
      if (text.charCodeAt(t) === SLASH) return NO_MATCH
    } else if (wanted === BRACKET_OPEN) {
      const end = matchBracket(pattern, p, text.charCodeAt(t), fold)
      if (end < 0) return end
      if (end === 0) return NO_MATCH
      p = end
    } else {
      if (wanted === BACKSLASH)
        wanted = pattern.charCodeAt(++p) // NaN at the end, equal to nothing
      else if (fold) wanted = lower(wanted)
      if (wanted !== text.charCodeAt(t)) return NO_MATCH
    }
  }
  return t >= text.length ? MATCH : NO_MATCH
}

const SKIP_TO_SLASH = 2

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the four cases of a star stand together, as in git
function matchStar(
  pattern: string,
  start: number,
  star: number,
  text: string,
  from: number,
  fold: boolean,
): number {
  let p = star + 1
  while (pattern.charCodeAt(p) === STAR) p++
  const next = pattern.charCodeAt(p) // NaN at the end
  let crosses = false
  if (p - star > 1 && (star === start || pattern.charCodeAt(star - 1) === SLASH)) {
    const escapedSlash = next === BACKSLASH && pattern.charCodeAt(p + 1) === SLASH
    if (p === pattern.length || next === SLASH || escapedSlash) {
      // "**/" may stand for no folder at all.
      if (next === SLASH && matchFrom(pattern, p + 1, text, from, fold) === MATCH) return MATCH
      crosses = true
    }
  }
  if (p === pattern.length) return crosses || !text.includes("/", from) ? MATCH : ABORT_TO_STARSTAR
  if (!crosses && next === SLASH) return text.includes("/", from) ? SKIP_TO_SLASH : ABORT_ALL
  for (let t = from; t < text.length; t++) {
    const verdict = matchFrom(pattern, p, text, t, fold)
    if (verdict !== NO_MATCH) {
      if (!crosses || verdict !== ABORT_TO_STARSTAR) return verdict
    } else if (!crosses && text.charCodeAt(t) === SLASH) return ABORT_TO_STARSTAR
  }
  return ABORT_ALL
}

/** Position of the closing bracket if `char` is in the set, 0 if it is not, negative if the set never closes. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: ranges, classes and escapes of one small grammar
function matchBracket(pattern: string, open: number, char: number, fold: boolean): number {
  // Upper case is tried too, where git does: in ranges, and in [:upper:].
  const upper = fold && char >= 97 && char <= 122 ? char - 32 : char
  let p = open + 1
  const negated = pattern.charCodeAt(p) === BANG || pattern.charCodeAt(p) === CARET
  if (negated) p++
  let found = false
  let previous = 0
  // A "]" in the first place is an ordinary member.
  for (let first = true; first || pattern.charCodeAt(p) !== BRACKET_CLOSE; first = false, p++) {
    if (p >= pattern.length) return ABORT_ALL
    let member = pattern.charCodeAt(p)
    if (member === BACKSLASH) {
      if (++p >= pattern.length) return ABORT_ALL
      member = pattern.charCodeAt(p)
      if (char === member) found = true
    } else if (member === DASH && previous > 0 && isRangeEnd(pattern, p + 1)) {
      if (pattern.charCodeAt(++p) === BACKSLASH) p++
      if (p >= pattern.length) return ABORT_ALL
      const last = pattern.charCodeAt(p)
      if ((char >= previous && char <= last) || (upper >= previous && upper <= last)) found = true
      member = 0
    } else if (member === BRACKET_OPEN && pattern.charCodeAt(p + 1) === COLON) {
      const close = pattern.indexOf("]", p + 2)
      if (close < 0) return ABORT_ALL
      if (close > p + 2 && pattern.charCodeAt(close - 1) === COLON) {
        const name = pattern.slice(p + 2, close - 1)
        const members = CLASSES.get(name)
        if (!members) return ABORT_ALL
        if (members.test(String.fromCharCode(name === "upper" ? upper : char))) found = true
        p = close
        member = 0
      } else if (char === BRACKET_OPEN) found = true
    } else if (char === member) found = true
    previous = member
  }
  return found === negated || char === SLASH ? 0 : p
}

function lower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

function isRangeEnd(pattern: string, at: number): boolean {
  return at < pattern.length && pattern.charCodeAt(at) !== BRACKET_CLOSE
}
