/*
 * The search page: query field with suggestions, filters, results with an explanation of their score, further places,
 * and the reason why a file is not found. The address holds the query and the filters.
 */

import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchAnswer } from "../../../src/base/answers.ts"
import type { CodeLine } from "../server/code-lines.ts"
import { facts, fetchJson, isOfTeam, live } from "./api.ts"
import type { LineRange } from "./code.ts"
import { Complete } from "./complete.ts"
import { Failure, isTyping, Notices, plural, useLoaded } from "./parts.ts"
import { lineOf, type PlaceFile, type Result, ResultItem } from "./result-item.ts"
import { linkTo, replaceRoute, route } from "./route.ts"
import { Suggestions } from "./suggestions.ts"

type PageAnswer = Omit<SearchAnswer, "results"> & {
  readonly results: readonly Result[]
  /** Number of lines that match and of their files; absent unless text was searched for. */
  readonly matches?: number
  readonly files?: number
}

/** The parameters of the address. `in`: where to search, see `PLACES`. */
const FIELDS = "q mode names content language folder kind in ignore_case whole_word".split(
  " ",
) as readonly Field[]
type Field =
  | ("q" | "mode" | "names" | "content" | "language")
  | ("folder" | "kind" | "in" | "ignore_case" | "whole_word")
type SearchFields = { readonly [name in Field]: string }

/** True for a search for lines that match, to which the filters by meaning do not apply. */
function isOfText({ mode }: SearchFields): boolean {
  return mode === "exact" || mode === "regex"
}

/** The question in the names of the API. */
function request(asked: SearchFields) {
  const { q, folder, in: where, names, content, kind, ...rest } = asked
  const filters = isOfText(asked) ? {} : { names, content, kind }
  return { query: q, path: folder, repository: placesIn(where), ...filters, ...rest }
}

/** The project, other repositories and the team at once. */
const EVERYWHERE = "everywhere"

/** Where one can search, in the names of the API, each with its label; only the project if there is nothing else. */
function places(): (readonly [value: string, label: string])[] {
  const { repositories = [], has_team: hasTeam = false } = facts.value ?? {}
  const others = repositories.map((name) => [name, name] as const)
  return [
    ["", "this project"],
    ...others,
    ...(others.length > 1 ? [["*", "all other repositories"] as const] : []),
    ...(hasTeam ? [["team:*", "the team"] as const] : []),
    ...(others.length > 0 || hasTeam ? [[EVERYWHERE, "everywhere"] as const] : []),
  ]
}

function placesIn(where: string): readonly string[] {
  if (where !== EVERYWHERE) return [where]
  const { repositories = [], has_team: hasTeam = false } = facts.value ?? {}
  return [".", ...(repositories.length > 0 ? ["*"] : []), ...(hasTeam ? ["team:*"] : [])]
}

/** Pause in typing, in ms, after which a search starts; longer on a team's node, which searches for many people. */
const PAUSE_MS = isOfTeam ? 300 : 120

/** Number of results that are added to those of the first answer. */
const MORE = 10

