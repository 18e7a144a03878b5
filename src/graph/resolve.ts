import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Candidates } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isConstructor, isType } from "./kinds.ts"
import { MeaningContext } from "./meaning-context.ts"
import { memberConfidence } from "./member-meaning.ts"
import { BY_CHANCE, ownedByName, plainConfidence } from "./plain-meaning.ts"
import { isInScope, ofNearestBlock } from "./scope.ts"
import type { Types } from "./types.ts"

/** What a use may mean; confidence 0 to 1. */
export type Meaning = { readonly definition: Definition; readonly confidence: number }

/** Below this a meaning is as good as any other. */
export const DOUBTFUL = 0.4

/** Meanings that differ by no more are as good as each other. */
const ALIKE = 0.01

/**
 * Which of the definitions of its name a use means most likely: by scope (the type or file around it), by what the file
 * imports, by the file's neighbours, and last by name alone, where the number of candidates divides the confidence.
 * Best first.
 */
export function likeliestMeanings(
  use: Use,
  file: FileView,
  candidates: Candidates,
  types: Types,
): readonly Meaning[] {
  const isMember = (use.flags & USE.member) !== 0
  const isFree = isMember || hasImplicitThis(file.family)
  // Of many, `weighed` gets only those that something speaks for.
  const places = () => candidates.places(file.family, isFree)
  const weighed = (all: readonly Definition[]) => {
    const possible = all.filter(
      (candidate) =>
        (isFree || candidate.symbol.owner === null || isType(candidate.symbol)) &&
        (candidate.file.id === file.id ? isInScope(candidate, use, file) : candidate.symbol.local === 0),
    )
    const inScope = ofNearestBlock(fitting(possible, use, file), use, file)
    const context = new MeaningContext(use, file, types, inScope, places)
    const confidenceOf = isMember ? memberConfidence : plainConfidence
    const confidences = inEachPlace(inScope, (definition) => confidenceOf(definition, context))
    return likeliest(inScope, confidences, ONE_FILE.test(file.family))
  }
  const likely = isMember || ownedByName(use, file) ? null : candidates.likely(use, file, types)
  if (likely !== null && !likely.some(({ symbol }) => isConstructor(symbol))) {
    const meanings = weighed(likely)
    if ((meanings[0]?.confidence ?? 0) > BY_CHANCE + ALIKE) return meanings
  }
  return weighed(candidates.for(use, file, types))
}

/**
 * Whether a use may mean one of these definitions of its name by a confidence of DOUBTFUL. What else it may mean can
 * only lower that, so that false is certain, and true may turn out to be false.
 */
export function mayMean(use: Use, file: FileView, { candidates, types, targets }: MayMean): boolean {
  const isMember = (use.flags & USE.member) !== 0
  const isFree = isMember || hasImplicitThis(file.family)
  const places = () => candidates.places(file.family, isFree) ?? 1
  const context = new MeaningContext(use, file, types, targets, places)
  const confidenceOf = isMember ? memberConfidence : plainConfidence
  return targets.some(
    (target) => target.file.family === file.family && confidenceOf(target, context) >= DOUBTFUL,
  )
}

type MayMean = {
  readonly candidates: Candidates
  readonly types: Types
  readonly targets: readonly Definition[]
}

/** Overloads stand one after the other, and are as likely as each other. */
function inEachPlace(
  definitions: readonly Definition[],
  confidenceOf: (definition: Definition) => number,
): number[] {
  let last: Definition | null = null
  let confidence = 0
  return definitions.map((each) => {
    if (last === null || !haveOnePlace(last, each)) confidence = confidenceOf(each)
    last = each
    return confidence
  })
}

function haveOnePlace(one: Definition, other: Definition): boolean {
  return (
    one.file === other.file &&
    one.symbol.owner === other.symbol.owner &&
    one.symbol.kind === other.symbol.kind
  )
}

/** A type of TypeScript may have the name of a value, which is what is called; a constructor is nothing but called. */
function fitting(possible: readonly Definition[], { flags }: Use, file: FileView): readonly Definition[] {
  const isCall = (flags & USE.call) !== 0
  if (isCall && file.family !== "js") return possible
  const isFitting = ({ symbol }: Definition) =>
    isCall ? symbol.kind !== "interface" && symbol.kind !== "type" : !isConstructor(symbol)
  if (possible.every(isFitting)) return possible
  const some = possible.filter(isFitting)
  return some.length > 0 ? some : possible
}

/** Where a name means what one file defines: of several files that are as likely, none is sure. */
const ONE_FILE = /^(?:js|python|rust)$/

/** The best of them, and those that are as good: overloads, a prototype and its definition. */
function likeliest(
  definitions: readonly Definition[],
  confidences: readonly number[],
  isDivided: boolean,
): Meaning[] {
  const most = confidences.reduce((one, other) => Math.max(one, other), 0)
  const best = from(most - ALIKE, definitions, confidences)
  const files = isDivided ? new Set(best.map(most < TOLD ? placeOfMeaning : fileOfMeaning)).size : 1
  if (files < 2) return best
  const shared = best.map(({ definition, confidence }) => ({ definition, confidence: confidence / files }))
  const least = shared[0]!.confidence - ALIKE
  const others = from(least, definitions, confidences).slice(best.length)
  return [...shared, ...others].filter(({ confidence }) => confidence >= least)
}

/** From here on a declared type says what is meant: of several types that it may be each is. */
const TOLD = 0.85

function fileOfMeaning({ definition }: Meaning): number | string {
  return definition.file.id
}

function placeOfMeaning({ definition }: Meaning): number | string {
  return `${definition.file.id} ${definition.symbol.owner}`
}

/** Those of so much confidence that is above 0, the best first. */
function from(least: number, definitions: readonly Definition[], confidences: readonly number[]): Meaning[] {
  const meanings: Meaning[] = []
  for (let at = 0; at < confidences.length; at++) {
    const confidence = confidences[at]!
    if (confidence > 0 && confidence >= least) meanings.push({ definition: definitions[at]!, confidence })
  }
  return meanings.sort((one, other) => other.confidence - one.confidence)
}
