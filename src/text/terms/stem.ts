/**
 * Stems a word of code or prose by removing suffixes: plurals, -ing, -ed, -er, -tion and others. It maps the forms of a
 * word to one stem, which need not be a word itself. The ranker was fitted with these rules.
 */
export function stem(word: string): string {
  if (word.length <= UNTOUCHED || word.length > MAX_WORD_LENGTH) return word
  for (let i = 0; i < word.length; i++) scratch[i] = word.charCodeAt(i)
  const length = stemCodes(scratch, word.length)
  // The rules remove letters at the end, and may change the last letter that remains.
  const last = scratch[length - 1]!
  if (last === word.charCodeAt(length - 1)) return word.slice(0, length)
  return word.slice(0, length - 1) + String.fromCharCode(last)
}

/** Stems the first `length` UTF-16 units of `w` in place, and returns the length of the stem. */
export function stemCodes(w: Uint16Array, length: number): number {
  if (length <= UNTOUCHED) return length
  let n = dropPlural(w, length)
  n = dropSuffix(w, n)
  if (n > 3) n = dropDoubled(w, n)
  if (n > 3 && w[n - 1] === E) n--
  if (n > 3 && w[n - 1] === Y) w[n - 1] = I
  return n
}

/**
 * Words of up to three letters are not stemmed. Words longer than MAX_WORD_LENGTH are data and are not stemmed either.
 */
const UNTOUCHED = 3
const MAX_WORD_LENGTH = 256
const scratch = new Uint16Array(MAX_WORD_LENGTH)

const [A, B, D, E, G, I, L, M, N, O, R, S, T, U, Y, Z] = [
  97, 98, 100, 101, 103, 105, 108, 109, 110, 111, 114, 115, 116, 117, 121, 122,
] as const

function dropPlural(w: Uint16Array, n: number): number {
  if (w[n - 1] !== S) return n
  const before = w[n - 2]
  if (before === E) {
    if (w[n - 3] === I && n > 4) {
      w[n - 3] = Y
      return n - 2
    }
    return w[n - 3] === S && w[n - 4] === S ? n - 2 : n - 1
  }
  return before === S || before === U || before === I ? n : n - 1
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one flat table of rules, run for every word
function dropSuffix(w: Uint16Array, n: number): number {
  switch (w[n - 1]) {
    case G:
      return n > 5 && ends2(w, n, I, N) ? n - 3 : n
    case D:
      return n > 4 && w[n - 2] === E && w[n - 3] !== E ? n - 2 : n
    case N:
      // From -ation, -at remains, which is also the stem of -ate. From -tion, -t remains.
      return n > 6 && ends2(w, n, I, O) && w[n - 4] === T ? n - 3 : n
    case R:
      return n > 5 && (w[n - 2] === E || w[n - 2] === O) ? n - 2 : n
    case T:
      return n > 6 && ends2(w, n, E, N) && w[n - 4] === M ? n - 4 : n
    case E:
      return n > 7 && w[n - 2] === L && w[n - 3] === B && (w[n - 4] === A || w[n - 4] === I) ? n - 4 : n
    case S:
      return n > 7 && ends2(w, n, E, S) && w[n - 4] === N ? n - 4 : n
    case Y:
      return n > 5 && w[n - 2] === L ? n - 2 : n
    default:
      return n
  }
}

/** True if the two units before the last one are these. */
function ends2(w: Uint16Array, n: number, first: number, second: number): boolean {
  return w[n - 3] === first && w[n - 2] === second
}

/**
 * Removes a doubled letter at the end: "stop" for "stopp". Doubled digits are kept, because otherwise port 8000 would
 * match port 800.
 */
function dropDoubled(w: Uint16Array, n: number): number {
  const last = w[n - 1]!
  if (last !== w[n - 2] || last < A) return n
  return last === L || last === S || last === Z ? n : n - 1
}
