import { isIdentifierLike } from "./identifiers.ts"

export type QueryClass = "error_code" | "identifier" | "natural" | "mixed" | "quoted"

export type Classification = {
  readonly class: QueryClass
  /** Weights of the keyword and the vector channel when both lists are fused; they add up to 1. */
  readonly keywordWeight: number
  readonly vectorWeight: number
  /** Words of a mixed query that look like identifiers, as typed. */
  readonly boostTerms: readonly string[]
}

// Weight of the keyword channel, 0 to 1; the vector channel has the rest. Set by the product's specification, not fitted.
const KEYWORD_WEIGHTS: Readonly<Record<QueryClass, number>> = {
  error_code: 0.8,
  identifier: 0.7,
  natural: 0.25,
  mixed: 0.5,
  quoted: 0.9,
}

/** Determines the class of a query and the weight of each channel for it. */
export function classify(query: string): Classification {
  const text = query.trim()
  const words = text
    .split(/\s+/u)
    .map(withoutPunctuation)
    .filter((word) => word !== "")
  const technical = words.filter((word) => isIdentifierLike(word) || isErrorCode(word))
  const kind = classOf(text, words, technical)
  const keywordWeight = KEYWORD_WEIGHTS[kind]
  return {
    class: kind,
    keywordWeight,
    vectorWeight: Math.round((1 - keywordWeight) * 100) / 100,
    boostTerms: kind === "mixed" ? technical : [],
  }
}

function classOf(text: string, words: readonly string[], technical: readonly string[]): QueryClass {
  if (/^"[^"]+"$|^'[^']+'$|^`[^`]+`$/u.test(text)) return "quoted"
  if (words.length === 1 && isErrorCode(words[0]!)) return "error_code"
  // A single word is looked up as a name, whatever its case.
  if (words.length <= 1 || technical.length === words.length) return "identifier"
  if (technical.some(isErrorCode) && words.length <= 2) return "error_code"
  return technical.length > 0 ? "mixed" : "natural"
}

/** The word without punctuation at its end. */
function withoutPunctuation(word: string): string {
  return word.replace(/[?.,;:!]+$/u, "")
}

function isErrorCode(word: string): boolean {
  return /^(?:ERR|ERROR|E)_[A-Z0-9_]+$|^E\d{4,5}$|^[A-Z]{2,}-?\d{3,}$/u.test(word)
}
