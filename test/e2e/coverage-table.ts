/** A row of docs/coverage.md. */
export type Row = {
  readonly tool: string
  /** Null if there is no such tool; the row says why. */
  readonly mcp: Call | null
  /** Arguments of the command, without "aman". */
  readonly command: readonly string[]
  /** Texts that the answer contains. */
  readonly holds: readonly string[]
  /** A later call, and texts that its answer contains. */
  readonly afterwards: { readonly call: Call; readonly holds: readonly string[] } | null
}

export type Call = { readonly name: string; readonly args: Record<string, unknown> }

/** The rows of all tables by the heading above them; throws for a row without expected text. */
export function readRows(markdown: string): ReadonlyMap<string, readonly Row[]> {
  const rows = new Map<string, Row[]>()
  let seed = ""
  let columns: readonly string[] = []
  for (const line of markdown.split("\n")) {
    if (line.startsWith("## ")) seed = line.slice(3)
    if (!line.startsWith("| ")) continue
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    if (cells[1] === "tool") columns = cells
    else rows.set(seed, [...(rows.get(seed) ?? []), readRow((name) => cells[columns.indexOf(name)] ?? "")])
  }
  return rows
}

function readRow(cell: (column: string) => string): Row {
  const tool = cell("tool")
  const [own, later] = cell("the answer contains").split("→")
  const [call, ...after] = codesOf(later ?? "")
  const row: Row = {
    tool,
    mcp: codesOf(cell("MCP")).map(readCall)[0] ?? null,
    command: splitWords(codesOf(cell("command"))[0] ?? ""),
    holds: codesOf(own!),
    afterwards: call === undefined ? null : { call: readCall(call), holds: after },
  }
  if (row.command[0] !== "aman") throw new Error(`${tool}: no command`)
  if (row.holds.length + (row.afterwards?.holds.length ?? 0) === 0)
    throw new Error(`${tool} has no expected text`)
  return { ...row, command: row.command.slice(1) }
}

function codesOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
}

function readCall(code: string): Call {
  const [, name, json] = /^(\w+) (\{.*\})$/.exec(code) ?? []
  if (name === undefined || json === undefined) throw new Error(`not a call: ${code}`)
  return { name, args: JSON.parse(json) as Record<string, unknown> }
}

/** Splits a command line like a shell, with double quotes only. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
}
