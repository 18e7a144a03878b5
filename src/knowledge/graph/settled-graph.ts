import type { EntityFields } from "../event.ts"

/** What is left of all entities once the merged are one and the deleted are gone. */
export type GraphEntity = EntityFields & {
  readonly id: string
  /** Of all that became one in it, its own among them; sorted. */
  readonly ids: readonly string[]
}

/** Between two entities that are there, and not the same. */
export type GraphRelation = {
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** 0 to 1: the largest of those that became one in it. */
  readonly weight: number
  /** Of those relations, sorted. */
  readonly ids: readonly string[]
}
