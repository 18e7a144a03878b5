import type { Definition } from "./definitions.ts"
import type { TextLines } from "./text-lines.ts"
import type { Use } from "./use-code.ts"

/** What of a file's tree its uses are told by; pairs and offsets are UTF-16, sorted. */
export type UseSource = {
  /** Comments and what stands in strings: names nothing. */
  readonly silent: Uint32Array
  /** Where the names of definitions stand. */
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
  /** Brackets that are open, outermost first; PATTERN where what stands in them is bound. */
  readonly open: number[]
  /** The identifier before, and where it ends. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Types that begin before here. */
  types: number
  readonly hasDollars: boolean
}

export type Before = { readonly word: string; readonly end: number }

/** `const { a, b } =`: the brackets of what is bound. */
export const PATTERN = -1
