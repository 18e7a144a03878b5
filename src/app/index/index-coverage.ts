/** How much of the project is in its index; `share` from 0 to 1. */
export type IndexCoverage = {
  readonly done: number
  readonly total: number
  readonly share: number
  /** True if indexing has stopped; the notices say why. Absent while the index is being built. */
  readonly is_stopped?: true
}

/** State of an incomplete index, to follow the words «the index is». */
export function stateOf({ is_stopped }: IndexCoverage): string {
  return is_stopped ? "incomplete, and no process is adding to it" : "still being built"
}
