/** A repository that a person may read. */
export type TeamRepository = {
  readonly repository: string
  readonly state: "waiting" | "indexing" | "ready" | "failed"
  /** Published commit, the number of its files and when it was published; null until then. */
  readonly commit: string | null
  readonly files: number | null
  readonly published_at: string | null
  /** Share of the files that a worker has read; null unless one reads them. */
  readonly progress: number | null
  /** Why the last attempt to index it failed, or why it waits; null if neither is so. */
  readonly reason: string | null
}
