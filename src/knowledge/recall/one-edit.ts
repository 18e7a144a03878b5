/**
 * Every word that one letter more, less or other, or two neighbours swapped, make of this one: as the first `length`
 * codes of an array that is used again for the next.
 */
export function oneEditFrom(word: string, see: (codes: Uint16Array, length: number) => void): void {
  const codes = new Uint16Array(word.length + 1)
  for (let at = 0; at <= word.length; at++) {
    const here = word.charCodeAt(at)
    if (at < word.length) {
      write(codes, word, at, at + 1, 0)
      see(codes, word.length - 1)
      write(codes, word, at, at + 1, 1)
      for (const letter of LETTERS) {
        codes[at] = letter
        if (letter !== here) see(codes, word.length)
      }
    }
    if (at + 1 < word.length) {
      write(codes, word, at, at + 2, 2)
      codes[at] = word.charCodeAt(at + 1)
      codes[at + 1] = here
      see(codes, word.length)
    }
    write(codes, word, at, at, 1)
    for (const letter of LETTERS) {
      codes[at] = letter
      see(codes, word.length + 1)
    }
  }
}

const LETTERS = Uint16Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => letter.charCodeAt(0))

/** What stands before `to` and from `from` on, with `gap` places between. */
function write(codes: Uint16Array, word: string, to: number, from: number, gap: number): void {
  for (let i = 0; i < to; i++) codes[i] = word.charCodeAt(i)
  for (let i = from; i < word.length; i++) codes[to + gap + i - from] = word.charCodeAt(i)
}
