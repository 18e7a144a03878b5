import { html } from "htm/preact"
import { useEffect, useState } from "preact/hooks"
import type { CodeLine } from "../server/code-lines.ts"
import { fetchJson } from "./api.ts"
import { Code, EditorLink } from "./code.ts"
import { Failure, Notices, Path, plural, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"

type FileAnswer = {
  readonly total_lines: number
  readonly language: string
  readonly lines: readonly CodeLine[]
}
type Commit = Readonly<Record<"id" | "date" | "author" | "subject", string>>
type History = {
  readonly places: readonly { readonly commits: readonly Commit[] }[]
  readonly notices: readonly string[]
}

/** Number of lines that are shown at a time, the most that the server gives. */
const PAGE = 2000

/** A file with one line marked: `#/file?path=src/a.ts&line=10`, an address that can be shared and opened again. */
export function FilePage() {
  const path = route.value.query.get("path") ?? ""
  const line = Math.max(1, Math.floor(Number(route.value.query.get("line"))) || 1)
  const first = Math.floor((line - 1) / PAGE) * PAGE + 1
  const { data, error } = useLoaded(
    (abort) => fetchJson<FileAnswer>("file", { path, start_line: first, end_line: first + PAGE - 1 }, abort),
    [path, first],
  )
  useEffect(
    () => document.querySelector("main .marked")?.scrollIntoView({ block: "center" }),
    [data === null],
  )
  if (error !== null) return html`<main><${Failure} error=${error} /></main>`
  if (data === null) return html`<main><p class="state" role="status">Loading…</p></main>`
  const choose = ({ target }: MouseEvent) => {
    const number = (target as HTMLElement).closest(".line")?.querySelector(".number")?.textContent
    if (number) replaceRoute("file", { path, line: number })
  }
  const more = [first - PAGE, first + PAGE].filter((each) => each > 0 && each <= data.total_lines)
  return html`<main class="wide">
    <h1><${Path} path=${path} /></h1>
    <p class="state">${data.language} · ${plural(data.total_lines, "line")} <${EditorLink} path=${path} line=${line} />
      ${more.map((each) => html` <a href=${linkTo("file", { path, line: String(each) })}>from line ${each}</a>`)}</p>
    <${LineHistory} key=${`${path}:${line}`} path=${path} line=${line} />
    <div onClick=${choose}><${Code} lines=${data.lines} marks=${[{ start_line: line, end_line: line }]} /></div>
  </main>`
}

/** The commits that changed the line, newest first, once the user asks. */
function LineHistory({ path, line }: { path: string; line: number }) {
  const [isOpen, open] = useState(false)
  return html`<p><button class="quiet" aria-expanded=${isOpen} onClick=${() => open(!isOpen)}>History of line ${line}</button></p>
    ${isOpen && html`<${Commits} what=${`${path}:${line}`} />`}`
}

function Commits({ what }: { what: string }) {
  const { data, error } = useLoaded((abort) => fetchJson<History>("history", { what }, abort), [what])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Asking git…</p>`
  return html`<ol class="commits">${data.places
    .flatMap(({ commits }) => commits)
    .map(
      ({ id, date, author, subject }) =>
        html`<li><code>${id.slice(0, 10)}</code> ${date} ${author}: ${subject}</li>`,
    )}</ol><${Notices} notices=${data.notices} />`
}
