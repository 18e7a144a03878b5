import { stem } from "../../text/terms/stem.ts"
import { FUNCTION_WORDS } from "./cue-words.ts"

const MAX_TOKENS = 60

/**
 * The tokens of a sentence for word-by-word comparison, computed on first use: content words as stems,
 * function words unchanged.
 */
export function sentenceTokens(sentence: string): () => readonly string[] {
  let tokens: readonly string[] | undefined
  return () => {
    tokens ??= tokenize(sentence)
    return tokens
  }
}

function tokenize(sentence: string): string[] {
  const found = sentence.match(/[\p{L}\p{N}]+(?:[.,:_/@-][\p{L}\p{N}]+)*/gu) ?? []
  return found.slice(0, MAX_TOKENS).map(tokenOf)
}

/** The token of a word, cached. */
function tokenOf(word: string): string {
  let token = tokenCache.get(word)
  if (token === undefined) {
    const lower = word.toLowerCase()
    // Words in capitals are names: US is not "us", and GET is not "get".
    const isName = /^\p{Lu}{2,}$/u.test(word)
    const common = FUNCTION_WORDS.has(lower) ? lower : stem(lower)
    token = isName ? word : common
    if (tokenCache.size >= MAX_CACHED) tokenCache.clear()
    tokenCache.set(word, token)
  }
  return token
}

const tokenCache = new Map<string, string>()
const MAX_CACHED = 20_000
