import type { UseScan, UseSource } from "./use-scan.ts"

const INCLUDING: Readonly<Record<string, ReadonlySet<string>>> = {
  ruby: new Set(["include", "extend", "prepend"]),
  php: new Set(["use"]),
}

/** The type whose base is named here: between its name and its body, not among type arguments. */
export function baseOf(scan: UseScan, start: number, wordBefore: string): string | null {
  const { text, language, source } = scan
  if (INCLUDING[language]?.has(wordBefore)) return innermostType(source.types, start)
  while (scan.types < source.types.length && source.types[scan.types]!.start <= start) scan.types++
  const { name, kind, owner, start: from, end, bodyStart } = source.types[scan.types - 1] ?? NO_TYPE
  if (start >= (bodyStart ?? end)) return null
  if (kind === null)
    return language === "rust" && owner !== null && isTraitOf(text, from, start) ? owner : null
  if (name === null || kind === "module" || kind === "type") return null
  const head = text.slice(from, start)
  const named = head.lastIndexOf(name)
  return named >= 0 && isBaseHead(head.slice(named + name.length), language) ? name : null
}

const NO_TYPE = { name: null, kind: null, owner: null, start: 0, end: 0, bodyStart: 0 }

/** `impl<T> Trait<U> for Type {`: Trait. */
function isTraitOf(text: string, from: number, start: number): boolean {
  const rest = text.slice(start, start + 300)
  return /^(?:unsafe\s+)?impl\b[^{]*$/.test(text.slice(from, start)) && /^\w+(?:<[^{]*?>)?\s+for\s/.test(rest)
}

function isBaseHead(head: string, language: string): boolean {
  if (language === "ruby") return /^\s*<\s*(?:\w+::)*$/.test(head)
  if (language === "python") return /^\s*(?:\[.*\])?\([^()=]*$/.test(head) && !/\[[^\]]*$/.test(head)
  const plain = head.replace(/<[^<>]*>/g, "").replace(/<[^<>]*>/g, "")
  if (/[<({[=]/.test(plain.replace(/^\s*\([^()]*\)/, ""))) return false
  return /\b(?:extends|implements)\b/.test(plain) || /^[^:]*:[^:]/.test(`${plain} `)
}

function innermostType(types: UseSource["types"], at: number): string | null {
  let found: string | null = null
  for (const { name, kind, start, end } of types) {
    if (start > at) break
    if (at < end && kind !== null) found = name
  }
  return found
}
