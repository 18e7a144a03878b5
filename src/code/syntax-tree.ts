import type * as TreeSitter from "web-tree-sitter"
import type { Grammar } from "./languages.ts"
import { startRuntime } from "./syntax-runtime.ts"

/** A parse that cannot be had, with the reason in a short sentence. */
export type NoTree = { readonly reason: string }

let treeSitter: typeof TreeSitter | undefined
let parser: TreeSitter.Parser | undefined
let isBroken = false

const errorQueries = new WeakMap<Grammar, TreeSitter.Query>()

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
  const deadline = performance.now() + timeoutMs
  let wasLate = false
  const isLate = () => {
    wasLate ||= performance.now() > deadline
    return wasLate
  }
  let tree: TreeSitter.Tree | null = null
  try {
    parser ??= new treeSitter.Parser()
    parser.setLanguage(grammar.language)
    tree = parser.parse(text, null, { progressCallback: isLate })
    // Without it the next parse would go on where this one stopped.
    if (!tree) parser.reset()
    const result = tree && use(tree.rootNode, isLate)
    return result && !wasLate ? result : { reason: `parsing took longer than ${timeoutMs} ms` }
  } catch (error) {
    // A trap leaves the module's memory in an unknown state.
    isBroken ||= error instanceof WebAssembly.RuntimeError
    parser = undefined
    return { reason: `the parser failed: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    if (!isBroken) tree?.delete()
  }
}

/** A trap has happened: what this thread parses from now on may fail too. */
export function isParserBroken(): boolean {
  return isBroken
}

/** Characters that the grammar could not make sense of. */
export function errorChars(grammar: Grammar, root: TreeSitter.Node): number {
  if (!root.hasError || !treeSitter) return 0
  let query = errorQueries.get(grammar)
  if (!query) {
    query = new treeSitter.Query(grammar.language, "(ERROR) @error")
    errorQueries.set(grammar, query)
  }
  let reached = 0
  let chars = 0
  for (const { node } of query.captures(root)) {
    const start = Math.max(node.startIndex, reached)
    if (node.endIndex <= start) continue
    chars += node.endIndex - start
    reached = node.endIndex
  }
  return chars
}
