import type * as TreeSitter from "web-tree-sitter"
import type { Grammar } from "./languages.ts"
import { startRuntime } from "./syntax-runtime.ts"
import { workLimit } from "./work-limit.ts"

/** A parse that cannot be had, with the reason in a short sentence. */
export type NoTree = { readonly reason: string }

// web-tree-sitter takes at most 10 KB of UTF-16 at a time.
const READ_CHARS = 5000
const REREAD_CHARS = 128
// Below this share of a file in errors a second parse costs more than the few definitions it could win.
const MINOR_ERRORS = 0.02

let treeSitter: typeof TreeSitter | undefined
let parser: TreeSitter.Parser | undefined
let isBroken = false

/**
 * Parses and hands the root to `use`; the tree does not outlive it, as wasm memory is never collected.
 * Parser and query ask `isLate` now and then; once it was true, the file is given up.
 */
export async function withSyntaxTree<Result>(
  grammar: Grammar,
  text: string,
  timeoutMs: number,
  use: (root: TreeSitter.Node, isLate: () => boolean) => Result | NoTree,
): Promise<Result | NoTree> {
  treeSitter = await startRuntime()
  const isOver = workLimit(timeoutMs)
  let wasLate = false
  const isLate = () => {
    wasLate ||= isOver()
    return wasLate
  }
  let tree: TreeSitter.Tree | null = null
  try {
    parser ??= new treeSitter.Parser()
    parser.setLanguage(grammar.language)
    const readable = rewritten(grammar, text)
    tree = parser.parse(reader(readable, isLate), null, { progressCallback: isLate })
    // Without it the next parse would go on where this one stopped.
    if (!tree) parser.reset()
    tree &&= withoutStumbles(parser, grammar, tree, readable, isLate)
    const result = tree && use(tree.rootNode, isLate)
    return result && !wasLate ? result : tooLong(timeoutMs)
  } catch (error) {
    // A trap leaves the module's memory in an unknown state.
    isBroken ||= error instanceof WebAssembly.RuntimeError || error instanceof RangeError
    parser = undefined
    // One that is stopped amid gigabytes of guesses may stumble while it forgets them.
    return wasLate ? tooLong(timeoutMs) : { reason: failureOf(error) }
  } finally {
    if (!isBroken) tree?.delete()
  }
}

function tooLong(timeoutMs: number): NoTree {
  return { reason: `parsing took longer than ${timeoutMs} ms` }
}

/** How emscripten ends when its memory has no room left. */
const OUT_OF_MEMORY = /^Aborted\(/

function failureOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return OUT_OF_MEMORY.test(message) ? "parsing took too much memory" : `the parser failed: ${message}`
}

/** The text with the macros the grammar lacks in other words, each as long as it was: offsets stay. */
function rewritten({ rewrites }: Grammar, text: string): string {
  return rewrites.reduce(
    (current, { pattern, as }) =>
      current.replace(pattern, (found, name) => as.replace("$1", String(name)).padEnd(found.length)),
    text,
  )
}

/** The tree of a stretch of the text in another language; offsets are those of the whole. Null if it takes too long. */
export function parseRange(
  grammar: Grammar,
  text: string,
  range: TreeSitter.Node,
  isLate: () => boolean,
): TreeSitter.Tree | null {
  if (!parser) return null
  parser.setLanguage(grammar.language)
  const { startIndex, endIndex, startPosition, endPosition } = range
  const includedRanges = [{ startIndex, endIndex, startPosition, endPosition }]
  const tree = parser.parse(reader(text, isLate), null, { progressCallback: isLate, includedRanges })
  if (!tree) parser.reset()
  return tree
}

/** The tree of a second try with what the grammar stumbles over blanked out, where that has fewer errors. */
function withoutStumbles(
  parser: TreeSitter.Parser,
  grammar: Grammar,
  tree: TreeSitter.Tree,
  text: string,
  isLate: () => boolean,
): TreeSitter.Tree {
  if (!grammar.stumbles || !tree.rootNode.hasError) return tree
  const errors = errorChars(tree.rootNode, isLate)
  if (errors < text.length * MINOR_ERRORS) return tree
  // Of the same length, so that every offset stays.
  const blanked = text.replace(grammar.stumbles, (found) => found.replace(/[^\r\n]/g, " "))
  const second =
    blanked === text ? null : parser.parse(reader(blanked, isLate), null, { progressCallback: isLate })
  if (!second) {
    parser.reset()
    return tree
  }
  const isBetter = errorChars(second.rootNode, isLate) < errors
  const [kept, other] = isBetter ? [second, tree] : [tree, second]
  other.delete()
  return kept
}

/**
 * Hands the text over piece by piece. A grammar that looks back (Scala asks for the column of most tokens)
 * gets a small piece then: web-tree-sitter's own reader copies 10 KB each time, which halves Scala's speed.
 * After its time the text is at its end: a lexer that reads the rest again for every character asks nobody else.
 */
function reader(text: string, isLate: () => boolean): (index: number) => string {
  let expected = 0
  return (index) => {
    const chars = index === expected ? READ_CHARS : REREAD_CHARS
    expected = index + chars
    if (isLate()) return ""
    return text.slice(index, expected)
  }
}

/** A trap has happened: what this thread parses from now on may fail too. */
export function isParserBroken(): boolean {
  return isBroken
}

/**
 * Characters that the grammar could not make sense of; fewer where it is late. Only what holds an error is looked into:
 * a query for errors would walk over every node.
 */
export function errorChars(root: TreeSitter.Node, isLate: () => boolean): number {
  let chars = 0
  const open = [root]
  for (let node = open.pop(); node !== undefined && !isLate(); node = open.pop()) {
    if (!node.hasError) continue
    if (node.isError) chars += node.endIndex - node.startIndex
    else for (const child of node.children) open.push(child)
  }
  return chars
}
