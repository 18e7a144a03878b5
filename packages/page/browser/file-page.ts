import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { LogAnswer } from "../../../src/symbols/index.ts"
import type { BlameAnswer } from "../server/blamed-lines.ts"
import type { CodeLine } from "../server/code-lines.ts"
import { facts, fetchJson, live } from "./api.ts"
import { Code, EditorLink, type LineRange } from "./code.ts"
import type { MemoryEntry } from "./memory/entry-dialog.ts"
import { Freshness } from "./memory/entry-list.ts"
import { NameUses } from "./name-uses.ts"
import { Failure, Notices, Path, plural, useKey, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"

type FileAnswer = {
  readonly total_lines: number
  /** The commit that is shown of another repository. */
  readonly commit?: string | null
  readonly language: string
  readonly lines: readonly CodeLine[]
}
type NotesAnswer = { readonly notes: readonly MemoryEntry[]; readonly has_more: boolean }

/** Number of lines that are shown at a time, the most that the server gives. */
const PAGE = 2000

/**
 * A file with one line marked: `#/file?path=src/a.ts&line=10`, an address that can be shared and opened again. With
 * `&name=`, what a name on that line means, and its uses; with `&repository=`, a file of another repository.
 */
export function FilePage() {
  const { query } = route.value
  const [path = "", name = "", repository = ""] = ["path", "name", "repository"].map(
    (each) => query.get(each) ?? "",
  )
  const line = Math.max(1, Math.floor(Number(query.get("line"))) || 1)
  const at = { path, repository, line: String(line), blame: query.get("blame") ?? "" }
  const first = Math.floor((line - 1) / PAGE) * PAGE + 1
  const { data, error } = useLoaded(
    (abort) => {
      const asked = { path, repository, start_line: first, end_line: first + PAGE - 1 }
      return fetchJson<FileAnswer>("file", asked, abort)
    },
    [path, repository, first],
  )
  const notes = useLoaded(
    async (abort) =>
      repository === "" ? fetchJson<NotesAnswer>("notes", { path }, abort) : { notes: [], has_more: false },
    [path, repository, live.value?.memory],
  )
  const isBlamed = query.has("blame")
  const blamed = useLoaded(
    async (abort) =>
      isBlamed
        ? fetchJson<BlameAnswer>("blame", { path, start_line: first, end_line: first + PAGE - 1 }, abort)
        : null,
    [path, first, isBlamed, live.value?.version],
  )
  const showBlame = () => replaceRoute("file", { ...at, name, blame: isBlamed ? "" : "1" })
  useKey("b", showBlame)
  // The file is drawn once its notes are known: later they would move the lines, perhaps under a click.
  const isReady = data !== null && (notes.data ?? notes.error) !== null
  /** True after a click in a line, which then is not moved unless what is shown about it would cover it. */
  const isClicked = useRef(false)
  useEffect(() => {
    const block = isClicked.current ? "nearest" : "center"
    document.querySelector("main .marked")?.scrollIntoView({ block })
    isClicked.current = false
  }, [isReady, data, line, name])
  if (error !== null) return html`<main><${Failure} error=${error} /></main>`
  if (!isReady) return html`<main><p class="state" role="status">Loading…</p></main>`
  const choose = ({ target }: MouseEvent) => {
    const row = (target as HTMLElement).closest(".line")
    const chosen = data.lines.find((each) => String(each.line) === row?.querySelector(".number")?.textContent)
    const isLink = (target as HTMLElement).closest("a") !== null
    if (chosen === undefined || isLink || getSelection()?.isCollapsed === false) return
    isClicked.current = true
    replaceRoute("file", {
      ...at,
      line: String(chosen.line),
      name: nameClicked(chosen, target as HTMLElement),
    })
  }
  const { notes: found, has_more: hasMore } = notes.data ?? { notes: [], has_more: false }
  const more = [first - PAGE, first + PAGE].filter((each) => each > 0 && each <= data.total_lines)
  const names = new Set(
    data.lines
      .filter((each) => each.line === line)
      .flatMap(namesIn)
      .map((each) => each.name),
  )
  return html`<main class="wide">
    <h1>${repository !== "" && html`<span class="folder">${repository} </span>`}<${Path} path=${path} /></h1>
    <p class="state">${about(data)} ${repository === "" && html`<${EditorLink} path=${path} line=${line} />`}
      ${more.map((each) => html` <a href=${linkTo("file", { ...at, line: String(each) })}>from line ${each}</a>`)}
      ${repository === "" && html`<button class="quiet" aria-pressed=${isBlamed} onClick=${showBlame}>Who changed each line <kbd>b</kbd></button>`}</p>
    ${blamed.error !== null && html`<${Failure} error=${blamed.error} />`}
    <${Notices} notices=${blamed.data?.notices ?? []} />
    ${notes.error !== null && html`<${Failure} error=${notes.error} />`}
    ${found.length > 0 && html`<${NoteList} path=${path} notes=${found} hasMore=${hasMore} />`}
    <div class="file" onClick=${choose}><${Code} lines=${data.lines} marks=${[{ start_line: line, end_line: line }]}
      noted=${found.flatMap((note) => linesOf(path, note) ?? [])} before=${blamed.data && blameOf(blamed.data, at)} /></div>
    <${AboutLine} at=${at} name=${name} names=${names} />
  </main>`
}

function about({ language, total_lines: lines, commit }: FileAnswer): string {
  return `${language} · ${plural(lines, "line")}${commit ? ` · at ${commit.slice(0, 10)}` : ""}`
}

/** The part of the address that names a line. */
type At = Readonly<Record<"path" | "repository" | "line" | "blame", string>>

/** The names on the line, what one of them means, and the history of the line. */
function AboutLine({ at, name, names }: { at: At; name: string; names: ReadonlySet<string> }) {
  const { path, repository, line } = at
  const isShown = route.value.query.has("history")
  return html`<section class="about-line" aria-label=${`Line ${line}`}>
      <p class="chips">Line ${line} ${[...names].map(
        (each) =>
          html`<a class="button" href=${linkTo("file", { ...at, name: each })} aria-current=${each === name ? "true" : undefined}>${each}</a>`,
      )}</p>
      ${name !== "" && html`<${NameUses} key=${`${path}:${line}:${name}`} path=${path} repository=${repository} line=${Number(line)} name=${name} />`}
      ${repository === "" && html`<${LineHistory} key=${`${path}:${line}${isShown}`} what=${`${path}:${line}`} line=${line} isShown=${isShown} />`}
    </section>`
}

/** The lines of a file that a note is about; null if it is about the whole file, or its lines are gone or elsewhere. */
function linesOf(path: string, { source, freshness }: MemoryEntry): LineRange | null {
  if (!source?.startsWith(`${path}:`) || freshness === "gone") return null
  const [, first, last = first] = /:(\d+)(?:-(\d+))?$/.exec(source) ?? []
  if (first === undefined) return null
  return { start_line: Number(first), end_line: Number(last) }
}

/** What is remembered about a file: links to its lines, and to the entries on the page of the memory. */
function NoteList({
  path,
  notes,
  hasMore,
}: {
  path: string
  notes: readonly MemoryEntry[]
  hasMore: boolean
}) {
  return html`<section><h2>${plural(notes.length, "note")}${hasMore && ", and older ones"}</h2><ul class="paths" tabindex="0" aria-label="Notes">${notes.map(
    (note) => {
      const { id, text, freshness } = note
      const lines = linesOf(path, note)
      const line = String(lines?.start_line)
      return html`<li key=${id}>${lines && html`<a href=${linkTo("file", { path, line })}>line ${line}</a> `}
      <a href=${linkTo("memory", { id })}>${text.split("\n", 1)[0]}</a>${" "}<${Freshness} freshness=${freshness} /></li>`
    },
  )}</ul></section>`
}

const PLAIN = new Set(["keyword", "string", "comment", "number"])

/** The names on a line with their starts: words outside of strings, comments and keywords. */
function namesIn({ text, spans }: CodeLine): { readonly start: number; readonly name: string }[] {
  const kinds = facts.value?.token_kinds ?? []
  const isPlain = (start: number) => {
    for (let n = 0; n < spans.length; n += 3)
      if (start >= spans[n]! && start < spans[n]! + spans[n + 1]!)
        return PLAIN.has(kinds[spans[n + 2]!] ?? "")
    return false
  }
  return [...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)]
    .map(({ index, 0: name }) => ({ start: index, name }))
    .filter(({ start }) => !isPlain(start))
}

