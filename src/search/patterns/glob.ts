import { AmanError } from "../../base/index.ts"
import { ANY, CharSet, DEEP, FOLDERS, matchesWildcards, SET, STAR } from "../../tree/index.ts"

type GlobSyntax = {
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
  const tests = expandBraces(pattern.normalize("NFC")).map((each) => compileExpanded(each, syntax))
  return (path) => {
    const composed = path.normalize("NFC")
    return tests.some((test) => test(composed))
  }
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

/**
 * A glob that expands to more patterns or characters than this is refused, because each path is compared with all
 * patterns.
 */
const MAX_PATTERNS = 1000
const MAX_CHARACTERS = 16_384

/**
 * The patterns that a glob with braces expands to: "*.{c,h}" to "*.c" and "*.h", "v{1..3}" to three patterns.
 * Unbalanced and escaped braces are literal. "{a}" expands to itself and to "a", because a folder may be called {id}.
 */
function expandBraces(pattern: string): string[] {
  if (!pattern.includes("{")) return [pattern]
  const patterns = [...new Set(new BraceReader(pattern).read())]
  if (patterns.reduce((sum, each) => sum + each.length, 0) > MAX_CHARACTERS) throw tooMany()
  return patterns
}

class BraceReader {
  readonly #pattern: string
  /** Position of the "}" that belongs to each "{". */
  readonly #closers: ReadonlyMap<number, number>
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#closers = closersOf(pattern)
  }

  read(): string[] {
    return this.#until(this.#pattern.length)
  }

  /**
   * The expansions of the text from `#at` to `end`. If the text is one alternative inside braces (`isPart`), it ends at
   * the next ",".
   */
  #until(end: number, isPart = false): string[] {
    let found = [""]
    let plain = ""
    while (this.#at < end) {
      const char = this.#pattern[this.#at]!
      if (isPart && char === ",") break
      const close = char === "{" ? this.#closers.get(this.#at) : undefined
      if (close === undefined) {
        plain += this.#character()
        continue
      }
      found = concatenations(found, [plain], this.#braces(close))
      plain = ""
    }
    return concatenations(found, [plain])
  }

  /** Reads one character, including the backslash before it. */
  #character(): string {
    const length = this.#pattern[this.#at] === "\\" ? 2 : 1
    this.#at += length
    return this.#pattern.slice(this.#at - length, this.#at)
  }

  #braces(close: number): string[] {
    const inner = this.#pattern.slice(this.#at + 1, close)
    this.#at++
    const range = rangeOf(inner)
    if (range !== null) {
      this.#at = close + 1
      return range
    }
    const parts: string[][] = [this.#until(close, true)]
    while (this.#at < close) {
      this.#at++
      parts.push(this.#until(close, true))
    }
    this.#at = close + 1
    const all = parts.flat()
    if (parts.length > 1) return all
    return limited([...all, ...all.map((each) => `\\{${each}\\}`)])
  }
}

function concatenations(...lists: readonly (readonly string[])[]): string[] {
  return lists.reduce<string[]>(
    (starts, ends) => {
      checkCount(starts.length * ends.length)
      return starts.flatMap((start) => ends.map((end) => start + end))
    },
    [""],
  )
}

function limited(patterns: string[]): string[] {
  checkCount(patterns.length)
  return patterns
}

function checkCount(count: number): void {
  if (count > MAX_PATTERNS) throw tooMany()
}

function tooMany(): AmanError {
  const limits = `more than ${MAX_PATTERNS} patterns or ${MAX_CHARACTERS} characters`
  return new AmanError("USAGE", `the braces of a glob expand to ${limits}`, {
    hint: "use several globs, or * instead of some braces",
  })
}

/** The texts of a range such as "1..3" or "a..c"; null for anything else. */
function rangeOf(inner: string): string[] | null {
  const [, first, last] = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])$/.exec(inner) ?? []
  if (first === undefined || last === undefined) return null
  const isNumber = /\d/.test(first)
  if (isNumber !== /\d/.test(last)) return null
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)]
  const count = Math.abs(to - from) + 1
  checkCount(count)
  const values = Array.from({ length: count }, (_, i) => Math.min(from, to) + i)
  return values.map((value) => (isNumber ? String(value) : String.fromCharCode(value)))
}

/**
 * The position of the closing brace for each opening one. Braces after a backslash and unbalanced braces are left out,
 * because they are literal.
 */
function closersOf(pattern: string): Map<number, number> {
  const closers = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === "\\") at++
    else if (char === "{") open.push(at)
    else if (char === "}" && open.length > 0) closers.set(open.pop()!, at)
  }
  return closers
}

/**
 * A node of a parsed glob: either the number of an operation of `wildcards.ts`, or an operation that `wildcards.ts`
 * lacks.
 */
type GlobNode =
  | number
  /** Any text, including "/". */
  | { readonly kind: "deep" }
  | { readonly kind: "choice"; readonly choices: Choices }
  | { readonly kind: "repeat"; readonly choices: Choices; readonly orNone: boolean }
  /** Any text without "/" that matches none of the choices. */
  | { readonly kind: "not"; readonly choices: Choices }

type Choices = readonly (readonly GlobNode[])[]

/** Continues with each of the instructions in `to`, without reading a character. */
type Jump = { readonly kind: "jump"; readonly to: readonly number[] }
type Not = { readonly kind: "not"; readonly inner: GlobAutomaton }
type Instruction = number | Jump | Not

