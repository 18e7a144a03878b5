import type { Definition } from "../../definitions.ts"
import type { TextLines } from "../../text-lines.ts"
import type { Jsdoc } from "../jsdoc.ts"
import type { Use } from "../use-code.ts"
import type { ValuePath } from "../value-path.ts"

/** Data from a file's syntax tree that is needed to find its uses. Offsets count UTF-16 units and are sorted. */
export type UseSource = {
  /** Ranges of comments and strings, as pairs of offsets. No uses are searched in them. */
  readonly silent: Uint32Array
  /** Offsets of the names of definitions, and of names that a template binds. */
  readonly names: ReadonlySet<number>
  readonly imports: readonly ImportSpan[]
  /** Names that tags and directives of a template use, in the spelling of its script. */
  readonly tags?: readonly TagName[]
  /** What the comments say about types; null or absent if there are no JSDoc comments. */
  readonly jsdoc?: Jsdoc | null
  /** Types, and containers such as Rust's impl, with the offsets of their heads. */
  readonly types: readonly Pick<Definition, "name" | "kind" | "owner" | "start" | "end" | "bodyStart">[]
}

/** `at` is a UTF-16 offset. */
export type TagName = { readonly name: string; readonly at: number; readonly isCall: boolean }

export type ImportSpan = { readonly start: number; readonly end: number; readonly module: string }

/** The state while the uses of one file are read. */
export type UseScan = {
  readonly text: string
  readonly lines: TextLines
  readonly language: string
  readonly source: UseSource
  readonly reserved: ReadonlySet<string>
  readonly aliases: ReadonlyMap<string, string>
  /** The aliases that stand for a name which the file defines itself. */
  readonly colliding: ReadonlySet<string>
  readonly uses: Use[]
  /** Uses of names of one letter, as long as nothing has bound them. */
  readonly letters: Set<Use>
  /** The brackets that are open, outermost first. */
  readonly open: OpenBracket[]
  /** The previous identifier. `wordEnd` is the offset of its end. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Number of imports, counted from the first, that end before the current offset. */
  importAt: number
  /** Number of types that begin before the current offset. */
  types: number
  readonly hasDollars: boolean
  /** True if an object literal of the language gets its type from its context. */
  readonly hasContexts: boolean
  /** Path of the value that was read last, and the offsets of its start and end. */
  path: ValuePath | null
  pathStart: number
  pathEnd: number
  /**
   * The latest call with type arguments: the path of the called function, the offset of its start, and the offset of
   * its opening bracket.
   */
  generic: { readonly path: ValuePath | null; readonly start: number; readonly at: number } | null
  /**
   * Path of the value before the latest `as`, in languages where `as` is followed by a name that is bound to the value.
   */
  beforeAs: ValuePath | null
  /** The value that a `switch`, `when` or `match` tests, and the offset where its body begins. */
  subject: { readonly name: string | null; readonly path: ValuePath | null; readonly at: number } | null
  /** The result that the context expects of the arrow function whose parameters were read last. */
  arrow: ValuePath | null
  /** The arrow functions that are arguments or values of keys and have not ended, outermost first. */
  readonly callbacks: Callback[]
}

/** An arrow function inside a bracket: its parameters, and how many brackets and commas there are outside of it. */
export type Callback = {
  readonly names: ReadonlySet<string>
  readonly depth: number
  readonly commas: number
}

/** A bracket that is open at the current offset. */
export type OpenBracket = {
  readonly code: number
  /** Offset of the bracket; if the bracket calls or indexes a value, offset of that value. */
  readonly at: number
  /** True if the bracket is a pattern that binds the names in it: `const { a, b } =`. */
  readonly isPattern: boolean
  /** Path of the value that the bracket calls or indexes; null if there is none. */
  readonly path: ValuePath | null
  /** Path of the value that the context expects for the bracket, for example because of a declared type. */
  readonly expected: ValuePath | null
  /** Path of the value that `return` returns inside the bracket. */
  readonly result: ValuePath | null
  /**
   * The values that a pattern such as `(a, b)` in `let (a, b) = pair()` destructures; null if the bracket is no such
   * pattern.
   */
  readonly tuple: TuplePattern | null
  /** The value that the arms in the bracket test; null if there is none. */
  readonly subject: UseScan["subject"]
  /** Number of commas read in the bracket so far. */
  commas: number
  /** Path of the properties of the markup element that began last. */
  tag: ValuePath | null
  /** The key before the last colon. */
  key: string | null
  /** Names that the bracket may bind; whether it does is known after it closes. */
  named: PatternName[] | null
  /**
   * Indexes of uses that are parameters without a type if the bracket is the list of parameters of a function; -1 - index
   * for a name in a pattern `{ name }`.
   */
  parameters: number[] | null
}

/**
 * How a bracket binds names: "parts": to the parts of the value of `path`; "whole": to that value itself; "typed": by
 * the type after each name (Go's `var (…)` and parameters). An empty path means that the value is unknown.
 */
export type TuplePattern = { readonly how: "parts" | "whole" | "typed"; readonly path: ValuePath | "" }

/**
 * A name that a bracket may bind. `use`: index of its use. `as`: "key" if it is a member of the bound value, "local" if
 * it is a local variable, "both" if it is both.
 */
export type PatternName = {
  readonly use: number
  readonly name: string
  readonly as: "key" | "local" | "both"
  /**
   * The step of the path that leads from the bound value to another value: to the one that the name is a member of
   * ("key", "both"), or to the one that the name refers to ("local").
   */
  readonly member: string
}

export type PrecedingWord = { readonly word: string; readonly end: number }
