/** Maximum or minimum that a value must respect. */
export type Limit = { readonly max: number } | { readonly min: number }

/** A value with its limit, or with its own number of decimals. */
export type Measured = { readonly value: number; readonly limit: Limit | null; readonly digits?: number }

/** A cell of a table; null if its value was not measured. */
export type Cell = string | number | null | Measured

export type Column = {
  readonly name: string
  /** Decimals of its numbers; 2 by default. */
  readonly digits?: number
}

/** A table; the first column contains the names of the rows. */
export type Table = {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  readonly notes?: readonly string[]
}

const MARK = "✗"

/** The table as text: words aligned left, numbers right, and a cross at each value that misses its target. */
export function renderTable({ title, columns, rows, notes }: Table): string {
  const texts = rows.map((row) => columns.map((column, i) => cellText(row[i] ?? null, column.digits ?? 2)))
  const isWords = columns.map((_, i) => rows.every((row) => typeof (row[i] ?? "") === "string"))
  const widths = columns.map((column, i) =>
    Math.max(column.name.length, ...texts.map((row) => row[i]!.length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (isWords[i] ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join("  ")
      .trimEnd()
  return [
    title,
    ...[line(columns.map(({ name }) => name)), ...texts.map(line)].map((text) => `  ${text}`),
    ...(notes ?? []).map((note) => `  ${note}`),
  ].join("\n")
}

/** A cell for a value with its limit; `digits` if the decimals depend on the row and not on the column. */
export function judge(value: number | null, limit: Limit | null | undefined, digits?: number): Cell {
  if (value === null) return null
  return { value, limit: limit ?? null, ...(digits === undefined ? {} : { digits }) }
}

export function limitText(limit: Limit | null | undefined): string {
  if (!limit) return ""
  return "max" in limit ? `≤ ${limit.max}` : `≥ ${limit.min}`
}

/** A line "table: row, column: value (target)" for each value that misses its target. */
export function missedTargets({ title, columns, rows }: Table): string[] {
  return rows.flatMap((row) =>
    row.flatMap((cell, i) => {
      if (!isMissed(cell)) return []
      const value = cell.value.toFixed(cell.digits ?? columns[i]!.digits ?? 2)
      return [`${title}: ${row[0]}, ${columns[i]!.name}: ${value} (${limitText(cell.limit)})`]
    }),
  )
}

function cellText(cell: Cell, digits: number): string {
  if (cell === null) return "–"
  if (typeof cell === "string") return cell
  if (typeof cell === "number") return cell.toFixed(digits)
  const text = cell.value.toFixed(cell.digits ?? digits)
  return isMissed(cell) ? `${MARK} ${text}` : text
}

function isMissed(cell: Cell): cell is Measured {
  if (typeof cell !== "object" || cell === null || cell.limit === null) return false
  const { value, limit } = cell
  return "max" in limit ? value > limit.max : value < limit.min
}
