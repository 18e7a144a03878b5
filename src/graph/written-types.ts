import { COLLECTIONS } from "../code/value-path.ts"

/**
 * The types that what is of a type as it is written may be, and whether each is the type itself, or stands among its
 * arguments. Of a list not what it holds, unless that is asked for. Null where anything may be meant.
 */
export function typesIn(type: string, isHeld: boolean): ReadonlyMap<string, boolean> | null {
  const words = new Map<string, boolean>()
  for (const each of topLevel(withoutLiterals(type), 124)) {
    const all = each.match(WORD) ?? []
    if (ANYTHING.has(all[0] ?? "")) return null
    const isHolder = !isHeld && isCollection(each)
    const some = isHolder ? [...all.filter(isHolding), "Array"] : all.filter(isMeant)
    for (const [at, word] of some.entries()) words.set(word, at === 0 || words.get(word) === true)
  }
  return words.size === 0 ? null : words
}

function isHolding(word: string): boolean {
  return COLLECTIONS.has(word)
}

function isMeant(word: string): boolean {
  return !COLLECTIONS.has(word) && !WRAPPERS.has(word)
}

/** Strings, and what is written out between braces, name no type that the whole is of. */
function withoutLiterals(type: string): string {
  let rest = type.replace(QUOTED, "")
  for (let before = ""; before !== rest; ) {
    before = rest
    rest = rest.replace(/\{[^{}]*\}/g, " ")
  }
  return rest.replace(/\{[\s\S]*$/, "")
}

/** Whether it is of what holds others, such as a list. */
export function isCollection(type: string): boolean {
  return (
    /\[\]\s*$/.test(type) ||
    COLLECTIONS.has(/[A-Za-z_$][\w$]*/.exec(type.replace(/^\s*readonly\s/, ""))?.[0] ?? "")
  )
}

const WORD = /[A-Za-z_$][\w$]*/g
const ANYTHING: ReadonlySet<string> = new Set(["any", "unknown", "object", "Object", "never"])
/** What they hold is had by waiting for it, or is the same without some of its members. */
const WRAPPERS: ReadonlySet<string> = new Set(
  `Promise PromiseLike Awaited Readonly Partial Required NonNullable Pick Omit Exclude Extract Optional Option Result Arc Rc
  Box readonly keyof typeof extends infer is asserts null undefined void mut dyn impl const`.split(/\s+/),
)
const QUOTED = /(["'`]).*?\1/g

/** The type of what a function gives, by how the language writes it. */
export function resultIn(signature: string, name: string, family: string): string | null {
  if (family === "js") return resultBehind(signature)
  return RESULT[family]?.exec(signature)?.[1] ?? (RESULT_FIRST.test(family) ? before(signature, name) : null)
}

const RESULT: Readonly<Record<string, RegExp>> = {
  python: /->\s*([^)]+)$/,
  rust: /->\s*(.+?)(?:\s+where\b.*)?$/,
  swift: /->\s*(.+)$/,
  go: /\)\s*\(?\s*(\*?[\w.]+)[^()]*\)?$/,
  jvm: /\)\s*:\s*([^=({]+)/,
}
const RESULT_FIRST = /^(?:jvm|c|csharp|dart)$/

function before(signature: string, name: string): string | null {
  return (
    new RegExp(`([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&]+${RegExp.escape(name)}\\s*\\(`).exec(
      signature,
    )?.[1] ?? null
  )
}

/** What stands behind the parameters: `: Type`, `=> Type`. */
function resultBehind(signature: string): string | null {
  const list = parameterList(signature)
  if (list === null) return null
  const type = /^\s*(?::|=>)\s*([\s\S]+?);?$/.exec(signature.slice(list.end))?.[1]
  return type === undefined ? null : withoutParameters(type, signature.slice(0, list.start))
}

/** `T` of `<T, U>` may be anything. */
function withoutParameters(type: string, head: string): string {
  const from = head.indexOf("<")
  if (from < 0) return type
  const names = new Set(head.slice(from).match(/[A-Za-z_$][\w$]*/g))
  return /^\w+$/.test(type) && names.has(type) ? "" : type
}

/** The type of a function's parameter; of one that is declared as a type, too. */
export function parameterIn(signature: string, index: number): string | null {
  const list = parameterList(signature)
  if (list === null) return null
  const parameter = topLevel(signature.slice(list.start + 1, list.end - 1), 44)[index]
  if (parameter === undefined) return null
  const type = topLevel(parameter, 58, 1)[1]
  return type === undefined ? null : topLevel(type, 61, 1)[0]!
}

/** Of `name<T>(a: A): R` and `(a: A) => R` the brackets. */
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

/** Divided where a character stands outside of brackets; `most` times. */
function topLevel(text: string, code: number, most = 100): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length && parts.length < most; at++) {
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

/** `store: Store`, `s *Store`, `Store store`: by how the language writes it. */
export function typeIn(signature: string, name: string, family: string): string | null {
  if (!signature.includes(name)) return null
  const escaped = RegExp.escape(name)
  const pattern = BEHIND.test(family)
    ? new RegExp(`(?<![\\w.])${escaped}[?!]?\\s*:\\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^,=(){}])+)`)
    : family === "go"
      ? new RegExp(`(?<![\\w.])${escaped}\\s+([\\w.*[\\]]+)`)
      : new RegExp(`([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&?]+\\$?${escaped}(?!\\w)`)
  return pattern.exec(signature)?.[1] ?? null
}

/** The type of a field as it is declared, with what a function that it holds takes. */
export function fieldTypeIn(signature: string, name: string, family: string): string | null {
  if (family !== "js") return typeIn(signature, name, family)
  const behind = new RegExp(`(?<![\\w.$])${RegExp.escape(name)}["']?[?!]?\\s*:\\s*([\\s\\S]+?);?$`).exec(
    signature,
  )?.[1]
  return behind === undefined ? null : topLevel(behind, 61, 1)[0]!
}

const BEHIND = /^(?:js|python|rust|swift)$/

/** Where the value begins that a definition is given. */
export function valueStart(signature: string): number {
  return /[^=!<>]=(?![=>])\s*/.exec(signature)?.index ?? -1
}

/** Types of a path as they would be written: of what holds others the others as its arguments. */
export function writtenOf(words: readonly string[]): string {
  const holder = words.find((word) => COLLECTIONS.has(word))
  return holder === undefined
    ? words.join(" | ")
    : `${holder}<${words.filter((word) => word !== holder).join(", ")}>`
}

/** `Row | null` of `type AnyRow = Row | null`. */
export function standsFor(signature: string): string | null {
  return /[^=!<>]=(?!=)\s*([\s\S]*?);?$/.exec(signature)?.[1] ?? null
}
