import { MAX_QUERY_TERMS } from "../../text/terms/query-terms.ts"
import { parseOperators } from "./operators.ts"
import { parseQuery } from "./query.ts"
import { withNames } from "./with-names.ts"

type TypedRequest = {
  readonly query: string
  readonly names?: readonly string[] | undefined
  readonly isPlain?: boolean | undefined
  readonly isTyped?: boolean | undefined
  readonly like?: string | undefined
  readonly mode: "hybrid" | "keyword" | "semantic"
}

/**
 * Hashes of the terms of a query before its spelling is corrected. An index that contains none of them need not be
 * searched. Null if a file can match without any of these words: by an operator, by likeness, by vectors alone, or
 * because the query has more words than are searched for.
 */
export function typedWords({
  query,
  names,
  isPlain,
  isTyped,
  like,
  mode,
}: TypedRequest): readonly bigint[] | null {
  if (mode === "semantic" || like) return null
  if (!isPlain && parseOperators(query, { isTyped }).applied.length > 0) return null
  const { terms, scored } = parseQuery(withNames(query, names))
  if (scored === 0 || scored >= MAX_QUERY_TERMS) return null
  return [...new Set(terms.flatMap(({ variants }) => variants.map(({ hash }) => hash)))]
}
