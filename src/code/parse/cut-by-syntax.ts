import type { Node } from "web-tree-sitter"
import { type ChunkSizes, partChars } from "../chunk/chunk.ts"
import { type Cut, cutUnits } from "../chunk/cut.ts"
import { isTypeLike, nestDefinitions } from "../definitions.ts"
import type { Grammar } from "../languages/languages.ts"
import { LARGE_ERRORS, limitNote, MAX_IMPORTS } from "../parsed-file.ts"
import type { UseSource } from "../references/scan/use-scan.ts"
import { NO_TEMPLATE, readTemplate } from "../references/templates/template.ts"
import { mergeSpans } from "../spans.ts"
import type { TextLines } from "../text-lines.ts"
import { type Captures, readCaptures } from "./captures.ts"
import { type Embedded, embeddedGrammars, type Grammars, parseEmbedded } from "./embedded-code.ts"
import { errorChars, errorSizes, type NoTree, withSyntaxTree } from "./syntax-tree.ts"
import { syntaxUnits } from "./syntax-units.ts"

type CutOptions = ChunkSizes & { readonly timeoutMs: number }

/** If more than this share of a file is in error nodes and the file defines nothing, the tree is not used. */
const MAX_ERROR_SHARE = 0.5

/**
 * A file with a longer error node, in characters, is marked with LARGE_ERRORS. In 15 repositories with 11,300 code files,
 * at least 19 files have one.
 */
const MAX_ERROR_CHARS = 500

const NO_GRAMMARS: Grammars = new Map()

/** Cuts a file into chunks along its syntax tree. Embedded scripts and styles are cut along trees of their own. */
export async function cutBySyntax(
  grammar: Grammar,
  lines: TextLines,
  options: CutOptions,
): Promise<Cut | NoTree> {
  const { text } = lines
  const grammars = grammar.holdsOthers ? await embeddedGrammars(text) : NO_GRAMMARS
  return withSyntaxTree(grammar, text, options.timeoutMs, (root, isLate) => {
    const own = readCaptures(grammar.query, root, isLate)
    if (own.definitions.length === 0 && errorChars(root, isLate) > MAX_ERROR_SHARE * text.length) {
      return { reason: "the grammar does not recognise most of it" }
    }
    const embedded = parseEmbedded(own.embedded, grammars, text, isLate)
    try {
      const captures = grammar.holdsOthers ? joinCaptures([own, ...embedded.captures]) : own
      const useSource = useSourceOf(captures, grammar.holdsOthers ? own : null, lines)
      const isUnclear =
        !grammar.holdsOthers && errorSizes(root, isLate).some((chars) => chars > MAX_ERROR_CHARS)
      return cutTree(root, { captures, embedded, useSource, isUnclear }, lines, options)
    } finally {
      for (const tree of embedded.trees) tree.delete()
    }
  })
}

type TreeContents = {
  readonly captures: Captures
  readonly embedded: Embedded
  readonly useSource: UseSource
  /** True if the grammar fails on a large part of the file. */
  readonly isUnclear: boolean
}

function cutTree(
  root: Node,
  { captures, embedded, useSource, isUnclear }: TreeContents,
  lines: TextLines,
  options: CutOptions,
): Cut {
  const definitions = nestDefinitions(captures.definitions)
  const comments = mergedRanges(captures.comments, captures.docs)
  const syntax = { lines, definitions, comments, embedded: embedded.parts, runChars: partChars(options) }
  const parts = { units: syntaxUnits(root, syntax), definitions }
  const cut = cutUnits("tree-sitter", parts, { ...captures, comments }, lines, options)
  const isLimited = captures.importSpans.length >= MAX_IMPORTS
  const own = isUnclear ? LARGE_ERRORS : null
  return {
    ...cut,
    degraded: embedded.degraded ?? (isLimited ? limitNote(MAX_IMPORTS, "imports") : own),
    useSource,
  }
}

/**
 * The ranges in which uses of names are searched. In a page, only scripts, styles and template expressions can use
 * names; everything else is skipped.
 */
function useSourceOf(captures: Captures, page: Captures | null, lines: TextLines): UseSource {
  const template = page === null ? NO_TEMPLATE : readTemplate(page, lines.text)
  const around = page === null ? [] : complement(page.embedded, template.code, lines.text.length)
  return {
    silent: mergeSpans([
      ...captures.comments,
      ...captures.docs,
      ...withoutQuoted(captures, lines.text),
      ...template.silent,
      ...around,
    ]),
    tags: template.tags,
    names: new Set([...captures.names, ...template.bound]),
    imports: captures.importSpans.toSorted((one, other) => one.start - other.start),
    types: captures.definitions
      .filter(({ kind }) => kind === null || isTypeLike(kind))
      .sort((one, other) => one.start - other.start || other.end - one.end),
  }
}

/** The literals without the strings that name definitions. In `Literal["w"]`, a string is a value. */
function withoutQuoted({ literals, quoted }: Captures, text: string): readonly number[] {
  if (quoted.length === 0) return literals
  const named = new Set<number>()
  for (let at = 0; at < quoted.length; at += 2) {
    const start = quoted[at]!
    if (!IN_LITERAL.test(text.slice(Math.max(0, start - MAX_LITERAL_CHARS), start))) named.add(start)
  }
  return literals.filter((_, at) => !named.has(literals[at - (at % 2)]!))
}

const IN_LITERAL = /\b(?:Literal|Annotated)\[[^\]]*$/
const MAX_LITERAL_CHARS = 500

/** The text between the given ranges, as pairs of offsets. */
function complement(holders: Captures["embedded"], code: readonly number[], length: number): number[] {
  const scripts = holders.flatMap(({ startIndex, endIndex }) => [startIndex, endIndex])
  return [0, ...mergeSpans([...scripts, ...code]), length]
}

/** Merges two sorted lists of offset pairs. */
function mergedRanges(comments: Uint32Array, docs: Uint32Array): Uint32Array {
  if (docs.length === 0) return comments
  const pairs = [...pairsOf(comments), ...pairsOf(docs)].sort((one, other) => one[0] - other[0])
  return Uint32Array.from(pairs.flat())
}

function pairsOf(ranges: Uint32Array): [number, number][] {
  return Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[at * 2]!, ranges[at * 2 + 1]!])
}

/** Joins what several queries found in one file. */
function joinCaptures(all: readonly Captures[]): Captures {
  return {
    definitions: all.flatMap(({ definitions }) => definitions),
    comments: mergeSpans(all.flatMap(({ comments }) => [...comments])),
    docs: mergeSpans(all.flatMap(({ docs }) => [...docs])),
    literals: all.flatMap(({ literals }) => [...literals]),
    quoted: all.flatMap(({ quoted }) => [...quoted]),
    imports: [...new Set(all.flatMap(({ imports }) => imports))],
    importSpans: all.flatMap(({ importSpans }) => [...importSpans]),
    names: all.flatMap(({ names }) => [...names]),
    package: all.find((captures) => captures.package !== null)?.package ?? null,
    embedded: [],
    expressions: all.flatMap(({ expressions }) => [...expressions]),
    tags: all.flatMap(({ tags }) => [...tags]),
    bindings: all.flatMap(({ bindings }) => [...bindings]),
  }
}
