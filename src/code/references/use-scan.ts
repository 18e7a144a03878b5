import type { Definition } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import type { Use } from "./use-code.ts"
import type { ValuePath } from "./value-path.ts"

/** The facts of a file's syntax tree from which its uses are found; offsets are UTF-16 and sorted. */
export type UseSource = {
  /** Pairs of offsets of comments and strings, in which no uses are looked for. */
  readonly silent: Uint32Array
  /** Offsets of the names of definitions and of names that a template binds. */
  readonly names: ReadonlySet<number>
  readonly imports: readonly ImportSpan[]
  /** Names that tags and directives of a template use, as its script would write them. */
  readonly tags?: readonly TagName[]
  /** Types with their heads, and containers such as Rust's impl. */
  readonly types: readonly Pick<Definition, "name" | "kind" | "owner" | "start" | "end" | "bodyStart">[]
}

/** `at` is a UTF-16 offset. */
export type TagName = { readonly name: string; readonly at: number; readonly isCall: boolean }

export type ImportSpan = { readonly start: number; readonly end: number; readonly module: string }

/** State of reading the uses of one file. */
export type UseScan = {
  readonly text: string
  readonly lines: TextLines
  readonly language: string
  readonly source: UseSource
  readonly reserved: ReadonlySet<string>
  readonly aliases: ReadonlyMap<string, string>
  readonly uses: Use[]
  /** Uses of one-letter names that nothing has bound yet. */
  readonly letters: Set<Use>
  /** The open brackets, outermost first. */
  readonly open: OpenBracket[]
  /** The previous identifier; `wordEnd` is the offset where it ends. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Number of imports at the beginning of the list that have ended before the current offset. */
  importAt: number
  /** Number of types that begin before the current offset. */
  types: number
  readonly hasDollars: boolean
  /** True if an object literal of the language gets its type from its context. */
  readonly hasContexts: boolean
  /** Path of the latest value, and the offsets where it begins and ends. */
  path: ValuePath | null
  pathStart: number
  pathEnd: number
  /**
   * The latest call with type arguments: the path of what is called, where that begins, and where its bracket
   * opens.
   */
  generic: { readonly path: ValuePath | null; readonly start: number; readonly at: number } | null
  /** Path of the value before the latest `as`, in languages where a name that is bound to it follows. */
  beforeAs: ValuePath | null
  /** The value that a `switch`, `when` or `match` tests, and the offset where its body opens. */
  subject: { readonly name: string | null; readonly path: ValuePath | null; readonly at: number } | null
  /** Expected result of the arrow function whose parameters were read last, from its context. */
  arrow: ValuePath | null
}

/** An open bracket. */
export type OpenBracket = {
  readonly code: number
  /** Offset of the bracket, or of the value before it that it calls or indexes. */
  readonly at: number
  /** True if the names in it are bound: `const { a, b } =`. */
  readonly isPattern: boolean
  /** Path of the value that the bracket calls or indexes; null if there is none. */
  readonly path: ValuePath | null
  /** Path of the value that the context expects of the bracket, for example by a declared type. */
  readonly expected: ValuePath | null
  /** Path of what `return` returns inside the bracket. */
  readonly result: ValuePath | null
  /**
   * The values that a pattern such as `(a, b)` in `let (a, b) = pair()` destructures; null if the bracket is no
   * such pattern.
   */
  readonly tuple: TuplePattern | null
  /** The value that the arms in it test; null if there is none. */
  readonly subject: UseScan["subject"]
  /** Number of commas read in it so far. */
  commas: number
  /** Path of the properties of the markup element begun last. */
  tag: ValuePath | null
  /** The key before the latest colon. */
  key: string | null
  /** Names that the bracket may bind. */
  named: PatternName[] | null
}

/**
 * How a bracket binds names: "parts" to the parts of the value of `path`, "whole" to that value itself, "typed" by
 * the type after each name (Go's `var (…)` and parameters). A path of "" is a value that the text does not tell.
 */
export type TuplePattern = { readonly how: "parts" | "whole" | "typed"; readonly path: ValuePath | "" }

/**
 * A name that a bracket may bind. `use`: index of its use. `as`: whether it is a member of the bound value
 * ("key"), a local ("local"), or both.
 */
export type PatternName = {
  readonly use: number
  readonly name: string
  readonly as: "key" | "local" | "both"
  /**
   * The path step from the bound value to the value that the name is a member of ("key", "both") or refers to
   * ("local").
   */
  readonly member: string
}

export type PrecedingWord = { readonly word: string; readonly end: number }
