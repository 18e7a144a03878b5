import type { LabelledRepository } from "./labels.ts"
import type { Table } from "./table.ts"

/** What the sections work with; null and empty: not given. */
export type Bench = {
  /** The compiled program. */
  readonly binary: string
  readonly corpus: string | null
  /** Those with a checkout in the corpus. */
  readonly labels: readonly LabelledRepository[]
  readonly judge: string | null
  /** Tasks of real changes and the folder with their repositories' trees, as scripts/learn.ts writes them. */
  readonly tasks: { readonly file: string; readonly trees: string } | null
  /** At most this many repositories of tasks and of questions, spread evenly over the list; null: all. */
  readonly repositories: number | null
  /** Numbers of files of the generated trees. */
  readonly scales: readonly number[]
  /** Real trees, measured beside the generated ones. */
  readonly trees: readonly string[]
  /** Projects whose references the TypeScript compiler is to find, too. */
  readonly typescript: readonly string[]
  /** Script of the official memory server, where it is not among the packages. */
  readonly serverMemory: string | null
  /** For indexes and generated trees; nothing is written elsewhere. */
  readonly scratch: string
  readonly note: (line: string) => void
}

export type Section = {
  readonly name: string
  /** What it would need and was not given; null: it can run. */
  readonly lacks: (bench: Bench) => string | null
  readonly run: (bench: Bench) => Promise<readonly Table[]>
}

export function lacksCorpus({ labels }: Bench): string | null {
  return labels.length > 0 ? null : "--corpus DIR, with the label file's repositories laid out in it"
}
