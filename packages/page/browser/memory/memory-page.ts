/*
 * The memory page: filters, one of several views (list, review, entities, timeline) and the details of the chosen
 * entry with its history and its source then and now.
 */

import { html } from "htm/preact"
import { useState } from "preact/hooks"
import { live, runAction } from "../api.ts"
import { Failure, useLoaded } from "../parts.ts"
import { linkTo, replaceRoute, route } from "../route.ts"
import { sideBySide } from "../side-by-side.ts"
import { Review } from "./conflict-review.ts"
import { Entities } from "./entities.ts"
import { type Change, ChangeDialog, type MemoryEntry } from "./entry-dialog.ts"
import { Entries, type Filter, Freshness, type Navigate, Row, STALE } from "./entry-list.ts"
import { Timeline } from "./timeline.ts"

type CheckedEntry = MemoryEntry & {
  readonly reason: string | null
  readonly source_then: string | null
  readonly source_now: { readonly text: string | null } | null
  readonly elsewhere: readonly string[]
}

const STATES = [
  ["valid", "valid now"],
  ["all", "all"],
  ["deleted", "deleted"],
] as const

const VIEWS = [
  ["", "Entries"],
  ["timeline", "Timeline"],
  ["entities", "Entities"],
  ["review", "To review"],
] as const

export function MemoryPage() {
  const { query } = route.value
  const of = (name: string) => query.get(name) ?? ""
  const view = of("view")
  const filter: Filter = {
    ...{ q: of("q"), topic: of("topic"), kind: of("kind"), tag: of("tag"), author: of("author") },
    ...{ held: of("held"), known: of("known"), entity: of("entity"), view },
    state: of("state") || (view === "timeline" ? "all" : "valid"),
  }
  const chosen = of("id")
  const [changes, setChanges] = useState(0)
  // This text differs after each change of the memory by this page or another process, so that all data is loaded again.
  const version = `${changes} ${live.value?.memory}`
  const [change, setChange] = useState<Change | null>(null)
  const go = (part: Record<string, string>) => replaceRoute("memory", { ...filter, id: chosen, ...part })
  const done = () => {
    setChange(null)
    setChanges(changes + 1)
  }
  const key = JSON.stringify(filter)
  const shown = { filter, chosen, version, go }
  const row = (entry: MemoryEntry) =>
    html`<${Row} entry=${entry} isChosen=${entry.id === chosen} choose=${() => go({ id: entry.id })} />`
  const drawnView = () => {
    if (view === "review") return html`<${Review} ...${shown} onChange=${setChange} />`
    if (view === "entities") return html`<${Entities} ...${shown} />`
    if (view === "timeline") return html`<${Timeline} key=${key} ...${shown} />`
    return html`<${Entries} key=${key} filter=${filter} version=${version} render=${row} />`
  }
  return html`<main class="wide">
    <h1>Memory</h1>
    <${Toolbar} filter=${filter} version=${version} go=${go} />
    <div class="columns">
      ${drawnView()}
      ${chosen !== "" && html`<${Detail} key=${chosen} id=${chosen} version=${version} onChange=${setChange} onDone=${done} />`}
    </div>
    ${change !== null && html`<${ChangeDialog} key=${change} change=${change} onClose=${() => setChange(null)} onDone=${done} />`}
  </main>`
}

type CountByName = Readonly<Record<string, number>>
type Facets = {
  readonly topics: readonly { readonly topic: string; readonly entries: number }[]
  readonly tags: readonly { readonly tag: string; readonly entries: number }[]
  readonly stats: { readonly by_kind: CountByName; readonly by_author: CountByName }
}

/** The values that entries have, for the filters. */
async function facets(): Promise<Facets> {
  const [{ topics }, { tags }, { stats }] = await Promise.all([
    runAction<Pick<Facets, "topics">>({ action: "topics" }),
    runAction<Pick<Facets, "tags">>({ action: "tags" }),
    runAction<Pick<Facets, "stats">>({ action: "stats" }),
  ])
  return { topics, tags, stats }
}

