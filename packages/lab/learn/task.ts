import { readFileSync } from "node:fs"

/** 1-based line numbers in the base version of the file, both inclusive. */
export type Lines = { readonly start: number; readonly end: number }

/** `added`: the hunk has only new lines; `start` and `end` are then the lines before and after their place. */
export type Hunk = Lines & { readonly added?: true }

export type Definition = Lines & {
  readonly name: string
  readonly kind: string
  readonly owner: string | null
}

export type TaskFile = {
  readonly path: string
  readonly language: string
  /** Changed lines, without hunks that hold only imports or blank lines. */
  readonly hunks: readonly Hunk[]
  /** The innermost definitions around the hunks; empty for code at the top level. */
  readonly definitions: readonly Definition[]
}

/** A description of a change and what the change touched, as of the repository's base commit. */
export type Task = {
  /** Repository and the first characters of the commit. */
  readonly id: string
  readonly repo: string
  /** The commit at which all tasks of the repository are asked. */
  readonly base: string
  readonly commit: string
  readonly parent: string
  /** "pull": the text of a merged pull request; "squash": a commit that names one; "commit": any other. */
  readonly source: "pull" | "squash" | "commit"
  /** The language of most changed files. */
  readonly language: string
  readonly title: string
  /** Empty when the message has only a title. */
  readonly body: string
  /** Title and body without paths, file names and identifiers of the answer. */
  readonly hidden: { readonly title: string; readonly body: string }
  /** True when the title or the body names a changed file or definition. */
  readonly leaks: boolean
  /** Source files that the change modifies, 1 to 6. */
  readonly files: readonly TaskFile[]
  /** Test files of the base commit that the change modifies. */
  readonly tests: readonly string[]
  /** Source and test files that the change creates; not in the base commit. */
  readonly created: readonly string[]
}

export function readTasks(file: string): Task[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Task)
}
