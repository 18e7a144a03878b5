import { appendBlock, cutBlock } from "./blocks.ts"
import { lineAt } from "./json-document.ts"
import { lineEndOf } from "./text-style.ts"
import { Unfit } from "./unfit.ts"

const START = "<!-- aman:start -->"
const END = "<!-- aman:end -->"

/** A section of our own between two marks, at the end of a Markdown file. */
export function fulfilSection(text: string, section: string): string {
  const end = lineEndOf(text)
  const block = `${START}\n${section.trim()}\n${END}`.replaceAll("\n", end)
  const there = sectionOf(text)
  if (there === null) return appendBlock(text, block, end)
  return text.slice(0, there.from) + block + text.slice(there.to)
}

export function withdrawSection(text: string): string {
  const there = sectionOf(text)
  return there === null ? text : cutBlock(text, there.from, there.to)
}

/** From the one mark to the other; null where neither is there. */
function sectionOf(text: string): { readonly from: number; readonly to: number } | null {
  const starts = marks(text, START)
  const ends = marks(text, END)
  const [from] = starts
  const [last] = ends
  if (from === undefined && last === undefined) return null
  if (starts.length !== 1 || ends.length !== 1 || last! < from!) {
    throw new Unfit(
      `the marks ${START} and ${END} are not there once each, in this order`,
      lineAt(text, from ?? last!),
    )
  }
  return { from: from!, to: last! + END.length }
}

/** Where a mark stands as a line of its own. */
function marks(text: string, mark: string): number[] {
  return [...text.matchAll(new RegExp(`^${mark}(?=[ \\t]*\\r?$)`, "gm"))].map(({ index }) => index)
}
