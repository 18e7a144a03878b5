import { compareTexts } from "../base/index.ts"
import { CALLABLES, TYPES, USE, type Use } from "../parse/index.ts"
import type { OutlineRow, SymbolRow } from "../store/index.ts"
import { type Certainty, certaintyOf, type Tie } from "./certainty.ts"
import type { FileView } from "./file-view.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** A symbol and the file that defines it. */
export type SymbolDefinition = { readonly symbol: SymbolRow; readonly file: FileView }

export function definitionKey({ symbol }: SymbolDefinition): string {
  return `${symbol.fileId}:${symbol.ordinal}:${symbol.index}`
}

/** Default order of definitions: by path, then by position in the file. */
export function byPathAndPlace(one: SymbolDefinition, other: SymbolDefinition): number {
  if (one.file.path !== other.file.path) return compareTexts(one.file.path, other.file.path)
  return one.symbol.ordinal - other.symbol.ordinal || one.symbol.index - other.symbol.index
}

export function qualifiedName({ symbol }: { readonly symbol: Pick<SymbolRow, "name" | "owner"> }): string {
  return symbol.owner === null ? symbol.name : `${symbol.owner}.${symbol.name}`
}

type LineExtent = Pick<SymbolRow, "startLine" | "endLine">

export function isWithin(inner: LineExtent, outer: LineExtent): boolean {
  return inner.startLine >= outer.startLine && inner.endLine <= outer.endLine
}

export function isCallable({ kind }: Pick<SymbolRow, "kind">): boolean {
  return CALLABLES.has(kind)
}

export function isType({ kind }: Pick<SymbolRow, "kind">): boolean {
  return TYPES.has(kind)
}

/** True for a type that a trait of Rust or its implementation defines: it is named through its owner, as `Self::Item`. */
export function isAssociatedType({ symbol, file }: SymbolDefinition): boolean {
  const { kind, owner, startLine, endLine } = symbol
  if (file.family !== "rust" || kind !== "type" || owner === null) return false
  return file.outline.moduleAround(startLine, endLine)?.name !== owner
}

/** True for a type in a JSDoc comment that only gives a name to the type of another file. */
export function isImportedType({ kind, signature }: Pick<SymbolRow, "kind" | "signature">): boolean {
  return kind === "type" && IMPORTED_TYPE.test(signature)
}

const IMPORTED_TYPE = /^type ([\w$]+) = import\([^()]*\)\.(?:\1|default)$/

/** True for a field of an anonymous type, such as a `struct { … }` inside another one. */
export function isAnonymousField({ kind, owner }: Pick<SymbolRow, "kind" | "owner">): boolean {
  return owner === null && (kind === "field" || kind === "property")
}

/** True for a method of a JavaScript object that has no name of its own, such as `play` in `{ deep: { play() {} } }`. */
export function isAnonymousMethod({ kind, owner }: Pick<SymbolRow, "kind" | "owner">): boolean {
  return owner === null && kind === "method"
}

/** True for a constructor that has the name of its type, as in Java and similar languages. */
export function isConstructor({ name, owner }: Pick<SymbolRow, "name" | "owner">): boolean {
  return name === owner
}

/** Kinds that code cannot refer to by name. */
export const NAMELESS: ReadonlySet<string> = new Set(["section", "key", "selector", "element", "route"])

type EdgeKind = "call" | "import" | "inherits" | "mention"

/** A use that refers to a definition. */
export type Edge = {
  readonly file: FileView
  readonly line: number
  readonly kind: EdgeKind
  readonly certainty: Certainty
  /** The name at the use, when it differs from the name that was searched for. */
  readonly name?: string
  /** The definition that the use refers to; null when it is unresolved. */
  readonly target: SymbolDefinition | null
  /** The function or type around the use; null at the top of a file. */
  readonly within: SymbolRow | null
  /** The function or type around the use, from the outline of the file: the file itself need not be read. */
  readonly around: OutlineRow | null
}

export function edgeOf(
  use: Use,
  file: FileView,
  { tie, target, name }: Pick<Edge, "target" | "name"> & { readonly tie: Tie },
): Edge {
  return {
    ...(name === undefined ? {} : { name }),
    file,
    line: use.line,
    kind: kindOf(use.flags),
    certainty: certaintyOf(tie),
    target,
    // A getter, because of thousands of edges only a few are shown and need this value.
    get within() {
      return file.outline.enclosing(use.line)
    },
    get around() {
      return file.outline.around(use.line)
    },
  }
}

