import type { Definition } from "./definitions.ts"
import type { TextLines } from "./text-lines.ts"
import type { Use } from "./use-code.ts"
import type { ValuePath } from "./value-path.ts"

/** What of a file's tree its uses are told by; pairs and offsets are UTF-16, sorted. */
export type UseSource = {
  /** Comments and what stands in strings: names nothing. */
  readonly silent: Uint32Array
  /** Where the names of definitions stand, and those that a template binds. */
  readonly names: ReadonlySet<number>
  readonly imports: readonly ImportSpan[]
  /** Names that tags and directives of a template use, as they would be written in its script. */
  readonly tags?: readonly TagName[]
  /** Types with what they extend, and containers such as Rust's impl. */
  readonly types: readonly Pick<Definition, "name" | "kind" | "owner" | "start" | "end" | "bodyStart">[]
}

/** `at` is an offset. */
export type TagName = { readonly name: string; readonly at: number; readonly isCall: boolean }

export type ImportSpan = { readonly start: number; readonly end: number; readonly module: string }

/** Where a file is being read, and what was met last. */
export type UseScan = {
  readonly text: string
  readonly lines: TextLines
  readonly language: string
  readonly source: UseSource
  readonly reserved: ReadonlySet<string>
  readonly aliases: ReadonlyMap<string, string>
  readonly uses: Use[]
  /** Those of one letter that nothing has bound yet. */
  readonly letters: Set<Use>
  /** Brackets that are open, outermost first. */
  readonly open: Frame[]
  /** The identifier before, and where it ends. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Types that begin before here. */
  types: number
  readonly hasDollars: boolean
  /** Whether what is written out has its type from what is around it. */
  readonly hasContexts: boolean
  /** The value that was met last, and where it begins and ends. */
  path: ValuePath | null
  pathStart: number
  pathEnd: number
  /** What is called with type arguments, where it begins, and where its bracket is. */
  generic: { readonly path: ValuePath | null; readonly start: number; readonly at: number } | null
  /** What is expected of the arrow function whose parameters were met last. */
  arrow: ValuePath | null
}

/** A bracket that is open. */
export type Frame = {
  readonly code: number
  /** Where it opens, or what is called by it begins. */
  readonly at: number
  /** What stands in it is bound: `const { a, b } =`. */
  readonly isPattern: boolean
  /** What is called with what stands in it, or what it takes an element of. */
  readonly path: ValuePath | null
  /** What is expected where it stands, as by a declared type. */
  readonly expected: ValuePath | null
  /** What `return` gives in it. */
  readonly result: ValuePath | null
  /** How many commas were met. */
  commas: number
  /** The element of markup that was begun last. */
  tag: ValuePath | null
  /** The key before the colon that was met last. */
  key: string | null
  /** Names that may be bound by it. */
  named: Named[] | null
}

/** Its place among the uses; whether it is a member of what is bound, binds a local, or both. */
export type Named = {
  readonly use: number
  readonly name: string
  readonly as: "key" | "local" | "both"
  /** The step from what is bound to what it is a member of, or, of a local, to its value. */
  readonly member: string
}

export type Before = { readonly word: string; readonly end: number }
