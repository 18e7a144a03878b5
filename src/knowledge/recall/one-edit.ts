/** Every word that one letter more, less or other, or two neighbours swapped, make of this one. */
export function* oneEditFrom(word: string): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const before = word.slice(0, at)
    const here = word[at] ?? ""
    const after = word.slice(at + 1)
    if (here !== "") yield before + after
    if (after !== "") yield before + after[0] + here + after.slice(1)
    for (const letter of LETTERS) {
      if (here !== "" && letter !== here) yield before + letter + after
      yield before + letter + here + after
    }
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"