function Toolbar({ filter, version, go }: { filter: Filter; version: string; go: Navigate }) {
  const { data } = useLoaded(facets, [version, filter.view])
  const value = (event: Event) => (event.target as HTMLInputElement).value
  const { view } = filter
  const hasFilters = view === "" || view === "timeline"
  const select = (
    name: "topic" | "kind" | "tag" | "author",
    label: string,
    values: readonly (readonly [string, number])[],
  ) =>
    values.length > 0 &&
    html`<label>${label} <select value=${filter[name]} onChange=${(event: Event) => go({ [name]: value(event), view, id: "" })}>
      <option value="">any</option>${values.map(([each, count]) => html`<option value=${each}>${each} (${count})</option>`)}</select></label>`
  const day = (name: "held" | "known", label: string) =>
    html`<label>${label} <input type="date" value=${filter[name]} onChange=${(event: Event) => go({ [name]: value(event), view, id: "" })} /></label>`
  return html`<form role="search" onSubmit=${(event: Event) => event.preventDefault()}>
    <input class="query" type="search" aria-label="Search the memory" placeholder="Search what was remembered" spellcheck=${false}
      value=${filter.q} onInput=${(event: Event) => go({ q: value(event), view: "", id: "" })} />
    <div class="filters">
      <fieldset><legend class="hidden">Show</legend>${VIEWS.map(
        ([name, label]) =>
          html`<label class="choice"><input type="radio" name="view" checked=${filter.view === name} onChange=${() => go({ view: name, state: "", id: "" })} />${label}</label>`,
      )}</fieldset>
      ${
        hasFilters &&
        html`
      ${select("topic", "Topic", data?.topics.map(({ topic, entries }) => [topic, entries] as const) ?? [])}
      ${select("kind", "Kind", Object.entries(data?.stats.by_kind ?? {}))}
      ${select("tag", "Tag", data?.tags.map(({ tag, entries }) => [tag, entries] as const) ?? [])}
      ${select("author", "Author", Object.entries(data?.stats.by_author ?? {}))}
      <label>State <select value=${filter.state} onChange=${(event: Event) => go({ state: value(event), view, id: "" })}>
        ${STATES.map(([name, label]) => html`<option value=${name}>${label}</option>`)}</select></label>`
      }
      ${filter.view === "timeline" && html`${day("held", "Held on")}${day("known", "As known on")}`}
    </div></form>`
}

type EntryHistoryForm = {
  readonly at: string
  readonly change: string
  readonly reason: string | null
  readonly entry: MemoryEntry | null
}

function Detail({
  id,
  version,
  onChange,
  onDone,
}: {
  id: string
  version: string
  onChange: (change: Change) => void
  onDone: () => void
}) {
  const { data, error } = useLoaded(async () => {
    const [{ entries }, { forms }] = await Promise.all([
      runAction<{ entries: MemoryEntry[] }>({ action: "get", ids: [id] }),
      runAction<{ forms: EntryHistoryForm[] }>({ action: "history", id }),
    ])
    const entry = entries[0]!
    // The list of stale entries returns the code as it was and as it is without recording anything; other requests do
    // not.
    const stale = STALE.has(entry.freshness)
      ? (await runAction<{ entries: CheckedEntry[] }>({ action: "stale", topic: entry.topic })).entries
      : []
    return { entry, forms, checked: stale.find((each) => each.id === id) ?? null }
  }, [id, version, live.value?.version])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return null
  const { entry, forms, checked } = data
  const accept = () => runAction({ action: "refresh", ids: [id], accept: true }).then(onDone)
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
          : html`${offer("fix", "Fix")}${offer("wrong", "Wrong")}${offer("revise", "Revise")}${offer("invalidate", "No longer valid")}`
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

function About({ entry }: { entry: MemoryEntry }) {
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
function Difference({ checked }: { checked: CheckedEntry }) {
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
