import { Beginnings } from "./beginnings.ts"
import { namePatterns } from "./name-patterns.ts"
import { isWordAt, type NameToken, tokenAt, tokenText } from "./name-tokens.ts"

/** A name to be found, under the number that stands for it. */
export type KnownName = { readonly id: number; readonly name: string }

export type NameMatcher = {
  /**
   * Numbers of the names that stand in a text as whole words, each once, in order; of names that begin at one place the
   * longest that `isVisible` lets pass, and none inside another.
   */
  readonly find: (text: string, isVisible: (id: number) => boolean) => number[]
}

/** One walk over the text, whatever the number of names. */
export function nameMatcher(names: Iterable<KnownName>): NameMatcher {
  const root = newNode()
  const beginnings = new Beginnings()
  for (const { id, name } of names) {
    for (const [rank, pattern] of namePatterns(name).entries()) {
      beginnings.add(pattern.tokens[0]!)
      let node = root
      for (const token of pattern.tokens) node = childOf(node, token)
      const end: End = { id, rank, exact: pattern.exact }
      node.ends.push(end)
      // A name as it is comes before another's other way of writing.
      node.ends.sort((one, other) => one.rank - other.rank)
    }
  }
  return { find: (text, isVisible) => findNames(root, beginnings, text.normalize("NFKC"), isVisible) }
}

type End = { readonly id: number; readonly rank: number; readonly exact: string | null }
type Node = { readonly children: Map<string, Node>; readonly ends: End[] }
type Match = { readonly id: number; readonly end: number }

function findNames(
  root: Node,
  beginnings: Beginnings,
  text: string,
  isVisible: (id: number) => boolean,
): number[] {
  const found = new Set<number>()
  if (root.children.size === 0) return []
  let token = tokenAt(text, 0)
  while (token !== null) {
    const mayBegin = beginnings.mayBegin(text, token.start, token.end)
    const match = mayBegin ? longest(root, text, token, isVisible) : null
    if (match !== null) found.add(match.id)
    token = tokenAt(text, match?.end ?? token.end)
  }
  return [...found]
}

function longest(
  root: Node,
  text: string,
  first: NameToken,
  isVisible: (id: number) => boolean,
): Match | null {
  // ASP.NET does not speak of .NET.
  if (first.kind === "mark" && first.start > 0 && isWordAt(text.charCodeAt(first.start - 1))) return null
  let node = root.children.get(tokenText(text, first, true))
  let best: Match | null = null
  let end = first.end
  while (node !== undefined) {
    const hit = node.ends.find(({ id, exact }) => isThere(text, first.start, end, exact) && isVisible(id))
    if (hit !== undefined) best = { id: hit.id, end }
    const next = node.children.size > 0 ? tokenAt(text, end) : null
    node = next === null ? undefined : node.children.get(tokenText(text, next, false))
    end = next?.end ?? end
  }
  return best
}

function isThere(text: string, start: number, end: number, exact: string | null): boolean {
  return exact === null || (text.slice(start, end) === exact && standsAlone(text, start, end))
}

/** C is not spoken of in C++, C#, C-level or c.f., nor 山 in 山田. */
function standsAlone(text: string, start: number, end: number): boolean {
  return !(
    TIED_BEFORE.test(text.slice(Math.max(0, start - 2), start)) || TIED_AFTER.test(text.slice(end, end + 2))
  )
}

const TIED_BEFORE = /[\p{L}\p{N}\p{M}_+#&'’/@$-]$|[\p{L}\p{N}][.:]$/u
const TIED_AFTER = /^(?:[\p{L}\p{N}\p{M}_+#&'’/-]|[.:][\p{L}\p{N}/\\])/u

function newNode(): Node {
  return { children: new Map(), ends: [] }
}

function childOf(node: Node, token: string): Node {
  const known = node.children.get(token)
  if (known !== undefined) return known
  const made = newNode()
  node.children.set(token, made)
  return made
}
