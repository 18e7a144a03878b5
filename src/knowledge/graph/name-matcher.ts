import { namePatterns } from "./name-patterns.ts"
import { isWordAt, type NameToken, tokenAt, tokenText } from "./name-tokens.ts"

export type NameMatcher = {
  /** A name to be found, under the number that stands for it. */
  readonly add: (id: number, name: string) => void
  /**
   * Numbers of the names that stand in a text as whole words, each once, in order; of names that begin at one place the
   * longest that `isVisible` lets pass, and none inside another.
   */
  readonly find: (text: string, isVisible: (id: number) => boolean) => number[]
}

/** One walk over the text, whatever the number of names. */
export function nameMatcher(): NameMatcher {
  const root = newNode()
  return {
    add: (id, name) => {
      for (const [rank, { tokens, exact }] of namePatterns(name).entries()) {
        const { ends } = tokens.reduce(childOf, root)
        ends.push({ id, rank, exact })
        // A name as it is comes before another's other way of writing.
        if (ends.length > 1) ends.sort((one, other) => one.rank - other.rank)
      }
    },
    find: (text, isVisible) => {
      if (root.children.size === 0) return []
      return ASCII.test(text)
        ? inAscii(root, text, isVisible)
        : inAny(root, text.normalize("NFKC"), isVisible)
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is
const ASCII = /^[\x00-\x7f]*$/

type End = { readonly id: number; readonly rank: number; readonly exact: string | null }
type Node = { readonly children: Map<string, Node>; readonly ends: End[] }
type Match = { readonly id: number; readonly end: number }

type IsVisible = (id: number) => boolean

function inAny(root: Node, text: string, isVisible: IsVisible): number[] {
  const found = new Set<number>()
  let token = tokenAt(text, 0)
  while (token !== null) {
    const match = longest(root, text, token, isVisible)
    if (match !== null) found.add(match.id)
    token = tokenAt(text, match?.end ?? token.end)
  }
  return [...found]
}

/** The same tokens found by a regular expression: a third of the time where nothing is compiled yet. */
function inAscii(root: Node, text: string, isVisible: IsVisible): number[] {
  const found = new Set<number>()
  const lower = text.toLowerCase()
  ASCII_TOKENS.lastIndex = 0
  for (let token = ASCII_TOKENS.exec(lower); token !== null; token = ASCII_TOKENS.exec(lower)) {
    const [word] = token
    if (!(root.children.has(word) || word.includes("_"))) continue
    const first = tokenAt(text, token.index)
    const match = first === null ? null : longest(root, text, first, isVisible)
    if (match === null) continue
    found.add(match.id)
    ASCII_TOKENS.lastIndex = match.end
  }
  return [...found]
}

// No name begins with a mark that ends a word.
const ASCII_TOKENS = /[a-z0-9_]+|(?<![a-z0-9_])[^\sa-z0-9_]/g

function longest(root: Node, text: string, first: NameToken, isVisible: IsVisible): Match | null {
  // ASP.NET does not speak of .NET.
  if (first.kind === "mark" && first.start > 0 && isWordAt(text, first.start - 1)) return null
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
