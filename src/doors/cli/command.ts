import type { HttpOptions, ServeOptions, ToolOptions, UiOptions } from "../../ask/index.ts"
import type { Project } from "../../index/index.ts"
import type { CommandOutput } from "./output.ts"

/** Exit codes, like those of grep: finding nothing is not a failure. */
export const EXIT = {
  ok: 0,
  nothingFound: 1,
  usage: 2,
  failure: 3,
  notWritten: 4,
  fresh: 0,
  stale: 5,
  incomplete: 6,
} as const

/** Definition of a flag, used for parsing, help and suggestions after a typing error. */
export type Flag = {
  readonly name: string
  readonly short?: string
  /** Placeholder of its value in the help; absent if the flag takes none. */
  readonly value?: string
  /** Allowed values, if there are only a few. */
  readonly choices?: readonly string[]
  readonly multiple?: boolean
  /** The next argument is the value even if it starts with a dash. */
  readonly takesDash?: boolean
  /**
   * Letters that, joined to the short flag, are further short flags instead of its value: in `-rn`, `n`. The flag itself is
   * then left out.
   */
  readonly notJoined?: RegExp
  readonly help: string
  /**
   * The flag's help text for each verb that takes it. A key may name several verbs, separated by spaces. Absent:
   * every verb takes the flag.
   */
  readonly verbs?: Readonly<Record<string, string>>
}

export type UsageExample = { readonly line: string; readonly note: string }

export type Command = {
  /** Usage after the command's name, e.g. "[flags] QUERY...". */
  readonly usage: string
  readonly details: string
  /** Subcommands: the first word with its arguments, and what it does. */
  readonly verbs?: readonly (readonly [string, string])[]
  readonly flags: readonly Flag[]
  /**
   * Flags that similar tools have and this command lacks, as a user types them, each with the reason or the flag to
   * use instead.
   */
  readonly refusals?: Readonly<Record<string, string>>
  readonly examples: readonly UsageExample[]
  run(input: Input): Promise<number>
}

/** Description of a command for help, manual and completions. */
export type Definition = {
  readonly name: string
  readonly summary: string
  readonly usage: string
  readonly details: string
  readonly verbs: readonly Verb[]
  readonly flags: readonly Flag[]
  readonly examples: readonly UsageExample[]
}

export type Verb = { readonly name: string; readonly words: string; readonly help: string }

/** The parsed command line; values are checked by the command. */
export type Input = {
  readonly words: readonly string[]
  readonly flags: FlagValues
  readonly output: CommandOutput
  readonly cwd: string
  readonly signal: AbortSignal
  readonly serve: Serve
  readonly tryHooks: TryHooks
  readonly serveUi: ServeUi
  readonly mapPage: MapPage
  /** Loads the definitions of all commands, which takes a while. */
  readonly definitions: () => Promise<readonly Definition[]>
}

/** The MCP server, passed in by main.ts. `http` is null for stdin and stdout. */
export type Serve = (
  options: ServeOptions,
  tools: ToolOptions,
  http: HttpOptions | null,
  signal: AbortSignal,
) => Promise<void>

/** The server of `aman ui`, whose package uses this room; passed in by main.ts. */
export type ServeUi = (options: UiOptions, signal: AbortSignal) => Promise<void>

/** The map as one HTML page, with changes since a commit or the impact of a symbol on it; passed in by main.ts. */
type MapPage = (project: Project, marks: MapMarks, signal: AbortSignal) => Promise<string>
type MapMarks = { readonly since: string | undefined; readonly symbol: string | undefined }

/** Runs hooks on sample calls; passed in by main.ts. */
export type TryHooks = (request: {
  readonly cwd: string
  readonly agent: string | undefined
  readonly event: string | undefined
  /** Prompt, file or pattern for the sample calls; "" for a built-in example. */
  readonly subject: string
}) => Promise<readonly TriedHook[]>

export type TriedHook = {
  readonly event: string
  readonly agent: string
  /** JSON that the agent writes to stdin. */
  readonly input: object
  /** Text on stdout; "" for none. */
  readonly output: string
  /** Text for the model; null for none. */
  readonly text: string | null
  readonly took_ms: number
}

export type FlagValues = {
  has(name: string): boolean
  /** The value of a flag; undefined if the flag is absent. Throws USAGE if the flag has several values. */
  text(name: string): string | undefined
  all(name: string): readonly string[]
}