/** Reads the remaining text, whatever it is. */
const REST = DEEP

/**
 * A nondeterministic automaton. All its states are simulated at once (Thompson 1968), so that matching takes |glob| ×
 * |path| steps. Each "not" has its own automaton, which runs from every position where the "not" can begin; so one
 * "not" multiplies the steps by the length of a folder's name.
 */
class GlobAutomaton {
  readonly #instructions: Instruction[] = []
  readonly #sets: readonly CharSet[]

  constructor(nodes: readonly GlobNode[], sets: readonly CharSet[]) {
    this.#sets = sets
    this.#sequence(nodes)
  }

  matches(text: string): boolean {
    const run = this.start()
    for (let i = 0; i < text.length; i++) {
      if (!run.isAlive) return false
      run.step(text.charCodeAt(i))
    }
    return run.isMatch
  }

  start(): GlobRun {
    return new GlobRun(this.#instructions, this.#sets)
  }

  #sequence(nodes: readonly GlobNode[]): void {
    for (const node of nodes) this.#node(node)
  }

  #node(node: GlobNode): void {
    if (typeof node === "number") {
      if (node === FOLDERS) this.#choice([[], [REST, SLASH]])
      else this.#instructions.push(node)
    } else if (node.kind === "deep") this.#instructions.push(REST)
    else if (node.kind === "choice") this.#choice(node.choices)
    else if (node.kind === "not") this.#instructions.push({ kind: "not", inner: this.#inner(node.choices) })
    else this.#repeat(node.choices, node.orNone)
  }

  #inner(choices: Choices): GlobAutomaton {
    return new GlobAutomaton([{ kind: "choice", choices }], this.#sets)
  }

  #choice(choices: Choices): void {
    const split = this.#reserve()
    const starts: number[] = []
    const ends: number[] = []
    for (const choice of choices) {
      starts.push(this.#instructions.length)
      this.#sequence(choice)
      ends.push(this.#reserve())
    }
    this.#instructions[split] = { kind: "jump", to: starts }
    const next = this.#instructions.length
    for (const end of ends) this.#instructions[end] = { kind: "jump", to: [next] }
  }

  #repeat(choices: Choices, orNone: boolean): void {
    const entry = this.#reserve()
    const start = this.#instructions.length
    this.#choice(choices)
    const again = this.#reserve()
    const next = this.#instructions.length
    this.#instructions[entry] = { kind: "jump", to: orNone ? [start, next] : [start] }
    this.#instructions[again] = { kind: "jump", to: [start, next] }
  }

  #reserve(): number {
    return this.#instructions.push({ kind: "jump", to: [] }) - 1
  }
}

type Thread = { readonly next: number; readonly run: GlobRun }

/** The state of matching one text. */
class GlobRun {
  readonly #instructions: readonly Instruction[]
  readonly #sets: readonly CharSet[]
  /** For each instruction, the number of the step in which it was last reached. */
  readonly #reachedIn: Int32Array
  /** Positions of the instructions that read the next character. */
  #states: number[] = []
  /** The "not" groups that have begun, each with the position of the instruction after the group. */
  #threads: Thread[] = []
  /** Work list of `#reach`; a field so that it is allocated only once. */
  #pending: number[] = []
  #step = 1

  constructor(instructions: readonly Instruction[], sets: readonly CharSet[]) {
    this.#instructions = instructions
    this.#sets = sets
    this.#reachedIn = new Int32Array(instructions.length + 1)
    this.#reach(0)
  }

  get isAlive(): boolean {
    return this.#states.length > 0 || this.#threads.length > 0
  }

  get isMatch(): boolean {
    return this.#reachedIn[this.#instructions.length] === this.#step
  }

  step(code: number): void {
    const states = this.#states
    const threads = this.#threads
    this.#states = []
    this.#threads = []
    this.#step++
    for (const at of states) this.#advance(at, code)
    if (code === SLASH) return
    for (const thread of threads) {
      thread.run.step(code)
      this.#threads.push(thread)
      if (!thread.run.isMatch) this.#reach(thread.next)
    }
  }

  #advance(at: number, code: number): void {
    const instruction = this.#instructions[at]
    if (typeof instruction !== "number") return
    if (instruction === REST || (instruction === STAR && code !== SLASH)) this.#reach(at)
    else if (instruction < ANY ? instruction === code : this.#isIn(instruction, code)) this.#reach(at + 1)
  }

  #isIn(instruction: number, code: number): boolean {
    if (instruction === ANY) return code !== SLASH
    return instruction >= SET && this.#sets[instruction - SET]!.has(code)
  }

  /** Adds an instruction and all instructions that can be reached from it without reading a character. */
  #reach(first: number): void {
    const pending = this.#pending
    pending.push(first)
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (this.#reachedIn[at] === this.#step) continue
      this.#reachedIn[at] = this.#step
      const instruction = this.#instructions[at]
      if (typeof instruction === "number") {
        this.#states.push(at)
        if (instruction === REST || instruction === STAR) pending.push(at + 1)
      } else if (instruction?.kind === "jump") pending.push(...instruction.to)
      else if (instruction?.kind === "not" && !this.#spawn(instruction, at + 1).isMatch) pending.push(at + 1)
    }
  }

  #spawn({ inner }: Not, next: number): GlobRun {
    const run = inner.start()
    this.#threads.push({ next, run })
    return run
  }
}
