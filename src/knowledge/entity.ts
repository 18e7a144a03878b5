import type { EntityFields } from "./event.ts"

/** A thing that entries speak of, in its present form. */
export type Entity = EntityFields & {
  readonly id: string
  readonly recordedAt: string
  readonly revisedAt: string
  /** The entity that bears its names and relations now. */
  readonly mergedInto: string | null
  readonly deletedAt: string | null
}

/** What one entity has to do with another. */
export type Relation = {
  readonly id: string
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** 0 to 1. */
  readonly weight: number
  readonly recordedAt: string
  readonly revisedAt: string
  readonly deletedAt: string | null
}
