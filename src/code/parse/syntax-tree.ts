import type * as TreeSitter from "web-tree-sitter"
import { messageOf } from "../../base/errors.ts"
import type { Grammar } from "../languages/languages.ts"
import { withoutBrokenBranches } from "./conditional-branches.ts"
import { refillSteps, startRuntime } from "./syntax-runtime.ts"

/** The reason why there is no syntax tree, as a short phrase. */
export type NoTree = { readonly reason: string }

// web-tree-sitter takes at most 10 KB of UTF-16 at a time.
const READ_CHARS = 5000
const REREAD_CHARS = 128
// If error nodes cover less than this share of a file, it is not parsed a second time, because that takes longer than
// the few definitions it could find are worth.
const MINOR_ERRORS = 0.02

let treeSitter: typeof TreeSitter | undefined
let parser: TreeSitter.Parser | undefined
let isBroken = false

/**
 * Parses a text and passes the root of the tree to `use`. The tree is deleted when `use` returns, because WebAssembly
 * memory is not garbage-collected. Parser and query call `isLate` regularly and stop once it returns true; the file
 * then has no tree.
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
    let readable = rewritten(grammar, text)
    tree = parse(parser, readable, isLate)
    const whole =
      grammar.hasConditions && tree?.rootNode.hasError ? withoutBrokenBranches(readable) : readable
    if (whole !== readable) {
      tree?.delete()
      readable = whole
      tree = parse(parser, readable, isLate)
    }
    tree &&= withoutStumbles(parser, grammar, tree, readable, isLate)
    const result = tree && use(tree.rootNode, isLate)
    return result && !wasLate ? result : tooLong(timeoutMs)
  } catch (error) {
    // A trap leaves the memory of the module in an unknown state, so the parser must not be used again.
    isBroken ||= error instanceof WebAssembly.RuntimeError || error instanceof RangeError
    parser = undefined
    // A parse that was stopped while it used gigabytes may fail when it releases them. The reason is then the time
    // limit.
    return wasLate ? tooLong(timeoutMs) : { reason: failureOf(error) }
  } finally {
    if (!isBroken) tree?.delete()
  }
}

/** Parses the text; null if that takes too long. */
function parse(parser: TreeSitter.Parser, text: string, isLate: () => boolean): TreeSitter.Tree | null {
  const tree = parser.parse(reader(text, isLate), null, { progressCallback: unlessLate(isLate) })
  // Without the reset, the next parse would continue this one.
  if (!tree) parser.reset()
  return tree
}

/** Returns `isLate` with a side effect: until it is true, each call gives the grammar new steps. */
function unlessLate(isLate: () => boolean): () => boolean {
  refillSteps()
  return () => {
    const late = isLate()
    if (!late) refillSteps()
    return late
  }
}

function tooLong(timeoutMs: number): NoTree {
  return { reason: `parsing took longer than ${timeoutMs} ms` }
}

/** The message with which emscripten aborts when its memory is full. */
const OUT_OF_MEMORY = /^Aborted\(/
/**
 * Matches the error of the instruction "unreachable", with which a grammar ends after too many steps
 * (see bounded-work.ts).
 */
const UNREACHABLE = /^unreachable/i

function failureOf(error: unknown): string {
  const message = messageOf(error)
  if (OUT_OF_MEMORY.test(message)) return "parsing took too much memory"
  if (error instanceof WebAssembly.RuntimeError && UNREACHABLE.test(message))
    return "the grammar fails on this text"
  return `the parser failed: ${message}`
}

/** Replaces macros that the grammar does not know by other words of the same length, so that offsets stay the same. */
function rewritten({ rewrites }: Grammar, text: string): string {
  return rewrites.reduce(
    (current, { pattern, as }) =>
      current.replace(pattern, (found, name) => as.replace("$1", String(name)).padEnd(found.length)),
    text,
  )
}

/**
 * Parses a range of the text in another language. Offsets in the tree are those of the whole text. Null if it takes too
 * long.
 */
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
  const tree = parser.parse(reader(text, isLate), null, {
    progressCallback: unlessLate(isLate),
    includedRanges,
  })
  if (!tree) parser.reset()
  return tree
}

