/*
 * Finds entity names in texts. `TextLinks` follows changes of the names and says which texts they can affect.
 * `nameMatcher` is a tree of tokens that finds all names in one pass over a text.
 */

import { ASCII, STOP_WORDS, splitIdentifier, UNSPACED_CLASS } from "../../text/index.ts"
import { tidyLabel } from "../entries/labels.ts"
import { EntityNames } from "./entities.ts"

/** A change of the names that are searched for. */
export type NameChange = {
  /** Names, in normalised form, that were added or removed or have other spellings. */
  readonly keys: ReadonlySet<string>
  /**
   * Beginnings of the changed names: a text that contains none of them, and contained none of `keys`, has the same names
   * as before. Null when there are too many.
   */
  readonly beginnings: readonly string[] | null
}

const NO_KEYS: readonly string[] = []

/** The names that texts are searched for. */
export class TextLinks {
  #names = new EntityNames([])
  #signatures = new Map<string, string>()
  #keys: string[] = []
  #matcher: NameMatcher = nameMatcher()

  /** For each name in normalised form, its signature. */
  get signatures(): ReadonlyMap<string, string> {
    return this.#signatures
  }

  /** Sets the signatures of the names with which stored links were found, before the first call of `setNames`. */
  adopt(signatures: ReadonlyMap<string, string>): void {
    this.#signatures = new Map(signatures)
  }

  /** The normalised names in a text. */
  inText(text: string, project: string | null): readonly string[] {
    const keys = this.#keys
    const found = this.#matcher.find(text, (id) => this.#names.findKey(keys[id]!, project) !== null)
    return found.length === 0 ? NO_KEYS : found.map((id) => keys[id]!)
  }

