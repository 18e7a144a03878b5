import type { EmbeddingSpace } from "../../embed/port.ts"

/**
 * Weights of the sum that orders recalled entries. Each term is 0 to 1, mostly divided by its best value for
 * the question. The numbers are round, because fitted ones were not better
 * (docs/decisions/07-memory.md).
 */
export const WEIGHTS = {
  passage: 1,
  window: 0.6,
  answer: 0.6,
  session: 0.6,
  author: 0.8,
  cosine: 0.8,
  proximity: 0.4,
  grams: 0.1,
  category: 0.6,
  date: 0.6,
  recorded: 0.5,
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

/**
 * Weights for an embedding space. The cosine of hashed words adds little to the word channels, that of word
 * vectors learnt from code adds more, and that of a model the most.
 */
export function weightsFor(space: EmbeddingSpace | null): Weights {
  const cosine = space?.provider === "static" ? STATIC_COSINE[space.model] : undefined
  return cosine === undefined ? WEIGHTS : { ...WEIGHTS, cosine }
}

/**
 * Factor on the cosine for conversations. Below 1 for word vectors learnt from code and its documentation,
 * because these fit everyday language less well.
 */
export function conversationCosineFor(space: EmbeddingSpace | null): number {
  return space?.provider === "static" && space.model === "aman256" ? 0.35 : 1
}

const STATIC_COSINE: Readonly<Record<string, number>> = { static768: 0.2, aman256: 0.6 }

/**
 * Factor for what a person said, relative to a long text of an agent or tool, in stores that contain both:
 * there a person's words are the answer in 90 % of cases. A statement (not a question) by an agent or tool
 * gets part of the factor when it is short, because it is mostly a finding.
 */
export const PERSON_FACTOR = 2

/** Factor for a project's own entries, relative to those of no project or of another one. */
export const OWN_PROJECT_FACTOR = 1.25

/** Weight of each channel in the rank fusion. */
export type ChannelWeights = { readonly vector: number; readonly keyword: number; readonly graph: number }

export const CHANNEL_WEIGHTS: ChannelWeights = { vector: 0.4, keyword: 0.15, graph: 0.45 }
