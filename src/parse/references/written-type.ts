/**
 * Reads types as they are written in code into one form for all languages. The canonical text of a type contains none
 * of the characters of a ValuePath's steps, so that it can begin a path (`:Store`):
 *
 * - `Name<Arg;Arg>`, with the module or outer type before the name: `time/Duration`
 * - `A|B`: a union, or a type that must be both
 * - `~<T>`: a list, an array, a channel, a variable number of arguments; `~<K;V>`: a map that has no name
 * - `=><Result;Parameter>`: a function
 * - `=<A;B>`: a tuple
 * - empty text: a type that cannot be read, or has no name
 */
export type WrittenType = {
  /** Name without module; or one of the signs in `SIGN`. */
  readonly name: string
  readonly qualifier: string | null
  readonly args: readonly WrittenType[]
}

/**
 * Names of types that have no name in code. `value` is the type of a value (TypeScript's `typeof shop`), `member` that
 * of a member of a type (`Shop["cart"]`): their qualifiers are the names of the value and of the member.
 */
export const SIGN = {
  unknown: "",
  union: "|",
  list: "~",
  function: "=>",
  tuple: "=",
  value: "typeof",
  member: ".",
} as const

const UNKNOWN: WrittenType = { name: SIGN.unknown, qualifier: null, args: [] }
const SIGNS: ReadonlySet<string> = new Set([SIGN.value, SIGN.member, SIGN.unknown])

function typed(name: string, args: readonly WrittenType[], qualifier: string | null = null): WrittenType {
  return { name, qualifier, args }
}

/** The type of a list of values of a type. */
export function listOf(type: WrittenType): WrittenType {
  return typed(SIGN.list, [type])
}

/** The canonical text of a type. */
export function canonicalText({ name, qualifier, args }: WrittenType): string {
  if (name === SIGN.union)
    return args
      .map(canonicalText)
      .filter((text) => text !== "")
      .join("|")
  if (SIGNS.has(name)) return ""
  const full = qualifier === null ? name : `${qualifier}/${name}`
  return args.length === 0 ? full : `${full}<${args.map(canonicalText).join(";")}>`
}

/** The type whose canonical text is `text`, the inverse of `canonicalText`. */
export function parseCanonical(text: string): WrittenType {
  const { type, end } = canonicalAt(text, 0, 0)
  return end === text.length ? type : UNKNOWN
}

function canonicalAt(text: string, from: number, depth: number): TypeAt {
  const arms: WrittenType[] = []
  for (let at = from; ; at++) {
    CANONICAL_NAME.lastIndex = at
    const full = CANONICAL_NAME.exec(text)?.[0] ?? ""
    const cut = full.lastIndexOf("/")
    const args: WrittenType[] = []
    at = canonicalArguments(text, at + full.length, depth, args)
    arms.push(typed(full.slice(cut + 1), args, cut < 0 ? null : full.slice(0, cut)))
    if (text[at] !== "|") return { type: arms.length === 1 ? arms[0]! : typed(SIGN.union, arms), end: at }
  }
}

/** Adds the type arguments that begin at an offset, if any do; returns the offset after them. */
function canonicalArguments(text: string, from: number, depth: number, args: WrittenType[]): number {
  if (text[from] !== "<" || depth >= MAX_DEPTH) return from
  let at = from
  do {
    const arg = canonicalAt(text, at + 1, depth + 1)
    args.push(arg.type)
    at = arg.end
  } while (text[at] === ";")
  return at + 1
}

const CANONICAL_NAME = /=>|[^<>;|]*/y

/** A type, and the offset of the character after it. */
export type TypeAt = { readonly type: WrittenType; readonly end: number }

/** Maximum length of a written type in characters, and maximum depth of brackets in it. */
const MAX_CHARS = 500
const MAX_DEPTH = 12

/** Reads the type that begins at `from` in the syntax of a language family. */
export function readType(text: string, from: number, family: string): TypeAt {
  const reader = new TypeReader(text, from, family)
  const type = reader.union()
  return { type, end: reader.at }
}