export function SearchPage() {
  const { query } = route.value
  const asked = Object.fromEntries(FIELDS.map((name) => [name, query.get(name) ?? ""])) as SearchFields
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
    [...Object.values(asked), limit, live.value?.version, asked.in && facts.value],
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
        list="query-values" aria-label=${isOfTeam ? "Search the team’s code" : "Search this project"} placeholder="Search by name, words or meaning"
        value=${asked.q} onInput=${(event: Event) => change({ q: (event.target as HTMLInputElement).value })} />
      <${Suggestions} id="query-values" query=${asked.q} languages=${languages} kinds=${KINDS} />
      <${Filters} asked=${asked} change=${change} languages=${languages} />
    </form>
    <p class="state" role="status">${searchStatus(asked, data, isLoading)}</p>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${data && html`<${Notices} notices=${data.notices} />`}
    ${data !== null && data.results.length > 0 && html`<${Facets} asked=${asked} change=${change} />`}
    ${
      data?.near_names &&
      html`<p class="notices near-names">Search with a name: ${data.near_names.map(
        (names) => html`<a href=${linkTo("search", { ...asked, names })}>${names}</a> `,
      )}</p>`
    }
    <ol class="results" aria-label="Results">
      ${data?.results.map(
        (
          each,
        ) => html`<${ResultItem} key=${`${each.repository} ${each.path}`} result=${each} load=${loadLines}
        link=${linkTo("file", { path: each.path, line: String(lineOf(each)), repository: each.repository })} />`,
      )}
    </ol>
    ${
      data !== null &&
      data.next_offset !== null &&
      data.results.length < 50 &&
      html`<button onClick=${() => setLimit(Math.min(50, data.results.length + MORE))}>More results</button>`
    }
    ${data !== null && asked.in === "" && !isOfText(asked) && !isOfTeam && html`<${WhyNot} key=${asked.q} asked=${asked} />`}
    ${asked.q === "" && html`<${Hints} />`}
  </main>`
}

function searchStatus({ q }: SearchFields, data: PageAnswer | null, isLoading: boolean): string {
  if (q === "") return ""
  if (data === null) return isLoading ? "Searching…" : ""
  const so = data.partial === null ? "" : `, ${Math.floor(data.partial.share * 100)} % indexed so far`
  const { results, files = results.length, matches } = data
  const lines = matches === undefined ? "" : `${plural(matches, "line")} in `
  const best = matches === undefined && data.next_offset !== null ? "the best " : ""
  return `${best}${lines}${plural(files, "file")} in ${data.took_ms.toFixed(0)} ms${so}`
}

const MODES = [
  ["", "Words and meaning"],
  ["exact", "Exact text"],
  ["regex", "Regular expression"],
] as const
const CONTENTS = [
  ["", "everything"],
  ["code", "code"],
  ["docs", "documentation"],
] as const
const KINDS = ["function", "method", "class", "interface", "type", "constant", "section"]

type FilterProps = {
  readonly asked: SearchFields
  readonly change: (part: Partial<SearchFields>) => void
  readonly languages: readonly string[]
}

type Option = readonly [value: string, label: string]

function Filters({ asked, change, languages }: FilterProps) {
  const select = (name: Field, label: string, options: readonly Option[]) => {
    const isListed = options.some(([value]) => value === asked[name])
    return html`<label>${label} <select value=${asked[name]} onChange=${(event: Event) => change({ [name]: (event.target as HTMLSelectElement).value })}>
        ${[...options, ...(isListed ? [] : [[asked[name], asked[name]]])].map(
          ([value, text]) => html`<option value=${value}>${text}</option>`,
        )}
      </select></label>`
  }
  const field = (name: Field, label: string, size: number, placeholder: string) =>
    html`<label>${label} <input value=${asked[name]} size=${size} placeholder=${placeholder} spellcheck=${false}
      onInput=${(event: Event) => change({ [name]: (event.target as HTMLInputElement).value })} /></label>`
  const check = (name: Field, label: string) =>
    html`<label class="choice"><input type="checkbox" checked=${asked[name] !== ""}
      onChange=${() => change({ [name]: asked[name] === "" ? "true" : "" })} />${label}</label>`
  const any = (values: readonly string[]): Option[] => [
    ["", "any"],
    ...values.map((each): Option => [each, each]),
  ]
  const where = places()
  return html`<div class="filters">
    <fieldset><legend class="hidden">Search by</legend>
      ${MODES.map(
        ([value, label]) => html`<label class="choice"><input type="radio" name="mode" value=${value}
          checked=${asked.mode === value} onChange=${() => change({ mode: value })} />${label}</label>`,
      )}
    </fieldset>
    ${isOfTeam ? inTeam(asked.in, change) : (where.length > 1 || asked.in !== "") && select("in", "In", where)}
    ${
      isOfText(asked)
        ? [check("ignore_case", "Ignore case"), check("whole_word", "Whole words")]
        : [select("content", "Content", CONTENTS), select("kind", "Kind", any(KINDS))]
    }
    ${(!isOfTeam || asked.language !== "") && select("language", "Language", any(languages))}
    ${field("folder", "Folder", 14, "any")}
    ${!isOfText(asked) && field("names", "Names it may use", 24, "e.g. bounce blocklist")}
  </div>`
}

/**
 * The name of a repository of the team, or a part of its name: a thousand of them are too many for a list. It is asked once it
 * is complete, because a node records each name that selects nothing.
 */
function inTeam(name: string, change: FilterProps["change"]) {
  const { repositories = [] } = facts.value ?? {}
  return html`<label>In <input list="repository-values" value=${name} size="28" placeholder="all repositories" spellcheck=${false}
      autocomplete="off" onChange=${(event: Event) => change({ in: (event.target as HTMLInputElement).value.trim() })} />
    <datalist id="repository-values">${repositories.map((each) => html`<option value=${each} />`)}</datalist></label>`
}

type Facet = "folder" | "language" | "kind" | "in"
type FacetsAnswer = {
  readonly [name in Facet]: readonly { readonly value: string; readonly count: number }[]
} & {
  readonly of: number
  readonly is_all: boolean
}

const FACETS: readonly (readonly [name: Facet, label: string])[] = [
  ["in", "Repository"],
  ["folder", "Folder"],
  ["language", "Language"],
  ["kind", "Kind"],
]

/** Pause, in ms, after which the results are counted: more of them than are shown have to be found. */
const COUNT_PAUSE_MS = 400

/** What the results have in common, with counts: a click narrows the search by the filter of that name, or widens it. */
function Facets({ asked, change }: Pick<FilterProps, "asked" | "change">) {
  const { data } = useLoaded(
    (abort) => fetchJson<FacetsAnswer>("facets", request(asked), abort),
    [...Object.values(asked), live.value?.version],
    COUNT_PAUSE_MS,
  )
  // The room is kept free from the start: later the counts would move the results, perhaps under a click.
  if (data === null) return html`<section class="facets"></section>`
  const rows = FACETS.map(([name, label]) => {
    const isSet = asked[name] !== "" && asked[name] !== EVERYWHERE
    const others = data[name].filter(({ value }) => value !== (asked[name] || "."))
    return { name, label, isSet, others: others.length > (isSet ? 0 : 1) || name === "in" ? others : [] }
  }).filter(({ isSet, others }) => isSet || others.length > 0)
  return html`<section class="facets" aria-label="Narrow the search">${rows.map(
    ({ name, label, isSet, others }) => html`<p class="chips"><span>${label}</span>
      ${isSet && html`<button aria-pressed="true" onClick=${() => change({ [name]: "" })}>${asked[name]} ×</button>`}
      ${others.map(
        ({
          value,
          count,
        }) => html`<button key=${value} onClick=${() => change({ [name]: value === "." ? "" : value })}>
          ${value === "." ? "this project" : value} <span class="facts">${count}</span></button>`,
      )}</p>`,
  )}${rows.length > 0 && html`<p class="facts">of ${data.is_all ? "all" : "the first"} ${plural(data.of, "file")}</p>`}</section>`
}

async function loadLines(
  { path, repository }: PlaceFile,
  { start_line, end_line }: LineRange,
  abort: AbortSignal,
) {
  const asked = { path, repository, start_line, end_line }
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
    <p><kbd>/</kbd> search <kbd>↑</kbd> <kbd>↓</kbd> results <kbd>Enter</kbd> all lines <kbd>e</kbd> why here${isOfTeam ? "" : html` <kbd>o</kbd> open in the editor`}</p>
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
  if (key === "/" && !isTyping(target)) {
    input?.focus()
    return true
  }
  if ((key !== "ArrowDown" && key !== "ArrowUp") || (isTyping(target) && target !== input)) return false
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
