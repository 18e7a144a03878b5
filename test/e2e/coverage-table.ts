/** A row of docs/coverage.md. */
export type Row = {
  readonly tool: string
  /** Null where there is none, and the row says why. */
  readonly mcp: Call | null
  /** Its words, without "aman". */
  readonly command: readonly string[]
  /** What the answer itself holds. */
  readonly holds: readonly string[]
  /** A call afterwards, and what its answer holds. */
  readonly afterwards: { readonly call: Call; readonly holds: readonly string[] } | null
}

export type Call = { readonly name: string; readonly args: Record<string, unknown> }

/** Rows of all tables of the text by the headings above them; throws for one that promises nothing. */
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
  const [own, later] = cell("the answer holds").split("→")
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
    throw new Error(`${tool} promises nothing`)
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

/** As a shell would, with double quotes only. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
}
