/** How much of the project is in its index; `share` from 0 to 1. */
export type IndexShare = {
  readonly done: number
  readonly total: number
  readonly share: number
  /** Nothing more is being added: the notices say why. Absent while it is being built. */
  readonly is_stopped?: true
}

/** What an index that is not whole is, after «the index is». */
export function stateOf({ is_stopped }: IndexShare): string {
  return is_stopped ? "not whole, and nothing is being added to it" : "still being built"
}
