/**
 * Reads types as they are written in code: the type names in a type, and the types of results, parameters, fields and
 * tuple elements in a signature, in the syntax of each language family.
 */

import { COLLECTIONS } from "../parse/index.ts"

/**
 * The type names in a type as written in code. The value is true for the type itself and false for a type argument. For
 * a collection, only the collection is returned; with `isElement`, only the types of its elements. Null when the
 * written type allows any type.
 */
export function typesIn(type: string, isElement: boolean): ReadonlyMap<string, boolean> | null {
  const words = new Map<string, boolean>()
  for (const each of topLevel(withoutLiterals(type), 124)) {
    const all = each.match(WORD) ?? []
    if (ANYTHING.has(all[0] ?? "")) return null
    const takesOnlyCollection = !isElement && isCollection(each)
    const some = takesOnlyCollection ? [...all.filter(isCollectionWord), "Array"] : all.filter(isOwnTypeWord)
    for (const [at, word] of some.entries()) words.set(word, at === 0 || words.get(word) === true)
  }
  return words.size === 0 ? null : words
}

function isCollectionWord(word: string): boolean {
  return COLLECTIONS.has(word)
}

function isOwnTypeWord(word: string): boolean {
  return !COLLECTIONS.has(word) && !WRAPPERS.has(word)
}

