import { html } from "htm/preact"
import { useState } from "preact/hooks"
import type { ResultPlace, SearchResult } from "../../../src/base/answers.ts"
import type { CodeLine } from "../server/code-lines.ts"
import { Code, EditorLink } from "./code.ts"
import { Explanation } from "./explanation.ts"
import { Failure, Path, plural, useLoaded } from "./parts.ts"

/** A result of a search with the lines of its text in colours. */
export type Result = Omit<SearchResult, "text" | "passages"> & {
  readonly lines: readonly CodeLine[]
  readonly passages: readonly LineRange[]
}

/** Number of lines of a result that the page shows before the user opens it. */
const FEW_LINES = 12

/** The file of a place; `repository` is absent for the project's own. */
export type PlaceFile = { readonly path: string; readonly repository?: string }
export type LineRange = Pick<ResultPlace, "start_line" | "end_line">
export type LoadLines = (
  file: PlaceFile,
  range: LineRange,
  abort: AbortSignal,
) => Promise<readonly CodeLine[]>

type ResultItemProps = {
  result: Result
  load: LoadLines
  fewLines?: number
  /** The address of the file's own page; absent where there is none. */
  link?: string
}

/** One file of a search's answer: `fewLines` of its lines, all once the user opens it, and further places. */
export function ResultItem({ result, load, fewLines = FEW_LINES, link }: ResultItemProps) {
  const [isOpen, open] = useState(false)
  const [isExplained, explain] = useState(false)
  const [other, setOther] = useState<ResultPlace | null>(null)
  const { path, start_line, symbol, also, explanation } = result
  const lines = isOpen ? result.lines : window(result, fewLines)
  const rest = result.lines.length - lines.length
  const keys = ({ key, target, currentTarget }: KeyboardEvent) => {
    if (target !== currentTarget) return
    if (key === "Enter") open(!isOpen)
    if (key === "e") explain(!isExplained)
    if (key === "o") (currentTarget as HTMLElement).querySelector<HTMLElement>("[data-action=open]")?.click()
  }
  return html`<li class="result" tabindex="0" onKeyDown=${keys} aria-label=${`${path} line ${start_line}`}>
    <header>
      <h2>${link === undefined ? html`<${Path} path=${path} />` : html`<a href=${link}><${Path} path=${path} /></a>`}<span class="at">:${start_line}</span></h2>
      <span class="facts">${symbol ?? result.kind} · ${result.language}</span>
      <span class="actions">
        ${explanation && html`<button class="quiet" aria-expanded=${isExplained} onClick=${() => explain(!isExplained)}>Why here?</button>`}
        <${EditorLink} path=${path} line=${start_line} />
      </span>
    </header>
    ${isExplained && explanation && html`<${Explanation} explained=${explanation} />`}
    <${Code} lines=${lines} marks=${result.passages} />
    <footer>
      ${(rest > 0 || isOpen) && html`<button class="quiet" onClick=${() => open(!isOpen)}>${isOpen ? "Fewer lines" : plural(rest, "more line")}</button>`}
      ${also.length > 0 && html`<span>also</span>`}
      ${also.map(
        (
          each,
        ) => html`<button class="quiet" aria-expanded=${other === each} onClick=${() => setOther(other === each ? null : each)}>
          ${each.symbol ?? "lines"} <span class="at">:${each.start_line}</span></button>`,
      )}
    </footer>
    ${other && html`<${OtherPlace} key=${other.start_line} file=${result} range=${other} load=${load} />`}
  </li>`
}

/** At most `count` lines of the result, from two lines above its first matching passage, or from its first line. */
function window({ lines, passages, start_line }: Result, count: number): readonly CodeLine[] {
  const inside = passages.find(
    (each) => each.start_line >= start_line && each.start_line < start_line + lines.length,
  )
  const from = inside === undefined ? 0 : Math.max(0, inside.start_line - start_line - 2)
  const start = Math.max(0, Math.min(from, lines.length - count))
  return lines.slice(start, start + count)
}

type OtherPlaceProps = { file: PlaceFile; range: LineRange; load: LoadLines }

/** The lines of a place, which are loaded when it appears. */
export function OtherPlace({ file, range, load }: OtherPlaceProps) {
  const { data, error } = useLoaded((abort) => load(file, range, abort), [file.path, range.start_line])
  if (error !== null) return html`<${Failure} error=${error} />`
  return data && html`<${Code} lines=${data} />`
}
