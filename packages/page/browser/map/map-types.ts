import type { CodeMap } from "../../../../src/context/map/code-map.ts"
import type { GraphAnswer } from "../../../../src/symbols/answer/drawn-symbols.ts"

export type CodeUses = {
  readonly paths: readonly string[]
  /** A file, a file that it uses, both as indexes of `paths`, and the number of its certain uses. */
  readonly uses: readonly (readonly [from: number, to: number, count: number])[]
  /** Functions, and types without functions: index of the path, name, first and last line. */
  readonly definitions: readonly (readonly [file: number, name: string, first: number, last: number])[]
  /** Number of names that were not followed, because the time was over. */
  readonly not_followed: number
  /** Number of definitions beyond the most that are drawn. */
  readonly not_drawn: number
}

export type CodeChanges = {
  /** Files that differ, with the number of their lines that were added and removed. */
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[]
  readonly deleted: readonly { readonly path: string; readonly removed: number }[]
}

/** What is drawn on the map besides: changes since a revision, and what they or the change of a symbol may break. */
export type MapMarks = { readonly since?: string | undefined; readonly symbol?: string | undefined }

/** Everything that the map of a project shows. */
export type MapData = {
  readonly name: string
  readonly map: CodeMap
  readonly uses: CodeUses
  readonly marks: MapMarks
  readonly changes: CodeChanges | null
  readonly impact: GraphAnswer | null
}
