import type { LabelledRepository } from "./labels.ts"
import type { JudgedSplit } from "./symbols/judged.ts"
import type { Table } from "./table.ts"

/** Options for the sections; null or empty if not given. */
export type Bench = {
  /** Path of the compiled program. */
  readonly binary: string
  readonly corpus: string | null
  /** Labelled repositories that have a checkout in the corpus. */
  readonly labels: readonly LabelledRepository[]
  readonly judge: string | null
  /**
   * File with tasks mined from real changes, and folder with their repositories' trees, as packages/lab/learn.ts
   * writes them.
   */
  readonly tasks: { readonly file: string; readonly trees: string } | null
  /** Max repositories of the tasks and of the questions, spread evenly over the list; null: all. */
  readonly repositories: number | null
  /** Bare repositories of the judged questions about symbols, as OWNER+NAME/repo, and which part of them is scored. */
  readonly mirrors: string | null
  readonly split: JudgedSplit
  /** Numbers of files of the generated trees. */
  readonly scales: readonly number[]
  /** Real trees, measured in addition to the generated ones. */
  readonly trees: readonly string[]
  /** Script of the official memory server, if it is not among the packages. */
  readonly serverMemory: string | null
  /** Folder with public sets of conversations (packages/lab/bench/conversations.ts); nothing is downloaded. */
  readonly conversations: string | null
  /** Folder for indexes and generated trees; nothing is written elsewhere. */
  readonly scratch: string
  readonly note: (line: string) => void
}

export type Section = {
  readonly name: string
  /** The option that is missing to run the section; null if it can run. */
  readonly lacks: (bench: Bench) => string | null
  readonly run: (bench: Bench) => Promise<readonly Table[]>
}

export function lacksCorpus({ labels }: Bench): string | null {
  return labels.length > 0 ? null : "--corpus DIR, with the label file's repositories laid out in it"
}
