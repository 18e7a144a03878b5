import { AmanError } from "../../base/errors.ts"
import { ANY, CharSet, DEEP, FOLDERS, matchesWildcards, SET, STAR } from "../../base/wildcards.ts"
import { GlobAutomaton, type GlobNode } from "./glob-automaton.ts"
import { expandBraces } from "./glob-braces.ts"

export type GlobSyntax = {
  /**
   * True if `!(a|b)`, `@(a)`, `?(a)`, `*(a)`, `+(a)` and `(a|b)` are groups, as in bash; otherwise parentheses are
   * literal.
   */
  readonly groups?: boolean
  /** True if `**` matches "/" anywhere in the glob; otherwise it does so only as a whole part of the path. */
  readonly crossesAnywhere?: boolean
}

/** Maximum length of a glob, longer than any path. The cost of matching grows with the length. */
const MAX_LENGTH = 4096

/**
 * Compiles a glob into a function that matches whole paths. Its braces are expanded first. Each resulting pattern is
 * parsed into nodes, and matched as a few plain lists of operations (wildcards.ts) or, if it has groups or too many
 * choices, by an automaton. Either takes time proportional to pattern × path, because globs may be hostile. Throws USAGE
 * if the glob is too long.
 */
export function compileGlob(pattern: string, syntax: GlobSyntax = {}): (path: string) => boolean {
  if (pattern.length > MAX_LENGTH) {
    throw new AmanError("USAGE", `a glob of ${pattern.length} characters is too long`, {
      hint: `use at most ${MAX_LENGTH} characters`,
    })
  }
  const tests = expandBraces(pattern).map((each) => compileExpanded(each, syntax))
  return tests.length === 1 ? tests[0]! : (path) => tests.some((test) => test(path))
}

function compileExpanded(pattern: string, syntax: GlobSyntax): (path: string) => boolean {
  const { nodes, sets } = new GlobParser(pattern, syntax).parse()
  const flat = withoutChoices(nodes)
  if (flat === null) {
    const automaton = new GlobAutomaton(nodes, sets)
    return (path) => automaton.matches(path)
  }
  const programs = flat.map((operations) => ({ operations, sets }))
  return (path) => programs.some((program) => matchesWildcards(program, path))
}

/** If a glob expands to more lists of operations than this, the automaton is used, because it is faster. */
const MAX_LISTS = 16

/**
 * Expands the choices of a glob: `{a,b}*` gives the operations of `a*` and those of `b*`. Null if there would be more
 * than MAX_LISTS lists, or if the glob contains a node that only the automaton can match.
 */
function withoutChoices(nodes: readonly GlobNode[]): (readonly number[])[] | null {
  let lists: (readonly number[])[] = [[]]
  for (const node of nodes) {
    if (typeof node !== "number" && node.kind !== "choice") return null
    const ends: (readonly number[])[] = []
    if (typeof node === "number") ends.push([node])
    else {
      for (const choice of node.choices) {
        const each = withoutChoices(choice)
        if (each === null) return null
        ends.push(...each)
      }
    }
    if (lists.length * ends.length > MAX_LISTS) return null
    lists = lists.flatMap((list) => ends.map((end) => [...list, ...end]))
  }
  return lists
}

type Parsed = { readonly nodes: readonly GlobNode[]; readonly sets: readonly CharSet[] }

