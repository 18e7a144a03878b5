/**
 * The sum that orders what is recalled; each term is 0 to 1, mostly divided by the question's best. Round numbers: ×.7
 * to ×1.4 on any of them changes little (docs/decisions/0012-recall-ranking.md).
 */
export const WEIGHTS = {
  passage: 1,
  window: 0.6,
  answer: 0.6,
  session: 0.5,
  author: 0.7,
  proximity: 0.5,
  date: 0.6,
  number: 0.6,
  length: 0.4,
  asking: -0.1,
  topic: 0.5,
  tags: 0.5,
  near: 0.3,
} as const

export type TermName = keyof typeof WEIGHTS

/** In stores where people and machines both speak: the answer is what the person said, nine times in ten. */
export const PERSON_FACTOR = 2

/** What a project's own entries have before those that belong to no project, or to another. */
export const OWN_PROJECT_FACTOR = 1.25
