import { html } from "htm/preact"
import { useState } from "preact/hooks"
import type { ResultPlace, SearchResult } from "../../../src/base/answers.ts"
import type { CodeLine } from "../server/code-lines.ts"
import { Code, EditorLink, type LineRange } from "./code.ts"
import { Explanation } from "./explanation.ts"
import { Failure, Path, plural, useLoaded } from "./parts.ts"

/** A result of a search with the lines of its text in colours, and those of its file that are shown before it is opened. */
export type Result = Omit<SearchResult, "text" | "passages"> & {
  readonly lines: readonly CodeLine[]
  readonly shown: readonly CodeLine[]
  /** Lines with another background. */
  readonly passages?: readonly LineRange[]
  /** Number of lines that match; absent unless text was searched for. */
  readonly matches?: number
}

/** The line to name for a result, as in a terminal: that of its definition, otherwise the first one shown. */
export function lineOf({ line, shown, start_line }: Result): number {
  return line ?? shown[0]?.line ?? start_line
}

/** The file of a place; `repository` is absent for the project's own. */
export type PlaceFile = { readonly path: string; readonly repository?: string }
export type LoadLines = (
  file: PlaceFile,
  range: LineRange,
  abort: AbortSignal,
) => Promise<readonly CodeLine[]>

type ResultItemProps = {
  result: Result
  load: LoadLines
  /** The address of the file's own page; absent where there is none. */
  link?: string
}

/** One file of a search's answer: the lines that answer best, all once the user opens it, and further places. */
export function ResultItem({ result, load, link }: ResultItemProps) {
  const [isOpen, open] = useState(false)
  const [isExplained, explain] = useState(false)
  const [other, setOther] = useState<ResultPlace | null>(null)
  const { path, symbol, also, explanation, repository, matches } = result
  const line = lineOf(result)
  const shown = new Set(result.shown.map(({ line }) => line))
  const rest = result.lines.filter((each) => !shown.has(each.line)).length
  const keys = ({ key, target, currentTarget }: KeyboardEvent) => {
    if (target !== currentTarget) return
    if (key === "Enter") open(!isOpen)
    if (key === "e") explain(!isExplained)
    if (key === "o") (currentTarget as HTMLElement).querySelector<HTMLElement>("[data-action=open]")?.click()
  }
  return html`<li class="result" tabindex="0" onKeyDown=${keys} aria-label=${`${path} line ${line}`}>
    <header>
      <h2>${repository !== undefined && html`<span class="folder">${repository} </span>`}${link === undefined ? html`<${Path} path=${path} />` : html`<a href=${link}><${Path} path=${path} /></a>`}<span class="at">:${line}</span></h2>
      <span class="facts">${matches === undefined ? (symbol ?? result.kind) : plural(matches, "line")} · ${result.language}</span>
      <span class="actions">
        ${explanation && html`<button class="quiet" aria-expanded=${isExplained} onClick=${() => explain(!isExplained)}>Why here?</button>`}
        ${repository === undefined && html`<${EditorLink} path=${path} line=${line} />`}
      </span>
    </header>
    ${isExplained && explanation && html`<${Explanation} explained=${explanation} />`}
    <${Code} lines=${isOpen ? result.lines : result.shown} marks=${result.passages} />
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

type OtherPlaceProps = { file: PlaceFile; range: LineRange; load: LoadLines }

/** The lines of a place, which are loaded when it appears. */
export function OtherPlace({ file, range, load }: OtherPlaceProps) {
  const { data, error } = useLoaded((abort) => load(file, range, abort), [file.path, range.start_line])
  if (error !== null) return html`<${Failure} error=${error} />`
  return data && html`<${Code} lines=${data} />`
}