/**
 * Parses a second time, with the text that the grammar cannot parse (`stumbles`) replaced, if errors take more than a
 * small share of the text. Returns the tree in which they take fewer characters.
 */
function withoutStumbles(
  parser: TreeSitter.Parser,
  grammar: Grammar,
  tree: TreeSitter.Tree,
  text: string,
  isLate: () => boolean,
): TreeSitter.Tree {
  const { stumbles } = grammar
  if (!stumbles || !tree.rootNode.hasError) return tree
  const errors = errorChars(tree.rootNode, isLate)
  if (errors < text.length * MINOR_ERRORS) return tree
  // The replacement has the same length, so that offsets stay the same.
  const replaced = text.replace(
    stumbles.pattern,
    (found) => stumbles.as + found.slice(stumbles.as.length).replace(/[^\r\n]/g, " "),
  )
  const second = replaced === text ? null : parse(parser, replaced, isLate)
  if (!second) return tree
  const isBetter = errorChars(second.rootNode, isLate) < errors
  const [kept, other] = isBetter ? [second, tree] : [tree, second]
  other.delete()
  return kept
}

/**
 * Returns the function through which the parser reads the text piece by piece. When the scanner of a grammar looks back
 * (Scala's asks for the column of most tokens), it gets a small piece; web-tree-sitter's own function copies 10 KB each
 * time, which halves the speed for Scala. After the time limit, the function returns no more text, because a scanner
 * that reads the rest of the file again for every character never checks the limit itself.
 */
function reader(text: string, isLate: () => boolean): (index: number) => string {
  let expected = 0
  return (index) => {
    const chars = index === expected ? READ_CHARS : REREAD_CHARS
    expected = index + chars
    if (isLate()) return ""
    // At the end of the text there is no progress, even if the scanner asks for more of it.
    if (index < text.length) refillSteps()
    return text.slice(index, expected)
  }
}

/** True after a trap in WebAssembly. Later parses in this thread may then fail as well. */
export function isParserBroken(): boolean {
  return isBroken
}

/** Number of characters in error nodes; too low if the time runs out. */
export function errorChars(root: TreeSitter.Node, isLate: () => boolean): number {
  return errorSizes(root, isLate).reduce((sum, chars) => sum + chars, 0)
}

/**
 * Lengths of the error nodes in characters; some are missing if the time runs out. Only nodes that contain an error are
 * visited, whereas a query for errors would visit every node.
 */
export function errorSizes(root: TreeSitter.Node, isLate: () => boolean): number[] {
  const sizes: number[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined && !isLate(); node = open.pop()) {
    if (!node.hasError) continue
    if (node.isError) sizes.push(node.endIndex - node.startIndex)
    else for (const child of node.children) open.push(child)
  }
  return sizes
}

/**
 * Returns a function that is true once this thread has used more than `ms` milliseconds of processor time from now.
 * Time in which the process was stopped or the machine slept does not count, because the file would then be left
 * without a syntax tree until it changes.
 */
export function workLimit(ms: number): () => boolean {
  const deadline = performance.now() + ms
  const before = workedMs()
  // The clock is read first, because that is cheaper, and the processor time of a thread is never more than the elapsed
  // time.
  return () => performance.now() > deadline && workedMs() - before > ms
}

/**
 * Processor time of this thread in ms; elapsed time if the runtime cannot measure it (Bun before 1.4). On Linux and
 * Windows, Bun measures the thread. On macOS this is not verified: if Bun measures the whole process there, the limit
 * is reached too early, but not earlier than by elapsed time.
 */
function workedMs(): number {
  const tell: typeof process.threadCpuUsage | undefined = process.threadCpuUsage
  if (tell === undefined) return performance.now()
  const { user, system } = tell.call(process)
  return (user + system) / 1000
}
