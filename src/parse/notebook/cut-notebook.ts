import { type ChunkSizes, chunkUnits, partChars, type RowRange } from "../chunk/chunk.ts"
import type { Cut } from "../chunk/cut.ts"
import { definitionUnits } from "../chunk/definition-units.ts"
import { type Definition, firstFrom, nestDefinitions } from "../definitions.ts"
import { NO_CODE, readCode } from "../file/islands.ts"
import { symbolsOf } from "../file/symbols.ts"
import { blocksOf, MAX_PAGE_CHARS } from "../markdown/markdown-blocks.ts"
import { sectionsOf } from "../markdown/markdown-sections.ts"
import { type TextLines, textLines } from "../text-lines.ts"
import { type Cell, LINE_MARK, type Notebook } from "./notebook-text.ts"

type NotebookOptions = ChunkSizes & { readonly timeoutMs: number }

/**
 * Maximum number of rows between two cells in one chunk. If the output between them is longer, one excerpt cannot show
 * both cells.
 */
const MAX_GAP_ROWS = 12

/**
 * Cuts a notebook into chunks. All code cells form one text, which is cut by the grammar of the language; all Markdown
 * cells form another, which is cut into sections. So a heading covers the code cells below it, and a definition is
 * found whichever cell contains it. Offsets and rows refer to the text of the notebook.
 */
export async function cutNotebook(
  notebook: Notebook,
  lines: TextLines,
  options: NotebookOptions,
): Promise<Cut> {
  const text = withoutMagic(only("code", notebook, lines))
  const code = await readCode(notebook.language ?? "python", text, options.timeoutMs)
  const captures = "reason" in code ? NO_CODE : code
  const sections = readSections(textLines(only("markdown", notebook, lines)))
  const definitions = nestDefinitions([...sections, ...captures.definitions])
  const comments = captures.comments
  const chunks = runsOf(notebook.cells).flatMap((cells) => {
    const units = cells.flatMap((cell, at) => {
      const endRow = (cells[at + 1]?.startRow ?? cell.endRow + 1) - 1
      return cellUnits({ startRow: cell.startRow, endRow }, definitions, comments, lines, options)
    })
    return chunkUnits(units, lines, options)
  })
  return {
    method: "notebook",
    chunks,
    symbols: symbolsOf(definitions, { lines, comments, docs: captures.docs }),
    captures: { ...captures, package: null },
    degraded: "reason" in code ? code.reason : null,
  }
}

function cellUnits(
  rows: RowRange,
  all: readonly Definition[],
  comments: Uint32Array,
  lines: TextLines,
  options: NotebookOptions,
) {
  const from = firstFrom(all, lines.starts[rows.startRow]!)
  const to = firstFrom(all, lines.starts[rows.endRow + 1]!)
  const definitions = nestDefinitions(all.slice(from, to))
  return definitionUnits({ lines, definitions, comments, runChars: partChars(options) }, rows)
}

/**
 * Groups of cells with few rows between them. The cells of a group may share a chunk. If two cells share a row, it
 * belongs to the first one.
 */
function runsOf(cells: readonly Cell[]): Cell[][] {
  const runs: Cell[][] = []
  for (const cell of cells) {
    const above = runs.at(-1)?.at(-1)
    const startRow = Math.max(cell.startRow, (above?.endRow ?? -1) + 1)
    if (startRow > cell.endRow) continue
    if (above && startRow - above.endRow <= MAX_GAP_ROWS) runs.at(-1)!.push({ ...cell, startRow })
    else runs.push([{ ...cell, startRow }])
  }
  return runs
}

function readSections(page: TextLines): Definition[] {
  return page.text.length > MAX_PAGE_CHARS ? [] : sectionsOf(blocksOf(page), page)
}

/**
 * The text of the cells of one kind. Everything else is replaced by blanks, and line marks by line feeds, so that
 * offsets stay the same.
 */
function only(kind: Cell["kind"], { cells }: Notebook, { text, starts, count }: TextLines): string {
  const kept = cells.filter((cell) => cell.kind === kind)
  let next = 0
  let result = ""
  for (let row = 0; row < count; row++) {
    while (next < kept.length && kept[next]!.endRow < row) next++
    const isKept = next < kept.length && kept[next]!.startRow <= row
    const line = text.slice(starts[row]!, starts[row + 1]!)
    result += isKept ? line.replaceAll(LINE_MARK, "\n") : line.replace(/[^\n]/g, " ")
  }
  return result
}

/** Replaces IPython's `%magic` and `!command` lines by blanks, because they are not Python. */
function withoutMagic(text: string): string {
  return text.replace(/^[ \t]*[%!?].*$/gm, (line) => " ".repeat(line.length))
}
