import { qualifies } from "./use-roles.ts"
import type { UseScan, UseSource } from "./use-scan.ts"

const INCLUDING: Readonly<Record<string, ReadonlySet<string>>> = {
  ruby: new Set(["include", "extend", "prepend"]),
  php: new Set(["use"]),
}

/**
 * The type that extends or implements the name at `start`; null if the name is not a base type. A base is written
 * between the name of the type and its body, outside of type arguments.
 */
export function baseOf(scan: UseScan, start: number, end: number, wordBefore: string): string | null {
  const { text, source } = scan
  // In `nn.Module` the base is Module, not nn.
  if (qualifies(text, end)) return null
  if (isIncluded(scan, start, wordBefore)) return innermostType(source.types, start)
  while (scan.types < source.types.length && source.types[scan.types]!.start <= start) scan.types++
  return baseIn(scan, source.types[scan.types - 1] ?? NO_TYPE, start, end)
}

/** Like `baseOf`, but considers only the last type that begins before the name. */
function baseIn(
  scan: UseScan,
  { name, kind, owner, start: from, end: to, bodyStart }: UseSource["types"][number],
  start: number,
  end: number,
): string | null {
  const { text, language } = scan
  if (language === "go") return start < to && isEmbedded(scan, start, end) ? name : null
  if (start >= (bodyStart ?? to)) return null
  if (kind === null)
    return language === "rust" && owner !== null && isTraitOf(text, from, start) ? owner : null
  // In Python, `metaclass=Meta` is a keyword argument and no base.
  if (name === null || NO_HEIRS.has(kind) || (language === "python" && text[end] === "=")) return null
  return isBehind(name, text.slice(from, start), language) ? name : null
}

const ALONE_BEFORE = /(?:^|[\n;{])[ \t]*\*?(?:\w+\.)?$/
const ALONE_BEHIND = /^(?:\[[^\]\n]*\])?[ \t]*(?:`[^`\n]*`|"[^"\n]*")?[ \t]*(?:\/\/|\r?\n|;|\}|$)/

/** True for a name alone on its row in the body of a Go struct or interface (embedding): `*Store`, `io.Reader`. */
function isEmbedded({ text, open }: UseScan, start: number, end: number): boolean {
  if (open.at(-1)?.code !== BRACE) return false
  return (
    ALONE_BEHIND.test(text.slice(end, end + 80)) &&
    ALONE_BEFORE.test(text.slice(Math.max(0, start - 80), start))
  )
}

const BRACE = 123

const NO_HEIRS: ReadonlySet<string> = new Set(["module", "type"])

function isBehind(name: string, head: string, language: string): boolean {
  const named = head.lastIndexOf(name)
  return named >= 0 && isBaseHead(head.slice(named + name.length), language)
}

const MAX_INCLUDED_CHARS = 120

const QUALIFIED: Readonly<Record<string, RegExp>> = {
  ruby: /(?:^|[\n;])\s*(?:include|extend|prepend)\s+(?:\w+::)+$/,
  php: /\buse\s+\\?(?:\w+\\)+$/,
}

/** True for the name of a Ruby module that is included: Shared in `include Shared` and `include Admin::Shared`. */
function isIncluded({ text, language }: UseScan, start: number, wordBefore: string): boolean {
  if (INCLUDING[language]?.has(wordBefore)) return true
  const previous = text[start - 1]
  if (previous !== ":" && previous !== "\\") return false
  return QUALIFIED[language]?.test(text.slice(Math.max(0, start - MAX_INCLUDED_CHARS), start)) ?? false
}

const NO_TYPE = { name: null, kind: null, owner: null, start: 0, end: 0, bodyStart: 0 }

/** True for the trait in a Rust impl: Trait in `impl<T> Trait<U> for Type {`. */
function isTraitOf(text: string, from: number, start: number): boolean {
  const rest = text.slice(start, start + 300)
  return /^(?:unsafe\s+)?impl\b[^{]*$/.test(text.slice(from, start)) && /^\w+(?:<[^{]*?>)?\s+for\s/.test(rest)
}

function isBaseHead(head: string, language: string): boolean {
  if (language === "ruby") return /^\s*<\s*(?:\w+::)*$/.test(head)
  if (language === "python") return /^\s*(?:\[.*\])?\([^()=]*$/.test(head) && !/\[[^\]]*$/.test(head)
  const plain = head.replace(INNER, "").replace(INNER, "")
  if (/[<({[=]/.test(plain)) return false
  return /\b(?:extends|implements)\b/.test(plain) || /^[^:]*:[^:]/.test(`${plain} `)
}

/** Matches type arguments, and the parameters or arguments of a constructor. */
const INNER = /<[^<>]*>|\([^()]*\)/g

function innermostType(types: UseSource["types"], at: number): string | null {
  let found: string | null = null
  for (const { name, kind, start, end } of types) {
    if (start > at) break
    if (at < end && kind !== null) found = name
  }
  return found
}