/** The name of a line on which the user clicked; undefined beside names. A click places the caret there. */
function nameClicked(line: CodeLine, target: HTMLElement): string | undefined {
  const text = target.closest(".text")
  const { focusNode = null, focusOffset = 0 } = getSelection() ?? {}
  if (text === null || focusNode === null || !text.contains(focusNode)) return undefined
  const before = document.createRange()
  before.setStart(text, 0)
  before.setEnd(focusNode, focusOffset)
  const { length } = before.toString()
  return namesIn(line).find(({ start, name }) => start <= length && length <= start + name.length)?.name
}

/** What stands before the lines: for the first line of each group a link to its commit and the history of the line. */
function blameOf({ commits, lines }: BlameAnswer, at: At) {
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const firsts = new Map(lines.map(({ start_line, commit }) => [start_line, commit]))
  return (line: number) => {
    const id = firsts.get(line)
    if (id === undefined) return null
    const commit = byId.get(id ?? "")
    if (commit === undefined) return "not committed"
    const { date, author, subject } = commit
    const href = linkTo("file", { ...at, line: String(line), history: "1" })
    return html`<a href=${href} title=${`${author}: ${subject}`}>${date} ${author}</a>`
  }
}

/** The commits that changed the line, newest first, once the user asks. */
function LineHistory({ what, line, isShown }: { what: string; line: string; isShown: boolean }) {
  const [isOpen, open] = useState(isShown)
  return html`<p><button class="quiet" aria-expanded=${isOpen} onClick=${() => open(!isOpen)}>History of line ${line}</button></p>
    ${isOpen && html`<${Commits} what=${what} />`}`
}

function Commits({ what }: { what: string }) {
  const { data, error } = useLoaded((abort) => fetchJson<LogAnswer>("history", { what }, abort), [what])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Asking git…</p>`
  return html`<ol class="commits">${data.places
    .flatMap(({ commits }) => commits)
    .map(
      ({ id, date, author, subject }) =>
        html`<li><code>${id.slice(0, 10)}</code> ${date} ${author}: ${subject}</li>`,
    )}</ol><${Notices} notices=${data.notices} />`
}
