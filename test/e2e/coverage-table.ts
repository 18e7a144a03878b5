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

/** Rows of all tables of the text, in their order; throws for one that promises nothing. */
export function readRows(markdown: string): Row[] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| tool "))
  return lines.map(readRow)
}

function readRow(line: string): Row {
  const [, tool, mcp, command, promise] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  const [own, later] = promise!.split("→")
  const [call, ...after] = codesOf(later ?? "")
  const row: Row = {
    tool: tool!,
    mcp: codesOf(mcp!).map(readCall)[0] ?? null,
    command: splitWords(codesOf(command!)[0] ?? ""),
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
