/*
 * What an MCP host shows beside the answer of a tool: results of a search, places of a symbol, or conflicts between
 * entries; the text of any other answer.
 */

import { html } from "htm/preact"
import { render } from "preact"
import { useState } from "preact/hooks"
import type { SearchAnswer, SearchResult } from "../../../../src/base/answers.ts"
import { VIEW_DATA } from "../../../../src/doors/mcp/resources/views.ts"
import type { SymbolAnswer } from "../../../../src/symbols/answer/symbol-answer.ts"
import type { CodeLine } from "../../server/code-lines.ts"
import type { LineRange } from "../code.ts"
import { type ConflictPair, Row } from "../memory/entry-list.ts"
import { Notices, Path, plural } from "../parts.ts"
import { OtherPlace, type PlaceFile, type Result, ResultItem } from "../result-item.ts"
import { callsTools, callTool, connect, isCancelled, result, textOf } from "./host.ts"
import "../style.css"

type ViewAnswer = Pick<SearchAnswer, "query" | "class" | "notices"> & {
  readonly results: readonly (Result & Pick<SearchResult, "text" | "cut">)[]
}
type ConflictsAnswer = {
  readonly pairs: readonly ConflictPair[]
  readonly total: number
  readonly compared: number
  readonly notices?: readonly string[]
}
type ViewData = Partial<ViewAnswer & SymbolAnswer & ConflictsAnswer> & {
  readonly answers?: readonly ViewAnswer[]
}

function View() {
  const { value } = result
  if (value === null)
    return html`<p class="state" role="status">${isCancelled.value ? "The call was cancelled." : "Waiting for the answer…"}</p>`
  const data = (value.structuredContent ?? value._meta?.[VIEW_DATA] ?? {}) as ViewData
  const searches = data.answers ?? (data.results && [data as ViewAnswer])
  if (searches) return searches.map((answer) => html`<${Search} answer=${answer} />`)
  if (data.definitions) return html`<${Places} answer=${data} />`
  if (data.pairs) return html`<${Conflicts} answer=${data} />`
  return html`<pre class="entry-text">${textOf(value)}</pre>`
}

/** Number of lines of a result that are shown before it is opened: as many as in a terminal. */
const FEW_LINES = 6

function Search({ answer }: { answer: ViewAnswer }) {
  const { query, results, notices } = answer
  const isText = answer.class === "exact" || answer.class === "regex"
  return html`<section><h1>${query}</h1>
    <p class="state" role="status">${plural(results.length, "file")}</p><${Notices} notices=${notices} />
    <ol class="results" aria-label="Results">${results.map((each) => {
      const lines = isText ? matchedLines(each.text) : numberedLines(each)
      const passages = isText
        ? lines.filter(({ isMatch }) => isMatch).map(({ line }) => rangeOf(line))
        : (each.passages ?? [])
      const last = lines.at(-1)?.line ?? each.start_line
      const rest = { start_line: last + 1, end_line: each.end_line, symbol: null }
      const also = [...(!isText && each.cut && last < each.end_line ? [rest] : []), ...each.also]
      const shown = firstLines(lines, passages)
      const item = { ...each, lines, shown, passages, also: callsTools.value ? also : [] }
      return html`<${ResultItem} key=${pathOf(each)} result=${item} load=${load} />`
    })}</ol></section>`
}

/** A few lines of a result, from two lines above its first passage or from its first line. */
function firstLines(lines: readonly ViewLine[], passages: readonly LineRange[]): readonly ViewLine[] {
  const at = lines.findIndex(({ line }) => passages.some(({ start_line }) => start_line === line))
  const start = Math.max(0, Math.min(at - 2, lines.length - FEW_LINES))
  return lines.slice(start, start + FEW_LINES)
}

type ViewLine = CodeLine & { readonly isMatch?: boolean }

function numberedLines({ text, start_line }: { text: string; start_line: number }): ViewLine[] {
  const lines = text.replace(/\n$/, "").split("\n")
  return lines.map((line, nth) => ({ line: start_line + nth, text: line, spans: [] }))
}

/** Lines of a search for exact text: "12:text" matches, "13-text" is beside a match. */
function matchedLines(text: string): ViewLine[] {
  return text.split("\n").flatMap((row) => {
    const [, line, mark, rest] = /^(\d+)([:-])(.*)$/s.exec(row) ?? []
    return rest === undefined ? [] : [{ line: Number(line), text: rest, spans: [], isMatch: mark === ":" }]
  })
}

function rangeOf(line: number, around = 0): LineRange {
  return { start_line: Math.max(1, line - around), end_line: line + around }
}

function pathOf({ repository, path }: PlaceFile): string {
  return repository === undefined ? path : `${repository}/${path}`
}

const READ_TOKENS = 2000

