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

/**
 * How the chain from a use to a definition ends. Of several definitions, a use means those with the greatest tie. The
 * number of steps to a base, less than 10, is subtracted, so that a type's own member hides that of its base.
 */
export const TIE = {
  /** The chain leads elsewhere: to another identity, to a local variable, or outside of the project. */
  none: 0,
  /** Nothing but the name agrees, and other definitions have it, too: the use is undecided. */
  shared: 10,
  /** Nothing but the name agrees, and no other definition of the project has it. */
  name: 20,
  /** The type of the value is not known, but the file knows the owner, or the owner's bases are not known. */
  unknown: 30,
  /** A variable, a module or a type of unknown origin has a name like the owner's. */
  similar: 40,
  /** The last step is missing: an import, a folder or a guessed type leads here, and may lead elsewhere. */
  open: 50,
  /** Every step was followed. */
  certain: 60,
  /** A member of the type around the use, which hides what has its name outside of the type. */
  member: 69,
  /** A local function, which hides what has its name outside of the function. */
  local: 80,
} as const

/** A tie of the table TIE, less a number of steps. */
export type Tie = number

export function isCertain(tie: Tie): boolean {
  return tie > TIE.open
}

export function certaintyOf(tie: Tie): Certainty {
  if (isCertain(tie)) return "certain"
  return tie > TIE.name ? "possible" : "by name"
}
