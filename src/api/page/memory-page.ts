import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { act, get } from "./api.ts"
import { type Change, ChangeDialog, type Entry } from "./memory-dialog.ts"
import { counted, Failure, Notices, number, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"
import { sideBySide } from "./side-by-side.ts"
import { VirtualList } from "./virtual-list.ts"

type Checked = Entry & {
  readonly reason: string | null
  readonly source_then: string | null
  readonly source_now: { readonly text: string | null } | null
  readonly elsewhere: readonly string[]
}

type Filter = { readonly [name in "q" | "topic" | "state" | "view"]: string }

const STATES = [
  ["valid", "valid now"],
  ["all", "all"],
  ["deleted", "deleted"],
] as const

export function MemoryPage() {
  const { query } = route.value
  const of = (name: string) => query.get(name) ?? ""
  const filter: Filter = { q: of("q"), topic: of("topic"), state: of("state") || "valid", view: of("view") }
  const chosen = of("id")
  // Number of changes made by this page: after each change, everything shown is loaded again.
  const [changes, setChanges] = useState(0)
  const [change, setChange] = useState<Change | null>(null)
  const go = (part: Record<string, string>) => replaceRoute("memory", { ...filter, id: chosen, ...part })
  const done = () => {
    setChange(null)
    setChanges(changes + 1)
  }
  return html`<main class="wide">
    <h1>Memory</h1>
    <${Toolbar} filter=${filter} changes=${changes} go=${go} />
    <div class="columns">
      ${
        filter.view === "review"
          ? html`<${Review} chosen=${chosen} changes=${changes} go=${go} />`
          : html`<${Entries} key=${JSON.stringify([filter, changes])} filter=${filter} chosen=${chosen} go=${go} />`
      }
      ${chosen !== "" && html`<${Detail} key=${`${chosen} ${changes}`} id=${chosen} onChange=${setChange} onDone=${done} />`}
    </div>
    ${change !== null && html`<${ChangeDialog} change=${change} onClose=${() => setChange(null)} onDone=${done} />`}
  </main>`
}

type Go = (part: Record<string, string>) => void

function Toolbar({ filter, changes, go }: { filter: Filter; changes: number; go: Go }) {
  const { data } = useLoaded(
    () => act<{ topics: { topic: string; entries: number }[] }>({ action: "topics" }),
    [changes],
  )
  const value = (event: Event) => (event.target as HTMLInputElement).value
  const view = (name: string, label: string) =>
    html`<label class="choice"><input type="radio" name="view" checked=${filter.view === name} onChange=${() => go({ view: name, id: "" })} />${label}</label>`
  return html`<form role="search" onSubmit=${(event: Event) => event.preventDefault()}>
    <input class="query" type="search" aria-label="Search the memory" placeholder="Search what was remembered" spellcheck=${false}
      value=${filter.q} onInput=${(event: Event) => go({ q: value(event), view: "", id: "" })} />
    <div class="filters">
      <fieldset><legend class="hidden">Show</legend>${view("", "Entries")}${view("review", "To review")}</fieldset>
      <label>Topic <select value=${filter.topic} onChange=${(event: Event) => go({ topic: value(event), view: "", id: "" })}>
        <option value="">any</option>
        ${data?.topics.map(({ topic, entries }) => html`<option value=${topic}>${topic} (${entries})</option>`)}</select></label>
      <label>State <select value=${filter.state} onChange=${(event: Event) => go({ state: value(event), view: "", id: "" })}>
        ${STATES.map(([name, label]) => html`<option value=${name}>${label}</option>`)}</select></label>
    </div></form>`
}

const PAGE = 100
const PAUSE_MS = 150

/** Entries newest first, or those that answer the query, best first; more are loaded as the user scrolls. */
function Entries({ filter, chosen, go }: { filter: Filter; chosen: string; go: Go }) {
  const [rows, setRows] = useState<ReadonlyMap<number, Entry>>(new Map())
  const [total, setTotal] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const asked = useRef(new Set<number>())
  const load = (page: number) => {
    if (asked.current.has(page)) return
    asked.current.add(page)
    pageOf(filter, page).then(({ entries, total: all }) => {
      setTotal(all)
      setRows((old) => new Map([...old, ...entries.map((entry, nth) => [page * PAGE + nth, entry] as const)]))
    }, setError)
  }
  useEffect(() => {
    const timer = setTimeout(() => load(0), filter.q === "" ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (error !== null) return html`<${Failure} error=${error} />`
  return html`<section>
    <p class="state" role="status">${total === null ? "Loading…" : total === 0 ? "Nothing remembered here" : counted(total, "entry", "entries")}</p>
    <${VirtualList} label="Entries" total=${total ?? 0} row=${(nth: number) => rows.get(nth)}
      onVisible=${(first: number, last: number) => {
        if (total === null || filter.q !== "") return
        for (
          let page = Math.floor(first / PAGE);
          page <= Math.floor(Math.max(first, last - 1) / PAGE);
          page++
        )
          load(page)
      }}
      render=${(entry: Entry) => html`<${Row} entry=${entry} isChosen=${entry.id === chosen} go=${go} />`} />
  </section>`
}

type Page = { readonly entries: readonly Entry[]; readonly total: number }

async function pageOf({ q, topic, state }: Filter, page: number): Promise<Page> {
  if (q !== "") {
    const { results } = await get<{ results: Entry[] }>("recall", { q })
    const entries = topic === "" ? results : results.filter((each) => each.topic === topic)
    return { entries, total: entries.length }
  }
  return act<Page>({
    action: "list",
    limit: PAGE,
    offset: page * PAGE,
    ...(topic === "" ? {} : { topic }),
    ...(state === "deleted" ? { deleted: true } : {}),
    ...(state === "valid" ? { valid: true } : {}),
  })
}

function Row({ entry, isChosen, go }: { entry: Entry; isChosen: boolean; go: Go }) {
  const { id, topic, text, freshness, recorded_at } = entry
  return html`<button class="entry" aria-current=${isChosen ? "true" : undefined} onClick=${() => go({ id })}>
    <span class="headline">${text.split("\n", 1)[0]}</span>
    <span class="facts">${topic} · ${recorded_at.slice(0, 10)} <${Freshness} freshness=${freshness} /></span></button>`
}

const STALE = new Set(["changed", "gone", "unknown"])

function Freshness({ freshness }: { freshness: string }) {
  if (freshness === "none" || freshness === "unchecked") return null
  return html`<span class=${STALE.has(freshness) ? "stale" : "fresh"}>code ${freshness}</span>`
}

/** Entries whose code has changed or is deleted, and pairs of entries that may say the same. */
function Review({ chosen, changes, go }: { chosen: string; changes: number; go: Go }) {
  const { data, error } = useLoaded(
    () => act<{ entries: Checked[]; checked: number; notices: string[] }>({ action: "stale" }),
    [changes],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Checking the code that entries are about…</p>`
  return html`<section>
    <p class="state" role="status">${counted(data.entries.length, "entry", "entries")} to review, of ${number(data.checked)} about code</p>
    <ul class="review">${data.entries.map((entry) => html`<li key=${entry.id}><${Row} entry=${entry} isChosen=${entry.id === chosen} go=${go} /></li>`)}</ul>
    <${Notices} notices=${data.notices} /></section>`
}

type Form = {
  readonly at: string
  readonly change: string
  readonly reason: string | null
  readonly entry: Entry | null
}

function Detail({
  id,
  onChange,
  onDone,
}: {
  id: string
  onChange: (change: Change) => void
  onDone: () => void
}) {
  const { data, error } = useLoaded(async () => {
    const [{ entries }, { forms }] = await Promise.all([
      act<{ entries: Entry[] }>({ action: "get", ids: [id] }),
      act<{ forms: Form[] }>({ action: "history", id }),
    ])
    const entry = entries[0]!
    // The list of stale entries returns the code as it was and as it is without recording anything; other requests do
    // not.
    const stale = STALE.has(entry.freshness)
      ? (await act<{ entries: Checked[] }>({ action: "stale", topic: entry.topic })).entries
      : []
    return { entry, forms, checked: stale.find((each) => each.id === id) ?? null }
  }, [id])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return null
  const { entry, forms, checked } = data
  const accept = () => act({ action: "refresh", ids: [id], accept: true }).then(onDone)
  const offer = (action: Change["action"], label: string) =>
    html`<button onClick=${() => onChange({ action, entry })}>${label}</button>`
  return html`<article class="detail" aria-label="Entry">
    <p class="entry-text">${entry.text}</p>
    <${About} entry=${entry} />
    ${checked && html`<${Difference} checked=${checked} />`}
    <p class="chips">
      ${checked && checked.freshness === "changed" && html`<button class="primary" onClick=${accept}>It still holds</button>`}
      ${
        entry.deleted_at !== null || entry.superseded_by !== null || entry.valid_until !== null
          ? offer("restore", "Restore")
          : html`${offer("revise", "Revise")}${offer("invalidate", "No longer valid")}`
      }
      ${entry.deleted_at === null && html`${offer("merge-entries", "Merge")}${offer("relate", "Link")}${offer("delete", "Delete")}`}${offer("purge", "Purge")}
    </p>
    <h2>History</h2>
    <ol class="history">${forms.toReversed().map(
      (
        { at, change, reason, entry: form },
        nth,
      ) => html`<li><time>${new Date(at).toLocaleString()}</time> ${change}${reason === null ? "" : `: ${reason}`}
        ${nth > 0 && form !== null && html`<p>${form.text}</p>`}</li>`,
    )}</ol></article>`
}

function About({ entry }: { entry: Entry }) {
  const { id, topic, kind, key, tags, author, source, freshness, entities, scope, valid_from, valid_until } =
    entry
  const times = [valid_from && `from ${valid_from}`, valid_until && `until ${valid_until}`]
    .filter(Boolean)
    .join(" ")
  const facts = [
    ["Id", id],
    ["Topic", topic],
    ["Kind", `${kind}${scope === "global" ? ", all projects" : ""}`],
    ["Key", key],
    ["Tags", tags.join(", ")],
    ["Author", author],
    ["Entities", entities.join(", ")],
    ["Valid", times],
    ["Ended", entry.invalid_reason],
    ["Superseded by", entry.superseded_by],
  ].filter(([, value]) => value)
  return html`<dl class="fact-list">
    ${source && html`<div><dt>Code</dt><dd>${source} <${Freshness} freshness=${freshness} /></dd></div>`}
    ${facts.map(
      ([name, value]) =>
        html`<div><dt>${name}</dt><dd>${
          name === "Superseded by"
            ? html`<a href=${linkTo("memory", { id: value!, state: "all" })}>${value}</a>`
            : value
        }</dd></div>`,
    )}</dl>`
}

/** The code that an entry is about: as it was when the entry was written, and as it is now. */
function Difference({ checked }: { checked: Checked }) {
  const { source_then, source_now, reason, elsewhere } = checked
  const rows = sideBySide(source_then ?? "", source_now?.text ?? "")
  const cell = (text: string | null, other: string | null, mark: string) =>
    html`<td class=${text !== other && text !== null ? mark : ""}>${text ?? ""}</td>`
  return html`<section class="difference">
    <p>${reason}${elsewhere.length > 0 && ` Now defined in ${elsewhere.join(", ")}.`}</p>
    <div class="scroll" tabindex="0"><table><thead><tr><th scope="col">then</th><th scope="col">now</th></tr></thead>
      <tbody>${rows.map(({ left, right }) => html`<tr>${cell(left, right, "removed")}${cell(right, left, "added")}</tr>`)}</tbody></table></div>
  </section>`
}
