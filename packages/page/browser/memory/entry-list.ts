import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { fetchJson, runAction } from "../api.ts"
import { Failure, Notices, plural } from "../parts.ts"
import { VirtualList } from "../virtual-list.ts"
import type { MemoryEntry } from "./entry-dialog.ts"

/** The filter in the address of the memory page; an empty field does not filter. */
export type Filter = {
  readonly [name in
    | "q"
    | "topic"
    | "kind"
    | "tag"
    | "author"
    | "state"
    | "view"
    | "held"
    | "known"
    | "entity"]: string
}
export type Navigate = (part: Record<string, string>) => void

const PAGE = 100
const PAUSE_MS = 150

type Props = {
  readonly filter: Filter
  /** Version of the memory; when it changes, the loaded entries are loaded again. */
  readonly version: string
  /** Content above the list. */
  readonly head?: unknown
  readonly render: (entry: MemoryEntry) => unknown
}

/**
 * The newest entries first, or the entries that answer the query, best first. Further ones are loaded while the user
 * scrolls.
 */
export function Entries({ filter, version, head, render }: Props) {
  const [rows, setRows] = useState<ReadonlyMap<number, MemoryEntry>>(new Map())
  const [total, setTotal] = useState<number | null>(null)
  const [notices, setNotices] = useState<readonly string[]>([])
  const [error, setError] = useState<unknown>(null)
  /** Numbers of the pages requested since the version last changed. */
  const requestedPages = useRef(new Set<number>())
  const visible = useRef({ first: 0, last: 0 })
  const load = (page: number) => {
    const requested = requestedPages.current
    if (requested.has(page)) return
    requested.add(page)
    fetchPage(filter, page).then(
      ({ entries, total: all, notices: said = [] }) => {
        if (requested !== requestedPages.current) return
        setError(null)
        setTotal(all)
        setNotices(said)
        setRows(
          (old) => new Map([...old, ...entries.map((entry, nth) => [page * PAGE + nth, entry] as const)]),
        )
      },
      (reason: unknown) => requested === requestedPages.current && setError(reason),
    )
  }
  const loadVisible = (first: number, last: number) => {
    visible.current = { first, last }
    if (total === null || filter.q !== "") return
    const end = Math.floor(Math.max(first, last - 1) / PAGE)
    for (let page = Math.floor(first / PAGE); page <= end; page++) load(page)
  }
  useEffect(() => {
    requestedPages.current = new Set()
    const timer = setTimeout(
      () => {
        load(0)
        loadVisible(visible.current.first, visible.current.last)
      },
      filter.q === "" ? 0 : PAUSE_MS,
    )
    return () => clearTimeout(timer)
  }, [version])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (total === 0)
    return html`<section><p class="empty" role="status">${NOTHING[isFiltered(filter) ? "filtered" : "all"]}</p></section>`
  return html`<section>
    <p class="state" role="status">${total === null ? "Loading…" : plural(total, "entry", "entries")}</p><${Notices} notices=${notices} />${head}
    <${VirtualList} label="Entries" total=${total ?? 0} row=${(nth: number) => rows.get(nth)} onVisible=${loadVisible} render=${render} />
  </section>`
}

const NOTHING = {
  all: "Nothing is remembered about this project yet. Agents remember with the tool “remember”, you with: aman remember",
  filtered: "No entry matches these filters",
}

function isFiltered({ q, topic, kind, tag, author, state, held, known }: Filter): boolean {
  return [q, topic, kind, tag, author, held, known].some((each) => each !== "") || state === "deleted"
}

type EntryPage = {
  readonly entries: readonly MemoryEntry[]
  readonly total: number
  readonly notices?: readonly string[]
}

async function fetchPage(filter: Filter, page: number): Promise<EntryPage> {
  const { q, topic, kind, tag, author, state, held, known } = filter
  if (q !== "") {
    type Recalled = { readonly results: MemoryEntry[]; readonly notices: readonly string[] }
    const { results, notices } = await fetchJson<Recalled>("recall", {
      query: q,
      topic,
      kinds: kind,
      tags: tag,
      author,
      limit: 50,
      as_of: held,
      ...(state === "all" && { outdated: "true" }),
    })
    return { entries: results, total: results.length, notices }
  }
  return runAction<EntryPage>({
    action: "list",
    limit: PAGE,
    offset: page * PAGE,
    ...(topic !== "" && { topic }),
    ...(kind !== "" && { kinds: [kind] }),
    ...(tag !== "" && { tags: [tag] }),
    ...(author !== "" && { author }),
    ...(held !== "" && { as_of: held }),
    ...(known !== "" && { known_at: known }),
    ...(state === "deleted" && { deleted: true }),
    ...(state === "valid" && held === "" && known === "" && { valid: true }),
  })
}

/** Two entries that seem to contradict or replace each other. */
export type ConflictPair = { readonly older: MemoryEntry; readonly newer: MemoryEntry }

type RowProps = { readonly entry: MemoryEntry; readonly isChosen: boolean; readonly choose: () => void }

export function Row({ entry, isChosen, choose }: RowProps) {
  const { topic, text, freshness, recorded_at, outdated_by, perhaps_replaces = [] } = entry
  return html`<button class="entry" aria-current=${isChosen ? "true" : undefined} onClick=${choose}>
    <span class="headline">${text.split("\n", 1)[0]}</span>
    <span class="facts">${topic} · ${recorded_at.slice(0, 10)} <${Freshness} freshness=${freshness} />
      ${outdated_by && html`<span class="stale">contradicted by a newer entry: ${outdated_by}</span>`}
      ${perhaps_replaces.length > 0 && html`<span>perhaps replaces ${perhaps_replaces.join(", ")}</span>`}</span></button>`
}

/** States of an entry's code that a person should look at. */
export const STALE = new Set(["changed", "gone", "unknown"])

export function Freshness({ freshness }: { freshness: string }) {
  if (freshness === "none" || freshness === "unchecked") return null
  return html`<span class=${STALE.has(freshness) ? "stale" : "fresh"}>code ${freshness}</span>`
}