const OPENERS = /[!@?*+]?\(/y

class GlobParser {
  readonly #pattern: string
  readonly #syntax: GlobSyntax
  readonly #sets: CharSet[] = []
  #at = 0
  /** Number of groups that are open at `#at`. */
  #depth = 0
  /** True if one of the open groups is "!(…)". */
  #isInNot = false
  /** True if no "]" follows `#at`, so that the rest of the pattern is not searched for one again. */
  #hasNoBrackets = false

  constructor(pattern: string, syntax: GlobSyntax) {
    this.#pattern = pattern
    this.#syntax = syntax.groups && isBalanced(pattern) ? syntax : { ...syntax, groups: false }
  }

  parse(): Parsed {
    return { nodes: this.#sequence(), sets: this.#sets }
  }

  /** Parses nodes up to the end of the pattern, or to the "|" or ")" of the enclosing group. */
  #sequence(): GlobNode[] {
    const nodes: GlobNode[] = []
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at]!
      if (this.#depth > 0 && (char === "|" || char === ")")) break
      nodes.push(...(this.#group() ?? this.#piece(char)))
    }
    return nodes
  }

  #group(): GlobNode[] | null {
    if (!this.#syntax.groups) return null
    OPENERS.lastIndex = this.#at
    const opener = OPENERS.exec(this.#pattern)?.[0]
    if (opener === undefined) return null
    const isNot = opener.startsWith("!")
    if (this.#depth >= MAX_DEPTH || (isNot && this.#isInNot)) throw tooDeep()
    this.#at += opener.length
    this.#depth++
    if (isNot) this.#isInNot = true
    const choices: (readonly GlobNode[])[] = []
    do choices.push(this.#sequence())
    while (this.#pattern[this.#at++] === "|")
    this.#depth--
    if (isNot) this.#isInNot = false
    const kind = opener.slice(0, -1)
    if (kind === "!") return [{ kind: "not", choices }]
    if (kind === "*" || kind === "+") return [{ kind: "repeat", choices, orNone: kind === "*" }]
    if (kind === "@") return [{ kind: "choice", choices }]
    if (kind === "?") return [{ kind: "choice", choices: [...choices, []] }]
    // The parentheses are optional, because a folder may be called (group).
    return [optional("("), { kind: "choice", choices }, optional(")")]
  }

  #piece(char: string): GlobNode[] {
    if (char === "*") return this.#stars()
    this.#at++
    if (char === "?") return [ANY]
    if (char === "[") return [this.#brackets() ?? char.charCodeAt(0)]
    if (char === "\\" && this.#at < this.#pattern.length) return [this.#pattern.charCodeAt(this.#at++)]
    return [char.charCodeAt(0)]
  }

  #stars(): GlobNode[] {
    const start = this.#at
    while (this.#pattern[this.#at] === "*" && !(this.#syntax.groups && this.#pattern[this.#at + 1] === "("))
      this.#at++
    if (this.#at - start === 1) return [STAR]
    const isFirst = start === 0 || this.#pattern[start - 1] === "/"
    const isLast = this.#at === this.#pattern.length
    if (this.#pattern[this.#at] === "/" && (isFirst || this.#syntax.crossesAnywhere)) {
      this.#at++
      return isFirst ? [FOLDERS] : [{ kind: "choice", choices: [[], [{ kind: "deep" }, SLASH]] }]
    }
    if (isFirst && isLast) return [DEEP]
    return this.#syntax.crossesAnywhere ? [{ kind: "deep" }] : [STAR]
  }

  /** The character set that begins at `#at`; null if it is invalid, such as [z-a]. The "[" is then literal. */
  #brackets(): number | null {
    const end = this.#hasNoBrackets ? -1 : this.#bracketsEnd()
    this.#hasNoBrackets = end < 0
    if (end < 0) return null
    const set = new CharSet()
    const isNegated = /[!^]/.test(this.#pattern[this.#at]!)
    let at: number | null = this.#at + (isNegated ? 1 : 0)
    while (at !== null && at < end) at = this.#member(set, at, end)
    if (at === null) return null
    if (isNegated) set.negate()
    this.#at = end + 1
    this.#sets.push(set)
    return SET + this.#sets.length - 1
  }

  /**
   * Adds the member of the set at position `at` and returns the position of the next member; null for an invalid range.
   */
  #member(set: CharSet, at: number, end: number): number | null {
    const named = this.#classAt(at)
    if (named !== null && set.addClass(named.slice(2, -2))) return at + named.length
    const firstAt = this.#pastBackslash(at, end)
    const first = this.#pattern.charCodeAt(firstAt)
    let next = firstAt + 1
    let last = first
    if (this.#pattern[next] === "-" && next + 1 < end) {
      const lastAt = this.#pastBackslash(next + 1, end)
      last = this.#pattern.charCodeAt(lastAt)
      next = lastAt + 1
    }
    if (last < first) return null
    set.add(first, last)
    return next
  }

  #pastBackslash(at: number, end: number): number {
    return this.#pattern[at] === "\\" && at + 1 < end ? at + 1 : at
  }

  /** The text of a character class "[:name:]" that begins at `at`; null if there is none. */
  #classAt(at: number): string | null {
    return /^\[:[a-z]+:\]/.exec(this.#pattern.slice(at, at + MAX_CLASS_LENGTH))?.[0] ?? null
  }

  /** Position of the "]" that closes the set, −1 if there is none. A "]" in first position is a member. */
  #bracketsEnd(): number {
    let at = this.#at
    if (this.#pattern[at] === "!" || this.#pattern[at] === "^") at++
    for (let isFirst = true; at < this.#pattern.length; at++, isFirst = false) {
      const char = this.#pattern[at]
      if (char === "\\") at++
      else if (char === "]" && !isFirst) return at
      else if (char === "[") at += (this.#classAt(at)?.length ?? 1) - 1
    }
    return -1
  }
}

const SLASH = 47
const MAX_CLASS_LENGTH = "[:xdigit:]".length
/** Limits recursion, so that nested groups cannot exhaust the stack. */
const MAX_DEPTH = 50

function tooDeep(): AmanError {
  return new AmanError("USAGE", "the groups of a glob are nested too deeply", {
    hint: `nest at most ${MAX_DEPTH} pairs of parentheses, and no !(…) inside another`,
  })
}

function optional(char: string): GlobNode {
  return { kind: "choice", choices: [[], [char.charCodeAt(0)]] }
}

function isBalanced(pattern: string): boolean {
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++
    else if (pattern[at] === "(") depth++
    else if (pattern[at] === ")" && --depth < 0) return false
  }
  return depth === 0
}

/**
 * Returns a function that tests paths against globs like ripgrep's `-g`. A path must match one of the globs without
 * "!", if there are any, and none of those with "!". A glob without "/" matches a name in any folder, and a folder's
 * glob matches everything below it.
 */
export function pathGlobs(globs: readonly string[]): (path: string) => boolean {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(globTest)
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => globTest(glob.slice(1)))
  return (path) => {
    const matches = (test: (path: string) => boolean) => test(path)
    return (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches)
  }
}

function globTest(glob: string): (path: string) => boolean {
  const clean = glob.replace(/^(\.\/)+/, "").replace(/\/+$/, "")
  const anchored = clean.includes("/") ? clean.replace(/^\/+/, "") : `**/${clean}`
  const isFile = compileGlob(anchored, { crossesAnywhere: true })
  const isBelow = compileGlob(`${anchored}/**`, { crossesAnywhere: true })
  return (path) => isFile(path) || isBelow(path)
}
