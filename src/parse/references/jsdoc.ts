/**
 * Reads JSDoc comments of JavaScript, and those of PHP, which are alike: the names that their types use, the types that they define (`@typedef`,
 * `@callback`), and the types that they declare for the code after them. A comment is read once from its start to its
 * end; its types are read by the functions at the end of the file. In TypeScript such types declare nothing, so that
 * only the names in them are read.
 */

import type { CodeSymbol, SymbolKind } from "../parsed-file.ts"
import type { Spans } from "../spans.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { importOfDefault } from "./exports.ts"
import { USE, type Use } from "./use-code.ts"
import { partEnd, pathOfType, QUOTES, quoteEnd, type ValuePath } from "./value-path.ts"
import {
  ANGLE,
  BACKSLASH,
  BRACE,
  CLOSING_BRACE,
  COLON,
  codesEnd,
  DOT,
  GREATER,
  isClosing,
  isDigit,
  isNameCode,
  isOpening,
  PAREN,
  QUESTION,
  STAR,
} from "./words.ts"

/**
 * Name of the use that records the type which a comment declares for the definition on its line: the type of a value or
 * of a function's result. The qualifier is the type as written. The name contains a space, so that no name in code
 * equals it.
 */
export const DOCUMENTED_TYPE = "documented type"

/** What the JSDoc comments of a file say. Offsets count UTF-16 units. */
export type Jsdoc = {
  /** Uses of names in types, and declared types; ordered by line. */
  readonly uses: readonly Use[]
  /** Types that the comments define, and their members; ordered by line. */
  readonly symbols: readonly CodeSymbol[]
  /** The parameters that a comment describes, by the offset of the bracket that may open the function's parameters. */
  readonly parameters: ReadonlyMap<number, readonly DocParameter[]>
  /** The types that a comment directly before a bracket gives to the expression in it, by the offset of the bracket. */
  readonly casts: ReadonlyMap<number, ValuePath>
}

/** A described parameter; `path` is the path of its type, null if the type has no name. */
type DocParameter = { readonly name: string; readonly path: ValuePath | null }

/** Maximum number of characters that are read of one comment. */
const MAX_COMMENT_CHARS = 20_000
/** Maximum number of uses that are read from the comments of one file. */
const MAX_DOC_USES = 20_000
/** Maximum number of names in one `@template`. */
const MAX_LISTED = 200
/** Maximum number of types without an end that are searched for it in one comment. */
const MAX_UNCLOSED = 8
const MAX_SIGNATURE_CHARS = 300

/** Reads the JSDoc comments of a file; null if its language has none or the file contains none. */
export function jsdocOf(language: string, lines: TextLines, comments: Spans): Jsdoc | null {
  if (!DOCUMENTED.has(language)) return null
  const reader = new JsdocReader(lines, language === "php")
  for (let at = 0; at < comments.length && reader.uses.length < MAX_DOC_USES; at += 2)
    if (lines.text.startsWith("/**", comments[at])) reader.read(comments, at)
  const result = reader.result()
  return result !== null && isTypeScript(language, lines.text) ? mentionsIn(result) : result
}

const DOCUMENTED: ReadonlySet<string> = new Set(["javascript", "typescript", "tsx", "vue", "svelte", "php"])

