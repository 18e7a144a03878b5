/** The answer of an action, as data for programs and as text. */
export type KnowledgeAnswer = {
  readonly data: object
  readonly text: string
  readonly found: boolean
  /** True if a recovery lost something, or cannot say whether it did. */
  readonly hasLosses?: boolean
}

/** `force`: accept text that looks like a credential. */
export type ForceOption = { readonly force?: boolean | undefined }

export type PageOptions = { readonly limit?: number | undefined; readonly offset?: number | undefined }

type RowOptions = {
  /** Text of an answer without rows. */
  readonly empty?: string
  /** Further fields of the data. */
  readonly more?: object
  /** Lines after the rows. */
  readonly last?: readonly string[]
  /** Text between two rows. */
  readonly between?: string
}

/** An answer of rows: under `name` in the data, and as text by `line`. */
export function rowsAnswer<Row>(
  name: string,
  rows: readonly Row[],
  line: (row: Row) => string,
  { empty = "", more = { total: rows.length }, last = [], between = "\n" }: RowOptions = {},
): KnowledgeAnswer {
  const found = rows.length > 0
  const text = [...(found ? rows.map(line) : empty === "" ? [] : [empty]), ...last].join(between)
  return { data: { [name]: rows, ...more }, text, found }
}

/** The fields of a page of `total` rows, and the line that names the next page. */
export function paging(total: number, { limit, offset = 0 }: PageOptions & { readonly limit: number }) {
  const next = offset + limit < total ? offset + limit : null
  return {
    fields: { total, limit, offset, next_offset: next },
    rest: next === null ? [] : [`${total - next} more: offset ${next}`],
  }
}
