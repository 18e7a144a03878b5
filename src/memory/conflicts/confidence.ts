/**
 * A word for the share of the question's total idf that the best hit covers. It is low for questions about
 * other subjects; it cannot recognise that an answer is missing. No hit is dropped because of it.
 */
export function confidenceWord(share: number): "high" | "medium" | "low" {
  return share >= HIGH ? "high" : share >= MEDIUM ? "medium" : "low"
}

// For questions that notes answer in the same words, half the shares are above 0.5; for paraphrased ones,
// nine in ten are above 0.15.
const HIGH = 0.5
const MEDIUM = 0.15
