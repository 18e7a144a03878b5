import { html } from "htm/preact"
import type { CodeLine } from "../server/code-lines.ts"
import { facts } from "./api.ts"

export type LineRange = { readonly start_line: number; readonly end_line: number }

type CodeProps = {
  readonly lines: readonly CodeLine[]
  readonly marks?: readonly LineRange[]
  readonly noted?: readonly LineRange[]
  /** What stands before the number of a line; absent: nothing. */
  readonly before?: (line: number) => unknown
}

/**
 * Lines of code with their numbers; lines in a range of `marks` have another background, those in a range of `noted` a
 * bar. The code is shown as text only, never as markup.
 */
export function Code({ lines, marks = [], noted = [], before }: CodeProps) {
  const isIn = (ranges: readonly LineRange[], line: number) =>
    ranges.some(({ start_line, end_line }) => start_line <= line && line <= end_line)
  const look = (line: number) =>
    `line${isIn(marks, line) ? " marked" : ""}${isIn(noted, line) ? " noted" : ""}`
  return html`<pre class="code" tabindex="0" aria-label="code"><code>${lines.map(
    (each) =>
      html`<span key=${each.line} class=${look(each.line)}
        >${before && html`<span class="before">${before(each.line)}</span>`}<span class="number" aria-hidden="true">${each.line}</span
        ><span class="text">${colouredLine(each)}${each.cut === undefined ? "" : html`<i> … ${each.cut.toLocaleString("en")} more characters</i>`}
</span></span>`,
  )}</code></pre>`
}

function colouredLine({ text, spans, marks = [] }: CodeLine) {
  const kinds = facts.value?.token_kinds ?? []
  const parts: unknown[] = []
  let at = 0
  for (let n = 0; n < spans.length; n += 3) {
    const [start, length, kind] = [spans[n]!, spans[n + 1]!, spans[n + 2]!]
    parts.push(
      markedText(text, at, start, marks),
      html`<span class=${`t-${kinds[kind] ?? "none"}`}>${markedText(text, start, start + length, marks)}</span>`,
    )
    at = start + length
  }
  parts.push(markedText(text, at, text.length, marks))
  return parts
}

/** The characters of a line from `start` to `end`; the parts of `marks` (start and length of each) in them are marked. */
function markedText(text: string, start: number, end: number, marks: readonly number[]) {
  const parts: unknown[] = []
  let at = start
  for (let n = 0; n < marks.length; n += 2) {
    const from = Math.max(at, marks[n]!)
    const to = Math.min(end, marks[n]! + marks[n + 1]!)
    if (from >= to) continue
    parts.push(text.slice(at, from), html`<mark>${text.slice(from, to)}</mark>`)
    at = to
  }
  parts.push(text.slice(at, end))
  return parts
}

/** A link that opens the line in the user's editor; renders nothing if no editor is configured. */
export function EditorLink({ path, line }: { path: string; line: number }) {
  const href = editorAddress(path, line)
  return href === null
    ? null
    : html`<a class="quiet" data-action="open" href=${href} title="Open in your editor">Open</a>`
}

function editorAddress(path: string, line: number): string | null {
  if (facts.value === null) return null
  const { editor, root } = facts.value
  const full = `${root.replaceAll("\\", "/").replace(/\/$/, "")}/${path}`
  const at = full.split("/").map(encodeURIComponent).join("/")
  switch (editor) {
    case "none":
      return null
    case "idea":
      return `idea://open?file=${encodeURIComponent(full)}&line=${line}`
    case "zed":
      return `zed://file${at}:${line}`
    case "vscode":
    case "cursor":
      return `${editor}://file${at.startsWith("/") ? at : `/${at}`}:${line}`
  }
}
