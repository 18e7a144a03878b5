import { html } from "htm/preact"
import { live, runAction } from "../api.ts"
import { Failure, Notices, number, plural, useLoaded } from "../parts.ts"
import type { Change, MemoryEntry } from "./entry-dialog.ts"
import { type ConflictPair, type Navigate, Row } from "./entry-list.ts"

type Props = { chosen: string; version: string; go: Navigate; onChange: (change: Change) => void }

/**
 * Entries whose code has changed or no longer exists, and pairs of entries that seem to contradict or replace each
 * other.
 */
export function Review({ chosen, version, go, onChange }: Props) {
  return html`<section><${StaleEntries} chosen=${chosen} version=${version} go=${go} />
    <${Conflicts} chosen=${chosen} version=${version} go=${go} onChange=${onChange} /></section>`
}

function StaleEntries({ chosen, version, go }: Omit<Props, "onChange">) {
  const { data, error } = useLoaded(
    () => runAction<{ entries: MemoryEntry[]; checked: number; notices: string[] }>({ action: "stale" }),
    [version, live.value?.version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Checking the code that entries are about…</p>`
  return html`<h2>Code has changed</h2>
    <p class="state" role="status">${plural(data.entries.length, "entry", "entries")} to review, of ${number(data.checked)} about code</p>
    <ul class="review">${data.entries.map((entry) => html`<li key=${entry.id}><${Row} entry=${entry} isChosen=${entry.id === chosen} choose=${() => go({ id: entry.id })} /></li>`)}</ul>
    <${Notices} notices=${data.notices} />`
}

function Conflicts({ chosen, version, go, onChange }: Props) {
  const { data, error } = useLoaded(
    () =>
      runAction<{ pairs: ConflictPair[]; total: number; compared: number; notices: string[] }>({
        action: "conflicts",
        limit: 200,
      }),
    [version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Comparing entries…</p>`
  const row = (entry: MemoryEntry) =>
    html`<${Row} entry=${entry} isChosen=${entry.id === chosen} choose=${() => go({ id: entry.id })} />`
  return html`<h2>Seem to conflict</h2>
    <p class="state" role="status">${plural(data.total, "pair")} among ${plural(data.compared, "entry", "entries")}, judged by their words</p>
    <ul class="review conflicts">${data.pairs.map(
      ({ older, newer }) => html`<li key=${`${older.id} ${newer.id}`}>${row(newer)}${row(older)}
        <p class="chips"><button onClick=${() => onChange({ action: "invalidate", entry: older, other: newer })}>The newer replaces the older</button>
          <button onClick=${() => onChange({ action: "keep", entry: newer, other: older })}>Both hold</button>
          <button onClick=${() => onChange({ action: "merge-entries", entry: newer, other: older })}>Merge</button></p></li>`,
    )}</ul><${Notices} notices=${data.notices} />`
}
