import type { EntityFields } from "../event.ts"

/** An entity as its own events leave it, whatever became of others. */
export type FoldedEntity = EntityFields & {
  /** Sorts by time of making. */
  readonly id: string
  readonly mergedInto: string | null
  readonly deletedAt: string | null
}

export type FoldedRelation = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly relation: string
  /** 0 to 1. */
  readonly weight: number
  readonly deletedAt: string | null
}

/** What is left of all entities once the merged are one and the deleted are gone. */
export type Entity = EntityFields & {
  readonly id: string
  /** Of all that became one in it, its own among them; sorted. */
  readonly ids: readonly string[]
  /** Nobody made it: entries mention it expressly. */
  readonly isImplied: boolean
}

/** Between two entities that are there, and not the same. */
export type Relation = {
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** 0 to 1: the largest of those that became one in it. */
  readonly weight: number
  /** Of those relations, sorted. */
  readonly ids: readonly string[]
}
