export type Confidence = "high" | "medium" | "low"

/**
 * A word for the share of the question's rarity that the best hit covers. It tells questions about something else apart
 * (low), not those whose answer is missing; nothing is left out for it.
 */
export function confidenceWord(share: number): Confidence {
  return share >= HIGH ? "high" : share >= MEDIUM ? "medium" : "low"
}

const HIGH = 0.6
const MEDIUM = 0.3