/** Removes string literals, and object types in braces, because names inside them are not types of the value. */
function withoutLiterals(type: string): string {
  let rest = type.replace(IMPORTED, "").replace(QUOTED, "")
  for (let previous = ""; previous !== rest; ) {
    previous = rest
    rest = rest.replace(/\{[^{}]*\}/g, " ")
  }
  return rest.replace(/\{[\s\S]*$/, "")
}

/** True for a collection, such as a list. */
export function isCollection(type: string): boolean {
  return (
    /\[\]\s*$/.test(type) ||
    COLLECTIONS.has(/[A-Za-z_$][\w$]*/.exec(type.replace(/^\s*readonly\s/, ""))?.[0] ?? "")
  )
}

const WORD = /[A-Za-z_$][\w$]*/g
const ANYTHING: ReadonlySet<string> = new Set(["any", "unknown", "object", "Object", "never"])
/**
 * Types and keywords that wrap another type without changing which type is meant: a promise of it, or the type without
 * some of its members.
 */
const WRAPPERS: ReadonlySet<string> = new Set(
  `Promise PromiseLike Awaited Readonly Partial Required NonNullable Pick Omit Exclude Extract Optional Option Result Arc Rc
  Box readonly keyof typeof extends infer is asserts null undefined void mut dyn impl const`.split(/\s+/),
)
/** Matches the module before a type: `import("./shop").`. */
const IMPORTED = /\bimport\(["'][^"'()]*["']\)\.?/g
const QUOTED = /(["'`]).*?\1/g

/**
 * The result type in a function's signature, in the syntax of its language family; null when there is none.
 */
export function resultIn(signature: string, name: string, family: string): string | null {
  if (family === "js") return resultAfterParameters(signature)
  return (
    RESULT[family]?.exec(signature)?.[1] ?? (RESULT_FIRST.test(family) ? typeBefore(signature, name) : null)
  )
}

const RESULT: Readonly<Record<string, RegExp>> = {
  python: /->\s*([^)]+)$/,
  rust: /->\s*(.+?)(?:\s+where\b.*)?$/,
  php: /\)\s*:\s*\??([^={]+)/,
  swift: /->\s*(.+)$/,
  go: /\)\s*(\((?:[^()]|\([^()]*\))*\)|[^\s(){}][^(){}]*)$/,
  jvm: /\)\s*:\s*(\([^()]*\)|[^=({]+)/,
}
const RESULT_FIRST = /^(?:jvm|c|csharp|dart)$/

function typeBefore(signature: string, name: string): string | null {
  return (
    new RegExp(`(\\([^()]*\\)|[A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&?]+${RegExp.escape(name)}\\s*\\(`).exec(
      signature,
    )?.[1] ?? null
  )
}

/** The type after the parameter list: `: Type`, `=> Type`. */
function resultAfterParameters(signature: string): string | null {
  const list = parameterList(signature)
  if (list === null) return null
  const type = /^\s*(?::|=>)\s*([\s\S]+?);?$/.exec(signature.slice(list.end))?.[1]
  return type === undefined ? null : withoutParameters(type, signature.slice(0, list.start))
}

/**
 * Returns the type; "" if it is one of the function's type parameters (`T` of `<T, U>`), because that may be any type.
 */
function withoutParameters(type: string, head: string): string {
  const from = head.indexOf("<")
  if (from < 0) return type
  const names = new Set(head.slice(from).match(/[A-Za-z_$][\w$]*/g))
  return /^\w+$/.test(type) && names.has(type) ? "" : type
}

/** The type of a parameter, from a function's signature or from a function type; null when there is none. */
export function parameterIn(signature: string, index: number): string | null {
  const list = parameterList(signature)
  if (list === null) return null
  const parameter = topLevel(signature.slice(list.start + 1, list.end - 1), 44)[index]
  if (parameter === undefined) return null
  const type = topLevel(parameter, 58, 1)[1]
  return type === undefined ? null : topLevel(type, 61, 1)[0]!
}

/** Offsets of the parameter list in `name<T>(a: A): R` or `(a: A) => R`; null when there is none. */
function parameterList(signature: string): { readonly start: number; readonly end: number } | null {
  let depth = 0
  let start = -1
  for (let at = 0; at < signature.length; at++) {
    const char = signature[at]!
    if (start < 0 && char === "(" && depth === 0) start = at
    if ("(<[{".includes(char)) depth++
    else if (isEnd(signature, at) && --depth === 0 && start >= 0) return { start, end: at + 1 }
  }
  return start < 0 ? null : { start, end: signature.length }
}

function isEnd(text: string, at: number): boolean {
  const char = text[at]!
  return ")]}".includes(char) || (char === ">" && text[at - 1] !== "=")
}

/** Splits the text at each occurrence of a character code that is outside of brackets; at most `limit` splits. */
function topLevel(text: string, code: number, limit = 100): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length && parts.length < limit; at++) {
    if ("(<[{".includes(text[at]!)) depth++
    else if (isEnd(text, at)) depth--
    else if (depth === 0 && text.charCodeAt(at) === code && text[at + 1] !== ">") {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

/**
 * The type that a signature declares for a name, in the syntax of the language family: `store: Store`,
 * `s *Store`, `Store store`. Null when there is none.
 */
export function typeIn(signature: string, name: string, family: string): string | null {
  if (!signature.includes(name)) return null
  const escaped = RegExp.escape(name)
  const isBehind =
    BEHIND.test(family) ||
    (family === "jvm" && new RegExp(`\\b(?:va[lr]|def)\\s+${escaped}\\b`).test(signature))
  let pattern: string
  if (isBehind) pattern = `(?<![\\w.])${escaped}[?!]?\\s*:\\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^,=(){}])+)`
  else if (family === "go") pattern = `(?<![\\w.])${escaped}\\s+([\\w.*[\\]]+)`
  else pattern = `([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&?]+\\$?${escaped}(?!\\w)`
  return new RegExp(pattern).exec(signature)?.[1] ?? null
}

/** The declared type of a field; a function type keeps its parameters. Null when there is none. */
export function fieldTypeIn(signature: string, name: string, family: string): string | null {
  if (family !== "js") return typeIn(signature, name, family)
  const behind = new RegExp(`(?<![\\w.$])${RegExp.escape(name)}["']?[?!]?\\s*:\\s*([\\s\\S]+?);?$`).exec(
    signature,
  )?.[1]
  return behind === undefined ? null : topLevel(behind, 61, 1)[0]!
}

const BEHIND = /^(?:js|python|rust|swift)$/

const TUPLE =
  /^\s*(?:(?:readonly|const)\s+)?(?:[Tt]uple|(?:std::)?pair|Pair|Triple|\w*Tuple\w*|(?:std::)?tuple)?\s*([([<])([\s\S]*)[)\]>]\s*[&?]?\s*$/

/**
 * The type of the nth element of a tuple: `(*Store, error)`, `[Store, number]`, `tuple[Store, int]`, `Pair<A, B>`. Null
 * if the tuple has no such element; undefined if the type is no tuple.
 */
export function tuplePart(type: string, at: number): string | null | undefined {
  const parts = topLevel(TUPLE.exec(type)?.[2] ?? "", 44)
  if (parts.length < 2) return undefined
  // In Go's `a, b *Store`, both parts have the type of the next part that states one.
  const part = parts
    .slice(at)
    .find((each, next) =>
      next === 0
        ? !/^\s*[a-z_]\w*\s*$/.test(each) || parts.every((one) => !/\s\S/.test(one.trim()))
        : /\s\S/.test(each.trim()),
    )
  if (part === undefined) return null
  const named = /^\s*\w+\s*:?\s+([*[\w].*)$/.exec(part)?.[1]
  const isBehind = /^\s*[A-Z][\w.<>?]*\s+[a-z]\w*\s*$/.test(part)
  return isBehind ? part.trim().replace(/\s+\w+$/, "") : (named ?? part).trim()
}

/** Offset of the character before the `=` that begins a definition's value; -1 when there is none. */
export function valueStart(signature: string): number {
  return /[^=!<>]=(?![=>])\s*/.exec(signature)?.index ?? -1
}

/**
 * Joins type names into one written type: if one is a collection, the others become its arguments, else a union.
 */
export function toWrittenType(words: readonly string[]): string {
  const holder = words.find((word) => COLLECTIONS.has(word))
  return holder === undefined
    ? words.join(" | ")
    : `${holder}<${words.filter((word) => word !== holder).join(", ")}>`
}

/**
 * The type that an alias refers to: `Row | null` for `type AnyRow = Row | null`; null when the signature is no alias.
 */
export function aliasedType(signature: string): string | null {
  return /[^=!<>]=(?!=)\s*([\s\S]*?);?$/.exec(signature)?.[1] ?? null
}
