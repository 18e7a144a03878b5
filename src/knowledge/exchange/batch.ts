import { type BadLine, badLines } from "./bad-lines.ts"
import { type BatchFields, fieldOf, Unfit } from "./batch-fields.ts"
import { withoutContext } from "./injected.ts"
import { isObject } from "./json-value.ts"
import { type Line, linesOf } from "./lines.ts"

export type BatchEntry = BatchFields & { readonly line: number }

export type Batch = {
  readonly entries: readonly BatchEntry[]
  /** Empty but where bad lines are left out. */
  readonly bad: readonly BadLine[]
}

/**
 * Entries as JSON Lines, one object a line, of which only "text" is needed: {"text","topic","tags","kind","key",
 * "source","metadata","recorded_at","valid_from","valid_until","author","role","session","ordinal","entities",
 * "relations","supersedes"}. A line that is none refuses the whole, naming all of them.
 */
export async function readBatch(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  { skipBad = false }: { skipBad?: boolean } = {},
): Promise<Batch> {
  const entries: BatchEntry[] = []
  const bad: BadLine[] = []
  for await (const line of linesOf(chunks)) {
    try {
      entries.push(readLine(line))
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      bad.push({ line: line.number, message: error.message })
    }
  }
  if (bad.length > 0 && !skipBad) throw badLines(file, bad)
  return { entries, bad }
}

function readLine({ number, text }: Line): BatchEntry {
  const value = parsed(text)
  if (!isObject(value)) throw new Unfit("not a JSON object")
  const fields: Partial<BatchFields> = {}
  for (const [key, given] of Object.entries(value)) {
    const field = fieldOf(key)
    // As other programs write what they do not know.
    if (given !== null) Object.assign(fields, field.read(given, field.name))
  }
  const said = withoutContext(fields.text ?? "")
  if (fields.text === undefined || said.trim() === "") throw new Unfit('"text" is missing or empty')
  return { ...fields, text: said, line: number }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unfit(`not JSON: ${(error as Error).message.replace(/^JSON Parse error: /, "")}`)
  }
}