  /** Searches for these names from now on. Returns what changed; null when no text can be affected. */
  setNames(names: EntityNames): NameChange | null {
    const signatures = new Map([...names.keys()].map((key) => [key, names.signature(key)]))
    const changed = new Set(
      [...this.#signatures.keys(), ...signatures.keys()].filter(
        (key) => this.#signatures.get(key) !== signatures.get(key),
      ),
    )
    const former = this.#names
    this.#names = names
    // After `adopt` there is no matcher yet, although no name may have changed.
    if (changed.size === 0 && this.#keys.length === signatures.size) return null
    this.#signatures = signatures
    this.#keys = [...signatures.keys()]
    this.#matcher = nameMatcher()
    for (const [id, key] of this.#keys.entries())
      for (const name of names.spellings(key)) this.#matcher.add(id, name)
    return changed.size === 0 ? null : { keys: changed, beginnings: firstTokens([names, former], changed) }
  }
}

/** Maximum changed names searched for; with more, running the matcher is as fast. */
const MAX_SEARCHED_NAMES = 10

/**
 * The first tokens of all spellings of these names, one of which every text with such a name contains; null
 * when there are too many names.
 */
function firstTokens(all: readonly EntityNames[], keys: ReadonlySet<string>): string[] | null {
  if (keys.size > MAX_SEARCHED_NAMES) return null
  const written = all.flatMap((names) => [...keys].flatMap((key) => names.spellings(key)))
  return [...new Set(written.flatMap(namePatterns).map((pattern) => pattern.tokens[0]!))]
}

/** False only if the text certainly contains no name that begins with one of these tokens. */
export function mayHold(text: string, beginnings: readonly string[] | null): boolean {
  if (beginnings === null) return true
  const folded = foldCase(text.normalize("NFKC")).replaceAll("_", "")
  if (beginnings.some((beginning) => folded.includes(beginning))) return true
  // A name that consists of underscores only.
  return text.includes("_") && beginnings.some((beginning) => beginning.startsWith("_"))
}

type NameMatcher = {
  /** Adds a name, which is reported as `id`. */
  readonly add: (id: number, name: string) => void
  /**
   * Ids of the names that a text contains as whole words, each once, in order. Of names that begin at the
   * same place, the longest for which `isVisible` is true; names inside another are not reported.
   */
  readonly find: (text: string, isVisible: (id: number) => boolean) => number[]
}

/** Finds all names in one pass over the text, independent of their number. */
export function nameMatcher(): NameMatcher {
  const root = newNode()
  return {
    add: (id, name) => {
      for (const [rank, { tokens, exact }] of namePatterns(name).entries()) {
        const { ends } = tokens.reduce(childOf, root)
        ends.push({ id, rank, exact })
        // A name as written comes before another name's alternative spelling.
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

type NameEnd = { readonly id: number; readonly rank: number; readonly exact: string | null }
type Node = { readonly children: Map<string, Node>; readonly ends: NameEnd[] }
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

/**
 * Like `find`, for ASCII text. Finds tokens with a regular expression, which takes a third of the time while
 * the code is not compiled yet.
 */
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

// A mark directly after a word does not begin a name.
const ASCII_TOKENS = /[a-z0-9_]+|(?<![a-z0-9_])[^\sa-z0-9_]/g

function longest(root: Node, text: string, first: NameToken, isVisible: IsVisible): Match | null {
  // "ASP.NET" does not mention ".NET".
  if (first.kind === "mark" && ENDS_WORD.test(text.slice(Math.max(0, first.start - 2), first.start)))
    return null
  let node = root.children.get(tokenText(text, first, true))
  let best: Match | null = null
  let end = first.end
  while (node !== undefined) {
    const hit = node.ends.find(({ id, exact }) => {
      const isThere =
        exact === null || (text.slice(first.start, end) === exact && standsAlone(text, first.start, end))
      return isThere && isVisible(id)
    })
    if (hit !== undefined) best = { id: hit.id, end }
    const next = node.children.size > 0 ? tokenAt(text, end) : null
    node = next === null ? undefined : node.children.get(tokenText(text, next, false))
    end = next?.end ?? end
  }
  return best
}

/** True unless the match is part of a longer term: "C" is not mentioned in C++, C#, C-level or c.f., nor 山 in 山田. */
function standsAlone(text: string, start: number, end: number): boolean {
  return !(
    TIED_BEFORE.test(text.slice(Math.max(0, start - 2), start)) || TIED_AFTER.test(text.slice(end, end + 2))
  )
}

const TIED_BEFORE = /[\p{L}\p{N}\p{M}_+#&'’/@$-]$|[\p{L}\p{N}][.:]$/u
const TIED_AFTER = /^(?:[\p{L}\p{N}\p{M}_+#&'’/-]|[.:][\p{L}\p{N}/\\])/u

const newNode = (): Node => ({ children: new Map(), ends: [] })

function childOf(node: Node, token: string): Node {
  const child = node.children.get(token) ?? newNode()
  node.children.set(token, child)
  return child
}

/** One way in which a text can contain a name. */
type NamePattern = {
  readonly tokens: readonly string[]
  /** For a name too short or too common to match in any form: the only spelling that matches. Null for other names. */
  readonly exact: string | null
}

/**
 * The patterns of a name: as written; its words joined (UserService, user_service for "User Service"); and
 * for an identifier that is a noun of several words, those words (user service for UserService).
 */
function namePatterns(name: string): NamePattern[] {
  const text = tidyLabel(name.normalize("NFKC"))
  const found: NameToken[] = []
  for (let token = tokenAt(text, 0); token !== null; token = tokenAt(text, token.end)) found.push(token)
  if (found.length === 0) return []
  const tokens = found.map((token, i) => tokenText(text, token, i === 0))
  if (isCommon(found, tokens)) return [{ tokens, exact: text }]
  const patterns: NamePattern[] = [{ tokens, exact: null }]
  if (found.every((token) => token.kind === "word")) {
    const other = tokens.length > 1 ? [tokens.join("")] : identifierWords(text)
    if (other !== null) patterns.push({ tokens: other, exact: null })
  }
  return patterns
}

/** True for a name of at most two letters, of a single character of a script without spaces, or of stop words only. */
function isCommon(found: readonly NameToken[], tokens: readonly string[]): boolean {
  const characters = found.filter((token) => token.kind === "character").length
  if (characters > 0) return characters === 1 && found.length === 1
  const letters = tokens.join("").replace(/[^\p{L}\p{N}]/gu, "").length
  return letters <= 2 || tokens.every((token) => STOP_WORDS.has(token))
}

/** The words of UserService or user_service; null for names of other forms, as those of methods (getUser). */
function identifierWords(identifier: string): string[] | null {
  if (!(NOUN.test(identifier) || identifier.includes("_"))) return null
  const words = splitIdentifier(identifier)
  const isTelling = words.length > 1 && words.every((word) => word.length > 2 && !STOP_WORDS.has(word))
  return isTelling ? words : null
}

const NOUN = /^\p{Lu}/u

/** A word, a character of a script without spaces, or a punctuation mark. */
type NameToken = {
  /** Index into the text, end exclusive. */
  readonly start: number
  readonly end: number
  readonly kind: "word" | "character" | "mark"
  /** True when no gap separates the token from the text before it. */
  readonly isGlued: boolean
}

/**
 * The first token at or after `from`, null at the end. The text is in NFKC. A dash between two words joins them as a
 * space does; an underscore is part of its word.
 */
function tokenAt(text: string, from: number): NameToken | null {
  GAPS.lastIndex = from
  GAPS.test(text)
  const start = GAPS.lastIndex
  TOKEN.lastIndex = start
  const found = TOKEN.exec(text)
  if (found === null) return null
  const kind = found[1] !== undefined ? "word" : found[2] !== undefined ? "character" : "mark"
  return { start, end: TOKEN.lastIndex, kind, isGlued: start === from && start > 0 }
}

/** A character of a word. Of characters beyond the first plane most are letters; emoji count too. */
const WORD = "[\\p{L}\\p{N}\\p{M}_\\u{10000}-\\u{10ffff}\\ud800-\\udfff]"
const UNSPACED = `(?!\\p{M})[${UNSPACED_CLASS}]`
const TOKEN = new RegExp(`((?:(?!${UNSPACED})${WORD})+)|(${UNSPACED}\\p{M}*)|.`, "suy")
const GAPS = new RegExp(`(?:[\\s\\p{Cf}]|(?<=${WORD})[-\u2010](?=${WORD}))*`, "uy")
const ENDS_WORD = new RegExp(`${WORD}$`, "u")

/** The text by which tokens of names and texts are compared. */
function tokenText(text: string, token: NameToken, isFirst: boolean): string {
  const written = text.slice(token.start, token.end)
  if (token.kind === "mark") return isFirst || token.isGlued ? written : ` ${written}`
  const folded = foldCase(written)
  // A lone underscore is a name too.
  return folded.includes("_") ? folded.replaceAll("_", "") || folded : folded
}

/** The text in lower case, with the Greek final sigma (ς) as σ, so that a word equals its form inside a longer word. */
function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ")
}