/** The canonical text of a type as written in the syntax of a language family. */
export function canonicalType(written: string, family: string): string {
  return canonicalText(readType(written, 0, family).type)
}

/** How the types of a language family are written, where families differ. */
type TypeSyntax = {
  /** True if square brackets after a name contain type arguments, if they contain a type. */
  readonly hasSquareArgs?: true
  /** True if a name comes before the type in a list, without a colon: Go's `(a, b *Store)`. */
  readonly isNameFirst?: true
  /** True if a text in quotes is a type. */
  readonly hasQuotedTypes?: true
  /** True if `A & B` is a type that must be both. */
  readonly hasIntersections?: true
  /** Words before a type that belong to its declaration, besides MODIFIERS. */
  readonly modifiers?: ReadonlySet<string>
}

const SYNTAX: Readonly<Record<string, TypeSyntax>> = {
  js: { hasIntersections: true },
  python: { hasSquareArgs: true, hasQuotedTypes: true },
  go: { hasSquareArgs: true, isNameFirst: true },
  jvm: { hasSquareArgs: true, hasIntersections: true },
  php: { hasIntersections: true },
  swift: { hasIntersections: true, modifiers: new Set(["any", "some", "borrowing", "consuming", "sending"]) },
}
const NO_SYNTAX: TypeSyntax = {}

const MODIFIERS: ReadonlySet<string> = new Set(
  `readonly mut dyn impl const final volatile static struct enum class union typename in out ref inout params vararg val
  var let override private protected public internal abstract virtual async inline extern sealed partial unsafe
  synchronized native default explicit constexpr friend suspend open lateinit weak lazy required late covariant
  transient new unowned super extends noinline crossinline mutable register asserts declare export pub crate fileprivate
  implicit where`.split(/\s+/),
)
/** Words that begin the type of a function. */
const FUNCTION_WORD = /^(?:func|fn|Fn|FnMut|FnOnce|fun)$/

/**
 * Types of functions that a library defines, by the positions of the result and of the parameters among the type
 * arguments; "list" if the first argument lists the parameters.
 */
