import { expect, test } from "bun:test"
import fc from "fast-check"
import { termOfWord } from "../question.ts"
import { Dictionary } from "./dictionary.ts"

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

function editsOf(word: string): string[] {
  const found: string[] = []
  for (let at = 0; at <= word.length; at++) {
    const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
    if (here !== "") found.push(before + after)
    if (after !== "") found.push(before + after[0] + here + after.slice(1))
    for (const letter of LETTERS) {
      if (here !== "" && letter !== here) found.push(before + letter + after)
      found.push(before + letter + here + after)
    }
  }
  return found
}

const WORDS =
  "bought buying configuration flies stopped migration going kettle repository errors maximum".split(" ")

test("finds the same words as comparing every word, with stems, irregular and short forms", () => {
  const word = fc.oneof(fc.constantFrom(...WORDS), fc.stringMatching(/^[a-e]{3,6}$/))
  const place = fc.nat(300)
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), word, place, (held, meant, place) => {
      const dictionary = new Dictionary()
      for (const each of [...held.slice(0, 5), meant]) dictionary.add(termOfWord(each))
      const edits = editsOf(meant)
      const typed = edits[place % edits.length]!
      const expected = () =>
        new Set(
          editsOf(typed)
            .map((edit) => dictionary.find(termOfWord(edit)))
            .filter((number) => number >= 0),
        )
      expect(new Set(dictionary.respelled(typed))).toEqual(expected())
      for (const each of held) dictionary.add(termOfWord(each))
      expect(new Set(dictionary.respelled(typed))).toEqual(expected())
    }),
  )
})