/** Lines of a file, which the server reads; its answer has a number and a tab before each. */
async function load({ path, repository }: PlaceFile, { start_line, end_line }: LineRange) {
  const asked = { path, start_line, end_line, max_tokens: READ_TOKENS, ...(repository && { repository }) }
  return textOf(await callTool("read", asked))
    .split("\n")
    .flatMap((row): CodeLine[] => {
      const [, line, text] = /^(\d+)\t(.*)$/s.exec(row) ?? []
      return text === undefined ? [] : [{ line: Number(line), text, spans: [] }]
    })
}

/** Lines around a use that are shown when it is opened. */
const AROUND = 6

function Places({ answer }: { answer: SymbolAnswer }) {
  const { name, relation, definitions, related, references, outline, tests, files, unresolved, notices } =
    answer
  const uses = (list: SymbolAnswer["references"]) =>
    list.map((use) => ({
      file: use,
      range: rangeOf(use.line, AROUND),
      line: use.line,
      label: use.text,
      facts: use.within ?? "",
    }))
  const symbols = (list: SymbolAnswer["related"]) =>
    list.map((each) => {
      const steps = each.depth > 1 ? [plural(each.depth, "step")] : []
      const facts = [each.kind, each.certainty, ...steps].join(" · ")
      return { file: each, range: each, line: each.start_line, label: each.name, facts }
    })
  const signatures = (list: readonly (PlaceFile & LineRange & { signature: string; kind: string })[]) =>
    list.map((each) => ({
      file: each,
      range: each,
      line: each.start_line,
      label: each.signature,
      facts: each.kind,
    }))
  const paths = (list: readonly string[]) =>
    list.map((path) => ({ file: { path }, range: null, line: null, label: "", facts: "" }))
  return html`<h1>${name ?? relation}</h1>
    <p class="state" role="status">${relation}: ${plural(answer.total, "place")}</p><${Notices} notices=${notices} />
    <${PlaceList} title="Defined" places=${signatures(definitions)} />
    <${PlaceList} title=${TITLES[relation] ?? relation} places=${symbols(related)} />
    <${PlaceList} title="Uses" places=${uses(references)} />
    <${PlaceList} title="Outline" places=${signatures(outline)} />
    <${PlaceList} title="Tests that reach it" places=${paths(tests)} />
    <${PlaceList} title="Other files" places=${paths(files)} />
    <${PlaceList} title="May mean something else" places=${uses(unresolved.places)} />`
}

const TITLES: Readonly<Record<string, string>> = {
  impact: "May break",
  tests: "Tests that reach it",
  callers: "Callers",
  callees: "Callees",
  implementations: "Implementations",
  unused: "Unused",
  central: "Central",
}

/** `range`: lines to show when the place is opened; null for a whole file, which cannot be opened. */
type Place = { file: PlaceFile; range: LineRange | null; line: number | null; label: string; facts: string }

function PlaceList({ title, places }: { title: string; places: readonly Place[] }) {
  if (places.length === 0) return null
  return html`<section><h2>${title}: ${places.length}</h2><ul class="paths">${places.map(
    (place) =>
      html`<${PlaceItem} key=${`${pathOf(place.file)}:${place.line}:${place.label}`} place=${place} />`,
  )}</ul></section>`
}

function PlaceItem({ place: { file, range, line, label, facts } }: { place: Place }) {
  const [isOpen, open] = useState(false)
  const at = html`<${Path} path=${pathOf(file)} />${line !== null && html`<span class="at">:${line}</span>`}`
  const canOpen = range !== null && callsTools.value
  return html`<li>${canOpen ? html`<button class="quiet" aria-expanded=${isOpen} onClick=${() => open(!isOpen)}>${at}</button>` : at}
    ${" "}${label} <span class="facts">${facts}</span>
    ${isOpen && html`<${OtherPlace} file=${file} range=${range} load=${load} />`}</li>`
}

function Conflicts({ answer: { pairs, total, compared, notices = [] } }: { answer: ConflictsAnswer }) {
  const [chosen, choose] = useState("")
  return html`<h1>Seem to conflict</h1>
    <p class="state" role="status">${plural(total, "pair")} among ${plural(compared, "entry", "entries")}, judged by their words</p>
    <ul class="review conflicts">${pairs.map(
      (pair) =>
        html`<li key=${`${pair.older.id} ${pair.newer.id}`}>${[pair.newer, pair.older].map((entry) => {
          const isChosen = chosen === entry.id
          return html`<${Row} entry=${entry} isChosen=${isChosen} choose=${() => choose(isChosen ? "" : entry.id)} />
          ${isChosen && html`<p class="entry-text">${entry.text}</p>`}`
        })}</li>`,
    )}</ul><${Notices} notices=${notices} />`
}

render(html`<main><${View} /></main>`, document.body)
void connect()
