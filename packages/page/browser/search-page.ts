/*
 * The search page: query field with suggestions, filters, results with an explanation of their score, further places,
 * and the reason why a file is not found. The address holds the query and the filters.
 */

import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchAnswer } from "../../../src/base/answers.ts"
import type { CodeLine } from "../server/code-lines.ts"
import { fetchJson, live } from "./api.ts"
import { Complete } from "./complete.ts"
import { Failure, Notices, plural, useLoaded } from "./parts.ts"
import { type LineRange, lineOf, type PlaceFile, type Result, ResultItem } from "./result-item.ts"
import { linkTo, replaceRoute, route } from "./route.ts"
import { Suggestions } from "./suggestions.ts"

type PageAnswer = Omit<SearchAnswer, "results"> & { readonly results: readonly Result[] }

type SearchFields = { readonly [name in "q" | "names" | "content" | "language" | "folder" | "kind"]: string }

/** The question in the names of the API. */
function request({ q, folder, ...rest }: SearchFields) {
  return { query: q, path: folder, ...rest }
}

/** Pause in typing, in ms, after which a search starts. */
const PAUSE_MS = 120

/** Number of results that are added to those of the first answer. */
const MORE = 10

export function SearchPage() {
  const { query } = route.value
  const asked: SearchFields = {
    q: query.get("q") ?? "",
    names: query.get("names") ?? "",
    content: query.get("content") ?? "all",
    language: query.get("language") ?? "",
    folder: query.get("folder") ?? "",
    kind: query.get("kind") ?? "",
  }
  /** Number of results to ask for; undefined: as many as in a terminal. */
  const [limit, setLimit] = useState<number>()
  const input = useRef<HTMLInputElement>(null)
  const change = (part: Partial<SearchFields>) => {
    setLimit(undefined)
    replaceRoute("search", { ...asked, ...part })
  }
  // The version of the index is one of the dependencies, so that changes of a saved file are shown at once.
  const { data, error, isLoading } = useLoaded<PageAnswer | null>(
    async (abort) =>
      asked.q.trim() === "" ? null : fetchJson<PageAnswer>("search", { ...request(asked), limit }, abort),
    [...Object.values(asked), limit, live.value?.version],
    PAUSE_MS,
  )
  // The languages are requested once the state of the index is known, and again when the index has changed.
  const version = live.value?.version ?? null
  const { data: known } = useLoaded(
    async (abort) =>
      version === null ? null : fetchJson<{ values: string[] }>("complete", { of: "language" }, abort),
    [version],
  )
  const languages = known?.values ?? []
  useKeys(input)
  return html`<main class="search">
    <h1 class="hidden">Search</h1>
    <form role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <input ref=${input} class="query" type="search" autofocus spellcheck=${false} autocomplete="off"
        list="query-values" aria-label="Search this project" placeholder="Search by name, words or meaning"
        value=${asked.q} onInput=${(event: Event) => change({ q: (event.target as HTMLInputElement).value })} />
      <${Suggestions} id="query-values" query=${asked.q} languages=${languages} kinds=${KINDS} />
      <${Filters} asked=${asked} change=${change} languages=${languages} />
    </form>
    <p class="state" role="status">${searchStatus(asked, data, isLoading)}</p>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${data && html`<${Notices} notices=${data.notices} />`}
    ${
      data?.near_names &&
      html`<p class="notices near-names">Search with a name: ${data.near_names.map(
        (names) => html`<a href=${linkTo("search", { ...asked, names })}>${names}</a> `,
      )}</p>`
    }
    <ol class="results" aria-label="Results">
      ${data?.results.map(
        (each) => html`<${ResultItem} key=${each.path} result=${each} load=${loadLines}
        link=${linkTo("file", { path: each.path, line: String(lineOf(each)) })} />`,
      )}
    </ol>
    ${
      data !== null &&
      data.next_offset !== null &&
      data.results.length < 50 &&
      html`<button onClick=${() => setLimit(Math.min(50, data.results.length + MORE))}>More results</button>`
    }
    ${data !== null && asked.q !== "" && html`<${WhyNot} key=${asked.q} asked=${asked} />`}
    ${asked.q === "" && html`<${Hints} />`}
  </main>`
}

function searchStatus({ q }: SearchFields, data: PageAnswer | null, isLoading: boolean): string {
  if (q === "") return ""
  if (data === null) return isLoading ? "Searching…" : ""
  const so = data.partial === null ? "" : `, ${Math.floor(data.partial.share * 100)} % indexed so far`
  return `${plural(data.results.length, "file")} in ${data.took_ms.toFixed(0)} ms${so}`
}