/** An edge for a place that is known by its line alone, not by a stored use. */
export function edgeAt(
  file: FileView,
  line: number,
  edge: Required<Pick<Edge, "kind" | "certainty" | "target" | "name">>,
): Edge {
  return {
    ...edge,
    ...{ file, line, within: file.outline.enclosing(line) },
    around: file.outline.around(line),
  }
}

function kindOf(flags: number): EdgeKind {
  // `(await import("./a.ts")).run()` is both an import and a call.
  if ((flags & USE.import) !== 0) return (flags & USE.call) !== 0 ? "call" : "import"
  if ((flags & USE.base) !== 0) return "inherits"
  return (flags & USE.call) !== 0 ? "call" : "mention"
}

/** True when the edge is a call of the definition. In Ruby and similar languages, a call needs no brackets. */
export function isCalled({ kind, file }: Edge, { symbol }: SymbolDefinition): boolean {
  if (kind === "call") return isCallable(symbol) || isType(symbol)
  return kind === "mention" && isCallable(symbol) && BARE_CALLS.has(file.family)
}

/** True when a use with these flags, in a file of this language family, may be a call. */
export function mayCall(flags: number, family: string): boolean {
  const kind = kindOf(flags)
  return kind === "call" || (kind === "mention" && BARE_CALLS.has(family))
}

const BARE_CALLS: ReadonlySet<string> = new Set([
  "ruby",
  "elixir",
  "lua",
  "bash",
  "julia",
  "haskell",
  "ocaml",
  "agda",
  "elm",
  "emacs-lisp",
  "fish",
  "fsharp",
  "nix",
  "perl",
  "powershell",
  "tlaplus",
])

/** The name under which the uses of a symbol are stored: `Cart` for a module `Shop.Cart`. */
export function storedName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1) || name
}

/** True when a use names another module: `Store.Cart` is no use of `Shop.Cart`. */
export function namesOtherModule(name: string, { flags, qualifier }: Use): boolean {
  const end = name.lastIndexOf(".")
  if (end <= 0 || (flags & USE.member) === 0 || !isNamed(qualifier)) return false
  return qualifier !== name.slice(name.lastIndexOf(".", end - 1) + 1, end)
}

/** True when the text before a member is a name, and not `this`, `super` or an expression. */
export function isNamed(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?" && !isSelfReference(qualifier)
}

/**
 * True when the text before a member means the enclosing type or its bases: `this`, `self`, `super` and similar words.
 */
export function isSelfReference(qualifier: string | null): boolean {
  return qualifier === "this" || qualifier === "super"
}

/** A definition that a name may refer to. Definitions of a lower class are more likely to be meant. */
export type RankedDefinition = SymbolDefinition & { readonly class: number }

/**
 * Definitions that `name` or `Owner.name` may refer to: those with exactly this name; if there are none, those whose
 * names differ only in case and underscores. Order: functions and types before values; ordinary source files before
 * tests, generated and similar files; what other files can name before what is private.
 */
