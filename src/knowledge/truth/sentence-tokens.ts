import { stem } from "../../text/stem.ts"
import { FUNCTION_WORDS } from "./cue-words.ts"

const MOST_TOKENS = 60

/**
 * The words of a sentence for comparing it word by word, read when they are first wanted: stems, function words as they
 * are.
 */
export function sentenceTokens(sentence: string): () => readonly string[] {
  let tokens: readonly string[] | undefined
  return () => {
    tokens ??= tokensOf(sentence)
    return tokens
  }
}

function tokensOf(sentence: string): string[] {
  const found = sentence.match(/[\p{L}\p{N}]+(?:[.,:_/@-][\p{L}\p{N}]+)*/gu) ?? []
  return found.slice(0, MOST_TOKENS).map(tokenOf)
}

/** Worked out once for a word. */
function tokenOf(word: string): string {
  let token = known.get(word)
  if (token === undefined) {
    const lower = word.toLowerCase()
    // US is no us, and GET no get.
    const isName = /^\p{Lu}{2,}$/u.test(word)
    token = isName ? word : FUNCTION_WORDS.has(lower) ? lower : stem(lower)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, token)
  }
  return token
}

const known = new Map<string, string>()
const MOST_KNOWN = 20_000
