import type { HttpOptions } from "../app/http-options.ts"
import type { ProjectOptions } from "../app/open-project.ts"
import type { Output } from "./output.ts"

/** Exit codes, as grep has them: nothing found is not a failure. */
export const EXIT = { ok: 0, nothingFound: 1, usage: 2, failure: 3, notWritten: 4 } as const

/** A flag in one block: parsing, help and the names offered for a mistyped one all come from here. */
export type Flag = {
  readonly name: string
  readonly short?: string
  /** What stands for its value in the help; absent: the flag takes none. */
  readonly value?: string
  /** What its value may be, where that is one of a few words. */
  readonly choices?: readonly string[]
  readonly multiple?: boolean
  readonly help: string
}

export type Example = { readonly line: string; readonly note: string }

export type Command = {
  /** What follows the command's name, e.g. "[flags] QUERY...". */
  readonly usage: string
  readonly details: string
  /** Of a command with several: the first word with what follows it, and what it does. */
  readonly verbs?: readonly (readonly [string, string])[]
  readonly flags: readonly Flag[]
  readonly examples: readonly Example[]
  run(input: Input): Promise<number>
}

/** A command as its help, the manual and the shells' completions know it. */
export type Definition = {
  readonly name: string
  readonly summary: string
  readonly usage: string
  readonly details: string
  readonly verbs: readonly Verb[]
  readonly flags: readonly Flag[]
  readonly examples: readonly Example[]
}

export type Verb = { readonly name: string; readonly words: string; readonly help: string }

/** Exactly what was typed; a command makes sense of it. */
export type Input = {
  readonly words: readonly string[]
  readonly flags: FlagValues
  readonly output: Output
  readonly cwd: string
  readonly signal: AbortSignal
  readonly serve: Serve
  readonly tryHooks: TryHooks
  /** Every command; loading all of them takes a while. */
  readonly definitions: () => Promise<readonly Definition[]>
}

/** The other door; main.ts hands it in, because doors do not know each other. `http` is null over stdin and stdout. */
export type Serve = (options: ProjectOptions, http: HttpOptions | null, signal: AbortSignal) => Promise<void>

/** The third: what agents' hooks would say. */
export type TryHooks = (asked: {
  readonly cwd: string
  readonly agent: string | undefined
  readonly event: string | undefined
  /** A prompt, or a file or a pattern, in place of one that is made up. */
  readonly subject: string
}) => Promise<readonly TriedHook[]>

export type TriedHook = {
  readonly event: string
  readonly agent: string
  /** As the agent writes it to stdin. */
  readonly input: object
  /** As stdout would have it; "": nothing. */
  readonly output: string
  /** What the model would read; null: nothing. */
  readonly text: string | null
  readonly took_ms: number
}

export type FlagValues = {
  has(name: string): boolean
  /** The last value given. */
  text(name: string): string | undefined
  all(name: string): readonly string[]
}