export function findDefinitions(
  graph: SymbolGraph,
  name: string,
  isWanted: (path: string) => boolean,
): readonly RankedDefinition[] {
  // In Elixir and Haskell, a name with dots may be the name of a module.
  const whole = /[.:]/.test(name) ? rankedMatches(graph.definitionsOf(name), undefined, isWanted) : []
  if (whole.length > 0) return ranked(whole)
  const [, owner, last] = /^(?:(.+?)(?:\.|::|->|#))?(#?[^.:#]+)$/.exec(name) ?? [undefined, undefined, name]
  const exact = rankedMatches(graph.definitionsOf(last ?? name), owner, isWanted)
  const found = exact.length > 0 ? exact : rankedMatches(graph.definitionsLike(last ?? name), owner, isWanted)
  return ranked(found)
}

function ranked(found: readonly SymbolDefinition[]): readonly RankedDefinition[] {
  return found
    .map((each) => ({ symbol: each.symbol, file: each.file, class: classOf(each) }))
    .sort((one, other) => one.class - other.class)
}

function rankedMatches(
  all: readonly SymbolDefinition[],
  owner: string | undefined,
  isWanted: (path: string) => boolean,
): SymbolDefinition[] {
  return all.filter(
    ({ symbol, file }) =>
      isWanted(file.path) &&
      !NAMELESS.has(symbol.kind) &&
      (owner === undefined ||
        isOwnedBy(symbol.owner, owner, file.path, file.package) ||
        isInside({ symbol, file }, owner)),
  )
}

/** True when `wanted` names the owner or, for a symbol without one, the module: `store.open` is `open` in store.ts. */
function isOwnedBy(owner: string | null, wanted: string, path: string, packageName: string | null): boolean {
  const last = wanted.replace(/^.*(?:\.|::|#)/, "")
  if (owner !== null) return owner === wanted || owner === last
  return packageName === wanted || path.replace(/^.*\//, "").replace(/\..*$/, "") === last
}

/**
 * True for a function inside a method of the type `wanted`: `Parser.check` finds `check`, a function inside
 * `Parser.parse`.
 */
function isInside({ symbol, file }: SymbolDefinition, wanted: string): boolean {
  return (
    symbol.local !== 0 &&
    file.outline.enclosingType(symbol.startLine) === wanted.replace(/^.*(?:\.|::|#)/, "")
  )
}

function classOf({ symbol, file }: SymbolDefinition): number {
  const kind = isCallable(symbol) || isType(symbol) ? 0 : 4
  return kind + (file.flags === 0 ? 0 : 2) + (isPrivate({ symbol, file }) ? 1 : 0)
}

/** True if other files cannot name the definition, according to its first line. */
function isPrivate({ symbol, file }: SymbolDefinition): boolean {
  if (symbol.local !== 0) return true
  if (/\bprivate\b/.test(symbol.signature)) return isCallable(symbol) || isType(symbol)
  return symbol.owner === null && PUBLIC[file.family]?.test(symbol.signature) === false
}

/** How the first line of what other files can name begins, in languages that mark it. */
const PUBLIC: Readonly<Record<string, RegExp>> = {
  js: /^(?:export|declare|module\.exports|exports)\b/,
  rust: /^(?:#\[.*\]\s*)?pub\b/,
  c: /^(?!static\b)/,
}

/** True for a prototype of C, which only declares a function that is defined elsewhere. */
export function isDeclarationOnly({ symbol, file }: SymbolDefinition): boolean {
  return file.family === "c" && isCallable(symbol) && /\)[^(){}]*;$/.test(symbol.signature)
}

/** The definitions with prototypes of C, and signatures of TypeScript's overloads, after what has a body. */
export function bodiesFirst<T extends SymbolDefinition>(all: readonly T[]): T[] {
  const last = new Map(all.map((each) => [overloadKey(each), each]))
  const isSignature = (each: T) => isDeclarationOnly(each) || last.get(overloadKey(each)) !== each
  return all.toSorted((one, other) => Number(isSignature(one)) - Number(isSignature(other)))
}

/** Equal for the overloads of a function of TypeScript, of which only the last has a body; else unique. */
function overloadKey(definition: SymbolDefinition): string {
  const { symbol, file } = definition
  const isOverload =
    file.family === "js" && isCallable(symbol) && !/^(?:\w+ )*[gs]et \w/.test(symbol.signature)
  return isOverload ? `${file.id} ${symbol.owner} ${symbol.name} ${symbol.local}` : definitionKey(definition)
}

/** Limits for one query: number of files read, work and time. */
export type Bounds = {
  readonly files: number
  /** Maximum work, where reading one small file costs 1; without this field, the work is unlimited. */
  readonly work?: number
  readonly ms: number
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
}

export const UNBOUNDED: Bounds = {
  files: Number.POSITIVE_INFINITY,
  ms: Number.POSITIVE_INFINITY,
  now: () => 0,
}

/** What is left of the limits of one query. */
export class Budget {
  #files: number
  #work: number
  readonly #until: number
  readonly #now: () => number

  constructor({ files, work = Number.POSITIVE_INFINITY, ms, now }: Bounds) {
    this.#files = files
    this.#work = work
    this.#now = now
    this.#until = now() + ms
  }

  /** Subtracts one file and the work that reading it took. */
  spend(work = 1): void {
    this.#files--
    this.#work -= work
  }

  get isSpent(): boolean {
    return this.#files <= 0 || this.#work <= 0 || this.isLate
  }

  get isLate(): boolean {
    return this.#now() > this.#until
  }
}
