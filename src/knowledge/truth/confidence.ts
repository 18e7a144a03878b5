/**
 * A word for the share of the question's rarity that the best hit covers. It tells questions about something else apart
 * (low), not those whose answer is missing; nothing is left out for it.
 */
export function confidenceWord(share: number): "high" | "medium" | "low" {
  return share >= HIGH ? "high" : share >= MEDIUM ? "medium" : "low"
}

// Of questions that notes answer in their own words half lie above .5, of paraphrased ones nine in ten above .15.
const HIGH = 0.5
const MEDIUM = 0.15
