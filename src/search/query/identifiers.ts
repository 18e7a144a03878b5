const IDENTIFIER = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:(?:::|->|\\|\.|#|:)[\p{L}_][\p{L}\p{M}\p{N}_]*)*/gu
/** A route of a URL, with parameters in the spelling of any framework: /users/[id], /users/:id, /users/{id}. */
const ROUTE = /(?<=^|[\s"'`])\/[\p{L}\p{N}_.~@$*:[\](){}/-]*[\p{L}\p{N}][\])}]*/gu
const QUALIFIER = /::|->|\\|\.|#|:/u
const LOOKS_TECHNICAL = /_|::|->|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-zA-Z][.\\][a-zA-Z]|\d[A-Z]/u

/** camelCase, PascalCase with two humps, snake_case, ACRONYMWord, or qualified (a::b, a.b, a->b, A\B). */
export function isIdentifierLike(word: string): boolean {
  return LOOKS_TECHNICAL.test(word.replace(/[.,;:?!)]+$/u, ""))
}

/** True if the whole query looks like the name of a symbol: one word, or two words that both look like names. */
export function looksLikeSymbol(query: string): boolean {
  const words = query.trim().split(/\s+/u)
  if (words.length === 1) return true
  return words.length === 2 && words.every((word) => isIdentifierLike(word) || /^[A-Z]/u.test(word))
}

export type Identifier = { readonly name: string; readonly owner: string | null; readonly last: string }

/**
 * Names that the query may refer to, in order, without duplicates. A qualified name comes with its last part and its
 * qualifier.
 */
export function identifiersOf(query: string): Identifier[] {
  const trimmed = query.trim()
  const isSingleWord = !/\s/u.test(trimmed)
  const found = new Map<string, Identifier>()
  // A route counts as one name; the words in it are no names.
  const text = trimmed.replace(ROUTE, (route) => {
    found.set(route, { name: route, owner: null, last: route })
    return " ".repeat(route.length)
  })
  for (const match of text.matchAll(IDENTIFIER)) {
    const name = match[0]
    const isCapitalized = /^[A-Z]/u.test(name) && match.index > 0 && name.length > 2
    if (!isSingleWord && !isCapitalized && !isIdentifierLike(name)) continue
    const parts = name.split(QUALIFIER)
    found.set(name, { name, owner: parts.at(-2) ?? null, last: parts.at(-1) ?? name })
  }
  return [...found.values()]
}
