const IDENTIFIER = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:(?:::|->|\\|\.|#|:)[\p{L}_][\p{L}\p{M}\p{N}_]*)*/gu
/** A URL path of a route, its parameters in any framework's spelling: /users/[id], /users/:id, /users/{id}. */
const ROUTE = /(?<=^|[\s"'`])\/[\p{L}\p{N}_.~@$*:[\](){}/-]*[\p{L}\p{N}][\])}]*/gu
const QUALIFIER = /::|->|\\|\.|#|:/u
const LOOKS_TECHNICAL = /_|::|->|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-zA-Z][.\\][a-zA-Z]|\d[A-Z]/u

/** camelCase, PascalCase with two humps, snake_case, ACRONYMWord, or qualified (a::b, a.b, a->b, A\B). */
export function isIdentifierLike(word: string): boolean {
  return LOOKS_TECHNICAL.test(word.replace(/[.,;:?!)]+$/u, ""))
}

/** True where the whole query reads as the name of a symbol: one word, or two that are both names. */
export function looksLikeSymbol(query: string): boolean {
  const words = query.trim().split(/\s+/u)
  if (words.length === 1) return true
  return words.length === 2 && words.every((word) => isIdentifierLike(word) || /^[A-Z]/u.test(word))
}

export type Identifier = { readonly name: string; readonly owner: string | null; readonly last: string }

/** Names the query may refer to, each once, in order, with the last part and the qualifier of qualified ones. */
export function identifiersOf(query: string): Identifier[] {
  const trimmed = query.trim()
  const alone = !/\s/u.test(trimmed)
  const found = new Map<string, Identifier>()
  // The words of a route are not names by themselves.
  const text = trimmed.replace(ROUTE, (route) => {
    found.set(route, { name: route, owner: null, last: route })
    return " ".repeat(route.length)
  })
  for (const match of text.matchAll(IDENTIFIER)) {
    const name = match[0]
    const capital = /^[A-Z]/u.test(name) && match.index > 0 && name.length > 2
    if (!alone && !capital && !isIdentifierLike(name)) continue
    const parts = name.split(QUALIFIER)
    found.set(name, { name, owner: parts.at(-2) ?? null, last: parts.at(-1) ?? name })
  }
  return [...found.values()]
}
