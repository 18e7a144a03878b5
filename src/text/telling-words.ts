import { isFunctionWord } from "./function-words.ts"
import { words } from "./identifiers.ts"
import { STOP_WORDS } from "./stop-words.ts"

/** The words of a text that tell what it is about, in order, lower case, each once. */
export function tellingWords(text: string, most: number): string[] {
  const found = new Set<string>()
  for (const word of words(text)) {
    if (word.length < 2 || STOP_WORDS.has(word) || isFunctionWord(word)) continue
    found.add(word)
    if (found.size === most) break
  }
  return [...found]
}
