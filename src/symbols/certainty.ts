/**
 * How a use is tied to a definition. "certain": every step from the use to the definition was followed. "possible": a
 * step could not be followed, and the definition is one of the candidates. "name": only the name agrees.
 */
type Certainty = "certain" | "possible" | "name"

/** The certainty of a confidence, from 0 to 1. */
export function certaintyOf(confidence: number): Certainty {
  if (confidence >= 0.85) return "certain"
  return confidence >= 0.6 ? "possible" : "name"
}
