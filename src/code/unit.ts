/** Whole rows that the chunker keeps, joins with neighbours, or opens. Rows are 0-based, inclusive. */
export type Unit = {
  readonly startRow: number
  readonly endRow: number
  /** "members": worth opening above the merge size; "statements": only above the chunk size. */
  readonly holds: "members" | "statements"
  /** Defines something; what defines nothing and is tiny is no chunk of its own. */
  readonly defines: boolean
  /** Scope of its parts but the first, which keeps the scope of the unit. */
  readonly innerScope: string | null
  /** Its parts, covering the same rows in order; none where it cannot be opened. */
  readonly open: () => Unit[]
}