const FUNCTION_TYPES: Readonly<Record<string, Readonly<Record<string, "list" | "last" | "none">>>> = {
  python: { Callable: "list" },
  csharp: { Func: "last", Action: "none" },
  c: { function: "list" },
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const SPACE = /\s*/y
const BLANKS = /[ \t]*/y
const LIFETIME = /'\w+/y
const ATTRIBUTE = /@[\w.:]+/y
const WORD_BEHIND = /\s+[\w$]+/y
/** Matches the brackets of an array, which may contain its length. */
const LENGTH = /^\[[\s\d]*\]/
const LABEL = /\s*(?:[\w$]+\s+)?[\w$]+\??\s*:(?!:)\s*/y
const TYPE_START = /[\p{L}_*[(]|<-/uy
const BOUND_NAME = /\s*\w+\s*=(?!=)\s*/y

class TypeReader {
  at: number
  readonly #text: string
  readonly #family: string
  readonly #syntax: TypeSyntax
  readonly #limit: number
  #depth = 0

  constructor(text: string, from: number, family: string) {
    this.at = from
    this.#text = text
    this.#family = family
    this.#syntax = SYNTAX[family] ?? NO_SYNTAX
    this.#limit = Math.min(text.length, from + MAX_CHARS)
  }

  union(): WrittenType {
    if (++this.#depth > MAX_DEPTH) this.at = this.#limit
    this.#eat(SPACE)
    if (this.#code() === "|") this.at++
    const arms = [this.#arm()]
    for (let before = this.at; this.#nextArm(); before = this.at) {
      const arm = this.#arm()
      if (this.at <= before) break
      arms.push(arm)
    }
    this.#depth--
    return arms.length === 1 ? arms[0]! : typed(SIGN.union, arms)
  }

  /** Skips the sign between two parts of a union; false if the type ends here. */
  #nextArm(): boolean {
    const start = this.at
    this.#eat(SPACE)
    const sign = this.#code()
    const isDoubled = this.#text[this.at + 1] === sign
    const isUnion = sign === "|" || (sign === "+" && this.#family === "rust")
    if (!isDoubled && (isUnion || (sign === "&" && this.#syntax.hasIntersections))) {
      this.at++
      this.#eat(SPACE)
      if (this.at < this.#limit && !/[$,)=;]/.test(this.#code())) return true
    }
    this.at = start
    return false
  }

  #arm(): WrittenType {
    const isMany = this.#prefixes()
    let type = this.#core()
    if (isMany) type = listOf(type)
    return this.#suffixes(type)
  }

  /** Skips what stands before a type: pointers, modifiers, attributes. True for a variable number of arguments. */
  #prefixes(): boolean {
    let isMany = false
    for (;;) {
      this.#eat(SPACE)
      if (this.at >= this.#limit) return isMany
      if (this.#take("...")) isMany = true
      else if (!(this.#take("::") || this.#take("<-") || this.#sign() || this.#modifier())) return isMany
    }
  }

  #sign(): boolean {
    const code = this.#code()
    if (code === "*" || code === "&" || code === "^" || code === "?" || code === "\\") {
      this.at++
      return true
    }
    if (code === "'" && this.#family === "rust") return this.#eat(LIFETIME) !== ""
    if (code !== "@" || this.#eat(ATTRIBUTE) === "") return false
    if (this.#code() === "(") this.#skipBracket()
    return true
  }

  #modifier(): boolean {
    const start = this.at
    const word = this.#eat(NAME)
    const isModifier = MODIFIERS.has(word) || this.#syntax.modifiers?.has(word) === true
    if (isModifier && /[\s&*]/.test(this.#code())) return true
    this.at = start
    return false
  }

  #core(): WrittenType {
    const code = this.#code()
    if (code === "(") return this.#group()
    if (code === "[") return this.#square()
    if (code === "{") return this.#skipBracket()
    if (code === '"' || code === "'" || code === "`") return this.#quoted(code)
    const word = this.#eat(NAME)
    return word === "" ? UNKNOWN : this.#named(word)
  }

  /** A literal, which is no type with members; in Python, a type that is written in quotes. */
  #quoted(quote: string): WrittenType {
    const start = this.at + 1
    const end = this.#text.indexOf(quote, start)
    if (end < 0 || end >= this.#limit) return UNKNOWN
    this.at = end + 1
    if (!this.#syntax.hasQuotedTypes || this.#depth >= MAX_DEPTH) return UNKNOWN
    return readType(this.#text.slice(start, end), 0, this.#family).type
  }

  #named(first: string): WrittenType {
    if (FUNCTION_WORD.test(first) && this.#text[this.#past(SPACE)] === "(") return this.#function()
    const builtIn = this.#syntax.isNameFirst ? this.#goType(first) : null
    if (builtIn !== null) return builtIn
    if (this.#family === "js" && TYPE_OPERATORS.has(first)) return this.#computed(first)
    if ((first === "import" || first === "decltype") && this.#code() === "(") this.#skipBracket()
    // In `import("./shop").Store`, only the name says which type it is.
    const names = this.#names(first).slice(first === "import" ? 1 : 0)
    // Kotlin's type of a function with a receiver, `Store.() -> Unit`
    if (this.#text.startsWith(".(", this.at) && this.#take(".")) return this.#function()
    const name = names.pop() ?? SIGN.unknown
    const args = this.#arguments()
    return this.#asFunction(name, args) ?? typed(name, args, names.length === 0 ? null : names.join("/"))
  }

  /** TypeScript's type of a value, `typeof shop`; other computed types are unknown. */
  #computed(operator: string): WrittenType {
    if (operator === SIGN.value)
      return typed(SIGN.value, [], this.#names(this.#eat(WORD_BEHIND).trim()).join("."))
    this.#arm()
    return UNKNOWN
  }

  /** The parts of a name with its modules. */
  #names(first: string): string[] {
    const names = [first]
    for (let next = this.#eat(QUALIFIED); next !== ""; next = this.#eat(QUALIFIED))
      names.push(/[\p{L}\p{N}_$]+$/u.exec(next)![0])
    return names
  }

  /** A type that begins with a word of Go; null for the name of a type. */
  #goType(word: string): WrittenType | null {
    if (word === "chan") return typed("chan", [this.#arm()])
    if (word === "struct" || word === "interface") return this.#skipBracket()
    if (word !== "map" || this.#code() !== "[") return null
    const [key] = this.#list("]")
    return typed(SIGN.list, [key ?? UNKNOWN, this.#arm()])
  }

  /** The type arguments after a name. */
  #arguments(): readonly WrittenType[] {
    const code = this.#code()
    if (code === "<") return this.#list(">")
    if (code === ":" && this.#take("::<")) {
      this.at--
      return this.#list(">")
    }
    if (code !== "[" || !this.#syntax.hasSquareArgs || LENGTH.test(this.#text.slice(this.at, this.at + 20)))
      return []
    return this.#list("]")
  }

  #asFunction(name: string, args: readonly WrittenType[]): WrittenType | null {
    const how = FUNCTION_TYPES[this.#family]?.[name]
    if (how === undefined || args.length === 0) return null
    if (how === "none") return typed(SIGN.function, [UNKNOWN, ...args])
    if (how === "last") return typed(SIGN.function, [args.at(-1)!, ...args.slice(0, -1)])
    const [first, result] = args
    if (first!.name === SIGN.function) return first!
    const isList = first!.name === SIGN.tuple || first!.name === SIGN.list
    return typed(SIGN.function, [result ?? UNKNOWN, ...(isList ? first!.args : [])])
  }

  #function(): WrittenType {
    this.#eat(SPACE)
    return this.#functionOf(this.#list(")"))
  }

  /** The type of a function whose parameters have been read. */
  #functionOf(parameters: readonly WrittenType[]): WrittenType {
    const hasArrow = this.#eat(ARROW) !== ""
    const isNext = hasArrow || (this.#syntax.isNameFirst && this.#starts())
    return typed(SIGN.function, [isNext ? this.union() : UNKNOWN, ...parameters])
  }

  /** True if a type follows on the same row. */
  #starts(): boolean {
    this.#eat(BLANKS)
    TYPE_START.lastIndex = this.at
    return TYPE_START.test(this.#text)
  }

  #group(): WrittenType {
    const items = this.#list(")")
    ARROW.lastIndex = this.at
    if (ARROW.test(this.#text)) return this.#functionOf(items)
    if (items.length === 0) return UNKNOWN
    return items.length === 1 ? items[0]! : typed(SIGN.tuple, items)
  }

  /** A type that begins with a square bracket: `[]Store`, `[Store]`, `[String: Store]`, `[Store; 4]`, `[Store, number]`. */
  #square(): WrittenType {
    if (this.#syntax.isNameFirst) {
      this.#skipBracket()
      return listOf(this.#arm())
    }
    const start = this.at
    const items = this.#list("]")
    if (this.#family === "swift" && MAP_SIGN.test(this.#text.slice(start, this.at)))
      return typed("Dictionary", items)
    const isList = this.#family === "swift" || this.#family === "rust"
    return isList
      ? typed(this.#family === "swift" ? "Array" : SIGN.list, items.slice(0, 1))
      : typed(SIGN.tuple, items)
  }

  /** The types in a bracket, up to its closing character. */
  #list(closing: string): readonly WrittenType[] {
    const items: WrittenType[] = []
    let firstBare = 0
    for (this.at++; this.at < this.#limit; ) {
      this.#eat(SPACE)
      if (this.#code() === closing) break
      if (this.#code() === "," || this.#code() === ";") {
        this.at++
        continue
      }
      const { type, isNamed } = this.#item(closing)
      items.push(type)
      // In Go's `a, b *Store`, both names have the type after the last one.
      if (isNamed) {
        for (; firstBare < items.length - 1; firstBare++) items[firstBare] = type
        firstBare = items.length
      }
      const isMap = closing === "]" && this.#family === "swift" && this.#take(":")
      if (!isMap) this.#skipTo(closing)
    }
    this.at = Math.min(this.at + 1, this.#limit)
    return items
  }

  /** One type in a bracket, without the name or label before it; `isNamed` if it had a name and no colon. */
  #item(closing: string): { type: WrittenType; isNamed: boolean } {
    if (closing === ")") this.#eat(LABEL)
    else if (closing === ">") this.#eat(BOUND_NAME)
    let type = this.union()
    let isNamed = false
    if (closing === ")" && this.#syntax.isNameFirst && this.#starts()) {
      type = this.union()
      isNamed = true
    } else if (this.#code() === "(" && this.#family === "c")
      type = typed(SIGN.function, [type, ...this.#list(")")])
    return { type, isNamed }
  }

  #suffixes(start: WrittenType): WrittenType {
    let type = start
    for (;;) {
      const code = this.#code()
      if (code === "?" || code === "!") this.at++
      else if (code === "[") type = this.#indexed(type)
      else if (this.#take("...") || (code === "*" && this.#family === "jvm" && this.at++ > 0))
        type = listOf(type)
      else if (!(this.#family === "c" || this.#family === "csharp") || this.#eat(POINTER) === "") return type
    }
  }

  /** An array of the type, or TypeScript's type of one of its members. */
  #indexed(type: WrittenType): WrittenType {
    const start = this.at
    this.#skipBracket()
    const index = this.#text.slice(start + 1, this.at - 1).trim()
    const key = /^(["'])([\w$]+)\1$/.exec(index)?.[2]
    if (key !== undefined) return typed(SIGN.member, [type], key)
    if (index === "number") return typed(SIGN.member, [type])
    if (this.#family === "js") return index === "" ? typed("Array", [type]) : UNKNOWN
    return listOf(type)
  }

  /** Moves to the next comma or semicolon, or to the closing character. */
  #skipTo(closing: string): void {
    for (; this.at < this.#limit; this.at++) {
      const code = this.#code()
      if (code === "," || code === ";") return
      if (code === closing && !(code === ">" && /[=-]/.test(this.#text[this.at - 1]!))) return
      if (code === "(" || code === "[" || code === "{") {
        this.#skipBracket()
        this.at--
      } else if (code === ")" || code === "]" || code === "}") {
        this.at = this.#limit
        return
      }
    }
  }

  /** Moves behind the bracket that opens here. */
  #skipBracket(): WrittenType {
    this.#eat(SPACE)
    let depth = 0
    for (; this.at < this.#limit; this.at++) {
      const code = this.#code()
      if (code === "(" || code === "[" || code === "{") depth++
      else if ((code === ")" || code === "]" || code === "}") && --depth <= 0) {
        this.at++
        break
      }
    }
    return UNKNOWN
  }

  #code(): string {
    return this.at < this.#limit ? this.#text[this.at]! : ""
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.at)) return false
    this.at += sign.length
    return true
  }

  #past(pattern: RegExp): number {
    pattern.lastIndex = this.at
    return pattern.test(this.#text) ? pattern.lastIndex : this.at
  }

  /** Moves behind a match of a sticky expression, and returns the match; "" if there is none. */
  #eat(pattern: RegExp): string {
    const start = this.at
    this.at = Math.min(this.#past(pattern), this.#limit)
    return this.#text.slice(start, this.at)
  }
}

/** Words of TypeScript before a type that make it another type. */
const TYPE_OPERATORS: ReadonlySet<string> = new Set(["typeof", "keyof", "infer", "unique"])
const QUALIFIED = /(?:\.|::|\\|\/)[\p{L}_$][\p{L}\p{N}_$]*/uy
const ARROW = /\s*(?:(?:throws|async|suspend)\s+)*(?:=>|->)/y
const POINTER = /\s*(?:\*|&&?)|\s+const\b/y
const MAP_SIGN = /^\[[^[\]]*:/
