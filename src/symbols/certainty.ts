/**
 * How a use is tied to a definition. "certain": every step from the use to the definition was followed. "possible": a
 * step could not be followed, and the definition is one of the candidates. "by name": only the name agrees.
 */
export type Certainty = "certain" | "possible" | "by name"

const CERTAINTIES: readonly Certainty[] = ["certain", "possible", "by name"]

/** Sort order: certain before possible before by name. */
export function byCertainty(
  one: { readonly certainty: Certainty },
  other: { readonly certainty: Certainty },
): number {
  return CERTAINTIES.indexOf(one.certainty) - CERTAINTIES.indexOf(other.certainty)
}

/** The certainty of a chain of two steps. */
export function weaker(one: Certainty, other: Certainty): Certainty {
  return CERTAINTIES[Math.max(CERTAINTIES.indexOf(one), CERTAINTIES.indexOf(other))]!
}

/** The certainty of a confidence, from 0 to 1. */
export function certaintyOf(confidence: number): Certainty {
  if (confidence >= 0.85) return "certain"
  return confidence >= 0.6 ? "possible" : "by name"
}