function isTypeScript(language: string, text: string): boolean {
  if (language === "vue" || language === "svelte") return /<script\b[^>]*\blang\s*=\s*["']?tsx?\b/.test(text)
  return language.startsWith("t")
}

/** Only the names that comments mention, without what they declare. */
function mentionsIn({ uses }: Jsdoc): Jsdoc | null {
  const mentioned = uses.filter(({ name, flags }) => (flags & DECLARING) === 0 && !name.includes(" "))
  if (mentioned.length === 0) return null
  return { uses: mentioned, symbols: [], parameters: new Map(), casts: new Map() }
}

const DECLARING = USE.declares | USE.narrows | USE.base

/** A block tag. The type is between two offsets, which are equal if there is none; `rest` is the offset after it. */
type DocTag = {
  readonly word: string
  readonly at: number
  readonly from: number
  readonly to: number
  readonly rest: number
  /** Offset where the comment ends. */
  readonly stop: number
}

const TYPED_TAGS: ReadonlySet<string> = new Set(
  `type param arg argument returns return typedef callback property prop template extends augments implements this throws
  exception satisfies enum var`.split(/\s+/),
)
/** The tags whose type may be written without braces. */
const BARE_TAGS: ReadonlySet<string> = new Set(["type", "extends", "augments", "implements", "enum"])
const BASE_TAGS: ReadonlySet<string> = new Set(["extends", "augments", "implements"])
const PARAMETER_TAGS: ReadonlySet<string> = new Set(["param", "arg", "argument"])
const PROPERTY_TAGS: ReadonlySet<string> = new Set(["property", "prop"])
const LINKS: ReadonlySet<string> = new Set(["link", "linkcode", "linkplain"])

/** A type whose definition in a comment is being read. */
type OpenDefinition = {
  readonly name: string
  readonly at: number
  /** The parameters of a `@callback` so far; null for a `@typedef`. */
  readonly parameters: string[] | null
  /** The type, or the result of a `@callback`. */
  type: string
}

/** What one comment declares for the code after it. */
type Declared = {
  readonly parameters: DocParameter[]
  /** Indexes of the uses that name base types. */
  readonly bases: number[]
  type: string
  result: string
}

class JsdocReader {
  readonly uses: Use[] = []
  readonly #lines: TextLines
  readonly #text: string
  readonly #isPhp: boolean
  readonly #symbols: CodeSymbol[] = []
  readonly #parameters = new Map<number, readonly DocParameter[]>()
  readonly #casts = new Map<number, ValuePath>()
  /** Type parameters that the comments read so far declare. */
  readonly #templates = new Set<string>()
  /** The names of imported names by the aliases that `@import` gives them. */
  readonly #aliases = new Map<string, string>()
  #open: OpenDefinition | null = null
  /** Offset of the last `@` that was found. */
  #sign = -1
  /** Number of braces without an end in the comment. */
  #unclosed = 0

  constructor(lines: TextLines, isPhp: boolean) {
    this.#lines = lines
    this.#text = lines.text
    this.#isPhp = isPhp
  }

  result(): Jsdoc | null {
    if (this.uses.length === 0 && this.#symbols.length === 0) return null
    return {
      uses: this.uses.sort((one, other) => one.line - other.line),
      symbols: this.#symbols.sort(byPlace),
      parameters: this.#parameters,
      casts: this.#casts,
    }
  }

  /** Reads the comment at an index of the list of comments. */
  read(comments: Spans, index: number): void {
    const start = comments[index]!
    const end = comments[index + 1]!
    const stop = Math.min(end, start + MAX_COMMENT_CHARS)
    const declared: Declared = { parameters: [], bases: [], type: "", result: "" }
    let hasTags = false
    this.#unclosed = 0
    for (let at = this.#signFrom(start); at < stop; at = this.#signFrom(at)) {
      const word = wordAt(this.#text, at + 1, stop)
      const before = this.#text.charCodeAt(at - 1)
      if (word === null || (before > 32 && before !== STAR && before !== BRACE)) at++
      else if (before === BRACE) at = LINKS.has(word.name) ? this.#link(word.end, stop) : word.end
      else {
        hasTags = true
        at = Math.max(word.end, this.#tag(this.#tagAt(word.name, at, word.end, stop), declared))
      }
    }
    if (!hasTags) return
    this.#closeDefinition(stop)
    this.#declare(declared, codeAfter(this.#text, comments, index))
  }

  /** Offset of the next `@` at or after an offset; Infinity if there is none. Offsets must only increase. */
  #signFrom(from: number): number {
    if (this.#sign < from) {
      const at = this.#text.indexOf("@", from)
      this.#sign = at < 0 ? Number.POSITIVE_INFINITY : at
    }
    return this.#sign
  }

  #tagAt(word: string, at: number, wordEnd: number, stop: number): DocTag {
    const text = this.#text
    const from = skipBlank(text, wordEnd, stop)
    const isBraced = text.charCodeAt(from) === BRACE
    if (TYPED_TAGS.has(word) && isBraced && this.#unclosed < MAX_UNCLOSED) {
      const to = typeEnd(text, from, stop)
      if (to > 0) return { word, at, from: from + 1, to, rest: to + 1, stop }
      this.#unclosed++
    }
    let to = from
    const isBare = this.#isPhp ? TYPED_TAGS.has(word) : BARE_TAGS.has(word)
    if (isBare && !isBraced) to = bareEnd(text, from, stop)
    return { word, at, from, to, rest: to, stop }
  }

  /** Reads a tag, and returns the offset from which the next one is searched. */
  #tag(tag: DocTag, declared: Declared): number {
    switch (tag.word) {
      case "import":
        return this.#imported(tag)
      case "template":
        return this.#template(tag)
      case "typedef":
      case "callback":
        return this.#definition(tag)
      default:
        this.#typed(tag, declared)
        return tag.rest
    }
  }

  /** Reads a tag with a type. */
  #typed(tag: DocTag, declared: Declared): void {
    const { word, from, to } = tag
    const first = this.uses.length
    this.#names(from, to)
    const type = this.#typeText(from, to)
    if (PARAMETER_TAGS.has(word)) this.#parameter(tag, type, declared)
    else if (PROPERTY_TAGS.has(word)) this.#property(tag, type)
    else if (from === to) return
    else if (word === "type" || word === "var") declared.type = type
    else if (BASE_TAGS.has(word)) declared.bases.push(first)
    else if (word === "returns" || word === "return") {
      if (this.#open?.parameters) this.#open.type = type
      else declared.result = type
    }
  }

  /** Adds the uses of the names in a type, and returns them. */
  #names(from: number, to: number): DocName[] {
    const names = namesInType(this.#text, from, to)
    for (const name of names) this.#use(name)
    return names
  }

  /** A type as text, with the names that the module of origin has for imported names. */
  #typeText(from: number, to: number): string {
    const type = typeText(this.#text, from, to)
    if (this.#isPhp) return type.replaceAll("$this", "static")
    return this.#aliases.size === 0 ? type : type.replace(WORD, (word) => this.#aliases.get(word) ?? word)
  }

  #use({ name, at, module, qualifier }: DocName): void {
    if (module !== null) this.#add(name, at, USE.import, module)
    else if (qualifier !== null) this.#add(name, at, USE.member, qualifier)
    else if (name.startsWith("$") && this.#isPhp) return
    else if (!this.#templates.has(name)) this.#add(this.#aliases.get(name) ?? name, at, 0, null)
  }

  #add(name: string, at: number, flags: number, qualifier: string | null): void {
    this.uses.push({ name, line: rowAt(this.#lines, at) + 1, flags, qualifier })
  }

  /** Reads the name in `{@link Shop.open}`. */
  #link(from: number, stop: number): number {
    const first = wordAt(this.#text, skipBlank(this.#text, from, stop), stop)
    if (first === null) return from
    this.#use({ ...first, module: null, qualifier: null })
    const isQualifier = this.#text[first.end] === "." || this.#text[first.end] === "#"
    const member = isQualifier ? wordAt(this.#text, first.end + 1, stop) : null
    if (member !== null) this.#use({ ...member, module: null, qualifier: first.name })
    return (member ?? first).end
  }

  /** Reads `@import Shop, { Cart, Row as CartRow } from "./shop"`. */
  #imported({ rest, stop }: DocTag): number {
    const written = this.#text.slice(rest, Math.min(stop, rest + 2_000))
    const [all, clause, , module] = IMPORT_TAG.exec(written) ?? []
    if (all === undefined || clause === undefined || module === undefined) return rest
    const list = clause.indexOf("{")
    for (const { 1: whole, 2: name, 3: alias, index } of clause.matchAll(BOUND)) {
      const at = rest + index
      if (whole !== undefined) this.#add(whole, at, USE.import, module)
      else if (list < 0 || index < list) this.#importDefault(module, name!, at)
      else {
        this.#add(name!, at, USE.import, module)
        if (alias !== undefined) this.#aliases.set(alias, name!)
      }
    }
    return rest + all.length
  }

  #importDefault(module: string, name: string, at: number): void {
    this.#add(name, at, USE.import, module)
    this.#add(importOfDefault(module), at, USE.import, `${module} ${name}`)
  }

  /** Reads the names in `@template {Limit} T, U`. */
  #template({ from, to, rest, stop }: DocTag): number {
    this.#names(from, to)
    let at = skipBlank(this.#text, rest, stop)
    for (let left = MAX_LISTED; left > 0; left--) {
      if (this.#text[at] === "[") at++
      const name = wordAt(this.#text, at, stop)
      if (name === null) break
      this.#templates.add(name.name)
      at = skipBlank(this.#text, name.end, stop)
      if (this.#text[at] !== ",") break
      at = skipBlank(this.#text, at + 1, stop)
    }
    return rest
  }

  #definition({ word, at, from, to, rest, stop }: DocTag): number {
    this.#closeDefinition(at)
    const name = wordAt(this.#text, skipBlank(this.#text, rest, stop), stop)
    const names = this.#names(from, to)
    if (name === null) return rest
    const [only] = names
    if (names.length === 1 && only!.module !== null && only!.name === "default")
      this.#importDefault(only!.module, name.name, name.at)
    const parameters: string[] | null = word === "callback" ? [] : null
    this.#open = { name: name.name, at, parameters, type: this.#typeText(from, to) }
    for (const member of membersOfType(this.#text, from, to))
      this.#member(name.name, member.name, member.type, member.at)
    return name.end
  }

  #member(owner: string, name: string, type: string, at: number): void {
    this.#symbol({ kind: "property", name, owner, signature: `${name}: ${type || "any"}` }, at, at)
  }

  /** Adds the type whose definition is being read; it ends before the offset `end`. */
  #closeDefinition(end: number): void {
    if (this.#open === null) return
    const { name, at, parameters, type } = this.#open
    this.#open = null
    const meant = parameters === null ? type : `(${parameters.join(", ")}) => ${type || "void"}`
    const signature = meant === "" || meant === "Object" || meant === "object" ? name : `${name} = ${meant}`
    this.#symbol({ kind: "type", name, owner: null, signature: `type ${signature}` }, at, end - 1)
  }

  #parameter({ rest, stop }: DocTag, type: string, { parameters }: Declared): void {
    const name = this.#describedName(rest, stop)
    if (name === null) return
    if (this.#open?.parameters) this.#open.parameters.push(`${name.name}: ${type || "any"}`)
    else parameters.push({ name: name.name, path: pathOfDocType(type, this.#isPhp) })
  }

  #property({ rest, stop }: DocTag, type: string): void {
    const name = this.#describedName(rest, stop)
    if (name !== null && this.#open !== null) this.#member(this.#open.name, name.name, type, name.at)
  }

  /** The name in `name` or `[name=1]`; null for a part of another value, `options.name`. */
  #describedName(from: number, stop: number): Word | null {
    const at = skipBlank(this.#text, from, stop)
    const name = wordAt(this.#text, this.#text[at] === "[" ? skipBlank(this.#text, at + 1, stop) : at, stop)
    const isPart = name !== null && (this.#text[name.end] === "." || this.#text.startsWith("[]", name.end))
    return isPart ? null : name
  }

  #symbol(
    {
      signature,
      ...symbol
    }: Pick<CodeSymbol, "name" | "owner" | "signature"> & { readonly kind: SymbolKind },
    start: number,
    last: number,
  ): void {
    const isLong = signature.length > MAX_SIGNATURE_CHARS
    this.#symbols.push({
      ...symbol,
      signature: isLong ? `${signature.slice(0, MAX_SIGNATURE_CHARS - 1)}…` : signature,
      startLine: rowAt(this.#lines, start) + 1,
      endLine: rowAt(this.#lines, last) + 1,
      doc: null,
    })
  }

  /** Stores what a comment declares for the code at `at`; `at` is -1 if no code follows. */
  #declare({ parameters, bases, type, result }: Declared, at: number): void {
    if (at < 0) return
    const code = this.#text.slice(at, at + MAX_HEAD_CHARS)
    const path = pathOfDocType(type, this.#isPhp)
    if (this.#isPhp) this.#declareParameters(parameters, at)
    if (path !== null && code.charCodeAt(0) === PAREN) {
      this.#casts.set(at, path)
      return
    }
    const heir = bases.length === 0 ? undefined : CLASS.exec(code)?.[1]
    if (heir !== undefined) for (const index of bases) this.#makeBase(index, heir)
    const written = result || type
    if (written !== "") this.#add(DOCUMENTED_TYPE, at, USE.declares, written)
    const bound = path === null ? undefined : VARIABLE.exec(code)?.find((each, at) => at > 0 && each)
    if (bound !== undefined) this.#add(bound, at, USE.declares, path)
    const head = parameters.length === 0 ? null : HEAD.exec(code)
    if (head !== null) this.#parameters.set(at + head[0].length - 1, parameters)
  }

  /** Adds the types of parameters of PHP as bindings on the line of the function. */
  #declareParameters(parameters: readonly DocParameter[], at: number): void {
    for (const { name, path } of parameters)
      if (path !== null && name.startsWith("$")) this.#add(name.slice(1), at, USE.declares, path)
  }

  /** Makes the use at an index the base of the type `heir`; an import stays beside it. */
  #makeBase(index: number, heir: string): void {
    const use = this.uses[index]
    if (use === undefined) return
    const base = { ...use, flags: USE.base, qualifier: heir }
    if (use.flags === 0) this.uses[index] = base
    else this.uses.push(base)
  }
}

const WORD = /[\w$]+/g
/** The clause and the module of `@import { Cart } from "./shop"`. */
const IMPORT_TAG = /^([^"'@]*)\bfrom\s*(["'])([^"'\n]*)\2/
/** The alias of a whole module; or a name in the clause of an import, and its alias. */
const BOUND = /\*\s+as\s+([A-Za-z_$][\w$]*)|([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?/g

/** By first line; a type comes before its members. */
function byPlace(one: CodeSymbol, other: CodeSymbol): number {
  return one.startLine - other.startLine || Number(one.owner !== null) - Number(other.owner !== null)
}

/** Maximum number of characters from the start of the code to the bracket of its parameters. */
const MAX_HEAD_CHARS = 200
const CLASS = /^(?:(?:export|default)\s+){0,2}class\s+([\w$]+)/
const VARIABLE = /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*[=;\n]|^\$(\w+)\s*=/
/** Matches the text before the parameters of a function, method, or variable that is bound to a function. */
const HEAD =
  /^(?:(?:export|default|async|static|get|set|const|let|var)\s+){0,4}(?:function\b\s*\*?\s*)?[\w$.#*]*\s*(?:[=:]\s*)?(?:async\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?\(/

/** Offset of the code after a comment, beyond plain comments; -1 if another JSDoc comment or nothing follows. */
function codeAfter(text: string, comments: Spans, index: number): number {
  for (let next = index; next < comments.length; next += 2) {
    if (next > index && text.startsWith("/**", comments[next])) return -1
    let at = comments[next + 1]!
    while (at < text.length && text.charCodeAt(at) <= 32) at++
    if (comments[next + 2] !== at) return at < text.length && text.charCodeAt(at) !== CLOSING_BRACE ? at : -1
  }
  return -1
}

/**
 * Reads types as JSDoc writes them: `import("./shop").Shop`, `Array.<Shop>`, `{ open: Shop, size?: number }`,
 * `(shop: Shop) => void`. Every function reads its range once, from the left to the right.
 */

/** A name in a type. `at` is a UTF-16 offset. */
type DocName = {
  readonly name: string
  readonly at: number
  /** The module of `import("module").Name`; null if the name has no such module. */
  readonly module: string | null
  /** The names before the dot in `qualifier.name`; null if there are none. */
  readonly qualifier: string | null
}

/** A member of an object type. */
type DocMember = { readonly name: string; readonly at: number; readonly type: string }

const MAX_TYPE_CHARS = 4_000
/** Maximum length of a gap between two parts of a type. */
const MAX_GAP_CHARS = 300
/** Maximum length of a type that is stored as text. */
const MAX_TEXT_CHARS = 200

/** Words in a type that do not name a definition of a project. */
const PLAIN: ReadonlySet<string> = new Set(
  `import string number boolean bigint symbol any unknown never void null undefined object true false this function new typeof
  keyof infer extends is asserts in out readonly unique Array Object Promise Function String Number Boolean`.split(
    /\s+/,
  ),
)

/** Offset of the first character at or after `from` that is no white space and no `*` at the start of a line. */
function skipBlank(text: string, from: number, stop: number): number {
  let isLineStart = false
  for (let at = from; at < stop; at++) {
    const code = text.charCodeAt(at)
    if (code === 10) isLineStart = true
    else if (code > 32 && !(isLineStart && code === STAR)) return at
  }
  return stop
}

/** The name that begins at `at`; null if there is none. */
function wordAt(text: string, at: number, stop: number): Word | null {
  const code = at < stop ? text.charCodeAt(at) : 0
  if (!isNameCode(code, true) || isDigit(code)) return null
  const end = Math.min(codesEnd(text, at, true), stop)
  return end - at > 120 ? null : { name: text.slice(at, end), at, end }
}

/** Offset of the space after the type without braces at `from`, whose own brackets may contain spaces. */
function bareEnd(text: string, from: number, stop: number): number {
  let depth = 0
  for (let at = from; at < Math.min(stop, from + MAX_TYPE_CHARS); at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code) || code === ANGLE) depth++
    else if (isClosing(code) || code === GREATER) depth--
    else if (code <= 32 && (depth < 1 || code === 10)) return at
  }
  return from
}

/** Offset of the `}` that closes the brace at `from`; -1 if there is none in the first MAX_TYPE_CHARS characters. */
function typeEnd(text: string, from: number, stop: number): number {
  let depth = 0
  const limit = Math.min(stop, from + MAX_TYPE_CHARS)
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACE) depth++
    else if (code === 125 && --depth === 0) return at
    else if (QUOTES.has(code)) at = quoteEnd(text, at, code, limit)
  }
  return -1
}

/** A name with the offsets of its start and its end. */
type Word = { readonly name: string; readonly at: number; readonly end: number }

/** The names that the type between two offsets uses. Keys of objects and names of parameters are no uses. */
function namesInType(text: string, from: number, to: number): DocName[] {
  const names: DocName[] = []
  let module: string | null = null
  for (let at = from; at < to; at++) {
    const word = wordAt(text, at, to)
    if (word === null) {
      at = behindOther(text, at, to) - 1
      continue
    }
    at = word.end - 1
    const imported = word.name === "import" ? importedModule(text, word.end, to) : null
    if (imported !== null) at = imported.end - 1
    const name = imported === null ? namedBy(text, word, module, names.at(-1)) : null
    module = imported?.module ?? null
    if (name !== null && (name.qualifier !== null || name.module !== null || !isKeyAt(text, word, from, to)))
      names.push(name)
  }
  return names
}

/** What a word of a type names, after the module of an `import(…)` or the name before it; null for nothing. */
function namedBy(
  text: string,
  { name, at }: Word,
  module: string | null,
  last: DocName | undefined,
): DocName | null {
  const sign = text.charCodeAt(at - 1)
  const isMember = sign === BACKSLASH ? last !== undefined : sign === DOT && text.charCodeAt(at - 2) !== DOT
  if (!isMember) return PLAIN.has(name) ? null : { name, at, module: null, qualifier: null }
  if (module !== null) return { name, at, module, qualifier: null }
  if (last === undefined || last.at + last.name.length !== at - 1) return null
  return {
    name,
    at,
    module: null,
    qualifier: last.qualifier === null ? last.name : `${last.qualifier}.${last.name}`,
  }
}

/** The offset after a character that begins no name: after the string or the number that it begins, else after itself. */
function behindOther(text: string, at: number, to: number): number {
  const code = text.charCodeAt(at)
  if (QUOTES.has(code)) return quoteEnd(text, at, code, to) + 1
  return isNameCode(code, true) ? codesEnd(text, at, true) : at + 1
}

/** The module in `("module")`, and the offset after the bracket. */
function importedModule(
  text: string,
  from: number,
  to: number,
): { readonly module: string; readonly end: number } | null {
  const open = skipBlank(text, from, to)
  if (text.charCodeAt(open) !== PAREN) return null
  const at = skipBlank(text, open + 1, to)
  const quote = text.charCodeAt(at)
  const end = QUOTES.has(quote) ? quoteEnd(text, at, quote, to) : at
  if (end === at) return null
  const closing = skipBlank(text, end + 1, to)
  return text[closing] === ")" ? { module: text.slice(at + 1, end), end: closing + 1 } : null
}

/**
 * True for the key of an object type and for the name of a parameter: `name:`, `name?:` or `name(` after a bracket, a
 * comma or a line break.
 */
function isKeyAt(text: string, { at, end }: Word, from: number, to: number): boolean {
  let next = skipBlank(text, end, to)
  if (text.charCodeAt(next) === QUESTION) next = skipBlank(text, next + 1, to)
  const sign = next < to ? text.charCodeAt(next) : 0
  if (sign !== COLON && sign !== PAREN) return false
  let before = at - 1
  while (before >= from && (text.charCodeAt(before) <= 32 || text.charCodeAt(before) === STAR)) before--
  return before < from || KEY_BEFORE.has(text[before]!) || text.slice(before, at).includes("\n")
}

const KEY_BEFORE: ReadonlySet<string> = new Set(["{", "(", "[", ",", ";", "."])

/** The members of the object type between two offsets; none for another type. */
function membersOfType(text: string, from: number, to: number): DocMember[] {
  const open = skipBlank(text, from, to)
  if (text.charCodeAt(open) !== BRACE) return []
  const members: DocMember[] = []
  let start = open + 1
  for (let at = start; at < to && members.length < 200; at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code) || QUOTES.has(code)) at = partEnd(text, at, to)
    else if (isClosing(code) || endsMember(text, at, to)) {
      const member = memberIn(text, start, at)
      if (member !== null) members.push(member)
      if (isClosing(code)) break
      start = at + 1
    }
  }
  return members
}

/** True for a comma, a semicolon, and a line break after which the type of a member does not go on. */
function endsMember(text: string, at: number, to: number): boolean {
  const char = text[at]
  return char === "," || char === ";" || (char === "\n" && !continues(text, at, to))
}

/** The member that is written between two offsets: `name: Type`, `name?: Type`, `name(a: Type): Type`. */
function memberIn(text: string, from: number, to: number): DocMember | null {
  let word = wordAt(text, skipBlank(text, from, to), to)
  if (word?.name === "readonly") word = wordAt(text, skipBlank(text, word.end, to), to)
  if (word === null) return null
  for (let at = word.end; at < to; at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) at = partEnd(text, at, to)
    else if (code === COLON) return { name: word.name, at: word.at, type: typeText(text, at + 1, to) }
  }
  return null
}

/** True if the type of a member goes on after the line break at `at`. */
function continues(text: string, at: number, to: number): boolean {
  const next = text[skipBlank(text, at, Math.min(to, at + MAX_GAP_CHARS))]
  return next === "|" || next === "&" || next === "="
}

/** The type between two offsets as one line; "" if it is empty or too long. */
function typeText(text: string, from: number, to: number): string {
  if (to - from > MAX_TYPE_CHARS) return ""
  const written = text
    .slice(from, to)
    .replace(/\n[ \t]*\*?/g, " ")
    .replace(/\.</g, "<")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[?!]|=$/g, "")
  return written.length > MAX_TEXT_CHARS ? "" : written
}

/** The path of a value of the type `written`; null for functions and object types, which have no name. */
function pathOfDocType(written: string, isPhp: boolean): ValuePath | null {
  const plain = written.replace(IMPORTED, "")
  return plain === "" || /[{(]|=>|^function\b/.test(plain) ? null : pathOfType(plain, isPhp ? "php" : "js")
}

/** Matches the module before a type: `import("./shop").`. */
const IMPORTED = /\bimport\((?:"[^"()]*"|'[^'()]*')\)\.?/g
