import type { EntityFields } from "../log/event.ts"

/** A thing that entries mention, in its current form. */
export type Entity = EntityFields & {
  readonly id: string
  readonly recordedAt: string
  readonly revisedAt: string
  /** Id of the entity into which this one was merged; null when it was not merged. */
  readonly mergedInto: string | null
  readonly deletedAt: string | null
}

/** A relation between two entities. */
export type Relation = {
  readonly id: string
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** Strength of the relation, 0 to 1. */
  readonly weight: number
  readonly recordedAt: string
  readonly revisedAt: string
  readonly deletedAt: string | null
}