const CONTENTS = [
  ["all", "Everything"],
  ["code", "Code"],
  ["docs", "Documentation"],
] as const
const KINDS = ["function", "method", "class", "interface", "type", "constant", "section"]

type FilterProps = {
  readonly asked: SearchFields
  readonly change: (part: Partial<SearchFields>) => void
  readonly languages: readonly string[]
}

function Filters({ asked, change, languages }: FilterProps) {
  const select = (name: "language" | "kind", label: string, values: readonly string[]) =>
    html`<label>${label}
      <select value=${asked[name]} onChange=${(event: Event) => change({ [name]: (event.target as HTMLSelectElement).value })}>
        <option value="">any</option>
        ${[...new Set([...values, asked[name]])].filter(Boolean).map((each) => html`<option value=${each}>${each}</option>`)}
      </select></label>`
  return html`<div class="filters">
    <fieldset><legend class="hidden">Search in</legend>
      ${CONTENTS.map(
        ([value, label]) => html`<label class="choice"><input type="radio" name="content" value=${value}
          checked=${asked.content === value} onChange=${() => change({ content: value })} />${label}</label>`,
      )}
    </fieldset>
    ${select("language", "Language", languages)}
    ${select("kind", "Kind", KINDS)}
    <label>Names it may use <input value=${asked.names} size="24" placeholder="e.g. bounce blocklist" spellcheck=${false}
      onInput=${(event: Event) => change({ names: (event.target as HTMLInputElement).value })} /></label>
    <label>Folder <input value=${asked.folder} size="14" placeholder="any" spellcheck=${false}
      onInput=${(event: Event) => change({ folder: (event.target as HTMLInputElement).value })} /></label>
  </div>`
}

async function loadLines({ path }: PlaceFile, { start_line, end_line }: LineRange, abort: AbortSignal) {
  const asked = { path, start_line, end_line }
  return (await fetchJson<{ lines: CodeLine[] }>("file", asked, abort)).lines
}

type WhyNotAnswer = { readonly reason: string; readonly has: string[]; readonly lacks: string[] }

function WhyNot({ asked }: { asked: SearchFields }) {
  const [path, setPath] = useState("")
  const [wanted, ask] = useState("")
  const { data, error } = useLoaded(
    async (abort) =>
      wanted === ""
        ? null
        : fetchJson<WhyNotAnswer>("why-not", { ...request(asked), why_not: wanted }, abort),
    [wanted],
  )
  const submit = (event: Event) => {
    event.preventDefault()
    ask(path.trim())
  }
  return html`<form class="why-not" onSubmit=${submit}>
    <label>Why not this file? <${Complete} of="path" name="path" value=${path} placeholder="path/of/a/file" onInput=${setPath} /></label>
    <button>Explain</button>
    <p role="status">${error !== null && html`<${Failure} error=${error} />`}${data?.reason}</p>
  </form>`
}

const EXAMPLES = [
  ["parseConfig", "a name"],
  ["where are retries limited", "a question"],
  ["lang:go file:*_test.go refund", "with conditions"],
  ['"exact words" -without', "with exact words, and without others"],
] as const

function Hints() {
  return html`<div class="hints">
    <dl>${EXAMPLES.map(
      ([
        example,
        what,
      ]) => html`<div class="pair"><dt><button class="quiet" onClick=${() => replaceRoute("search", { q: example })}>${example}</button></dt>
        <dd>${what}</dd></div>`,
    )}</dl>
    <p><kbd>/</kbd> search <kbd>↑</kbd> <kbd>↓</kbd> results <kbd>Enter</kbd> all lines <kbd>e</kbd> why here <kbd>o</kbd> open in the editor</p>
  </div>`
}

/** Keyboard shortcuts of the page: "/" focuses the query, the arrow keys go from result to result. */
function useKeys(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (!handleKey(event.key, event.target, input.current)) return
      event.preventDefault()
    }
    addEventListener("keydown", act)
    return () => removeEventListener("keydown", act)
  }, [])
}

/** Handles a pressed key; true if the key has a meaning for the element that has the focus. */
function handleKey(key: string, target: EventTarget | null, input: HTMLInputElement | null): boolean {
  const isTyping = target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
  if (key === "/" && !isTyping) {
    input?.focus()
    return true
  }
  if ((key !== "ArrowDown" && key !== "ArrowUp") || (isTyping && target !== input)) return false
  moveFocus(key === "ArrowDown" ? 1 : -1, input)
  return true
}

function moveFocus(by: 1 | -1, input: HTMLInputElement | null): void {
  const all = [...document.querySelectorAll<HTMLElement>(".result")]
  const at = all.findIndex((each) => each.contains(document.activeElement))
  const next = at + by
  if (next < 0) input?.focus()
  else all[next]?.focus()
}
