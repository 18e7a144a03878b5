import type { EmbeddingSpace } from "../../embed/port.ts"

/**
 * The sum that orders what is recalled; each term is 0 to 1, mostly divided by the question's best. Round numbers: ×.7
 * to ×1.4 on any of them changes little (docs/decisions/0012-recall-ranking.md).
 */
export const WEIGHTS = {
  passage: 1,
  window: 0.6,
  answer: 0.6,
  session: 0.6,
  author: 1,
  cosine: 0.8,
  proximity: 0.4,
  grams: 0.1,
  date: 0.6,
  number: 0.6,
  length: 0.3,
  asking: -0.1,
  self: 0.2,
  topic: 1.2,
  tags: 0.5,
  near: 0.3,
  fusion: 0.1,
} as const

export type TermName = keyof typeof WEIGHTS
export type Weights = { readonly [name in TermName]: number }

/** Hashed words see little that the words themselves do not, words learnt from code more, a model's space most. */
export function weightsFor(space: EmbeddingSpace | null): Weights {
  const cosine = space?.provider === "static" ? STATIC_COSINE[space.model] : undefined
  return cosine === undefined ? WEIGHTS : { ...WEIGHTS, cosine }
}

/** Of words learnt from code and its documents: they know little of what people tell each other. */
export function spokenCosineFor(space: EmbeddingSpace | null): number {
  return space?.provider === "static" && space.model === "aman256" ? 0.35 : 1
}

const STATIC_COSINE: Readonly<Record<string, number>> = { static768: 0.2, aman256: 0.6 }

/**
 * Before a long text of a machine, in stores where people and machines both speak: there the answer is what the person
 * said, nine times in ten. What a machine says, not asks, in a sentence or two is what it
 * found out.
 */
export const PERSON_FACTOR = 2

/** What a project's own entries have before those that belong to no project, or to another. */
export const OWN_PROJECT_FACTOR = 1.25

/** How much each channel counts in their fusion; as the second seed had them. */
export type ChannelWeights = { readonly vector: number; readonly keyword: number; readonly graph: number }

export const CHANNEL_WEIGHTS: ChannelWeights = { vector: 0.4, keyword: 0.15, graph: 0.45 }
