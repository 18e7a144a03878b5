import { html } from "htm/preact"
import { useEffect, useState } from "preact/hooks"
import type { RecordedCall } from "../../../src/ask/project/recorded-calls.ts"
import type { byClient } from "../server/reads.ts"
import { fetchJson } from "./api.ts"
import { Failure, Notices, number, plural, useLoaded } from "./parts.ts"
import { VirtualList } from "./virtual-list.ts"

type RecordedCallsAnswer = {
  readonly recording: boolean
  readonly file: string
  readonly calls: readonly RecordedCall[]
  readonly total: number
  readonly clients: ReturnType<typeof byClient>
}

const REFRESH_MS = 3000

export function AgentsPage() {
  return html`<main class="wide">
    <h1>Agents</h1>
    <${RecordedCalls} />
    <${Report} />
    <${Setup} />
  </main>`
}

/** The recorded calls of each client of this project's server, with the size of each answer. */
function RecordedCalls() {
  const [tick, setTick] = useState(0)
  const { data, error, isLoading } = useLoaded(
    (abort) => fetchJson<RecordedCallsAnswer>("calls", { limit: 1000 }, abort),
    [tick],
  )
  useEffect(() => {
    // Only after an answer: asking again would abort a slow one, each time.
    if (isLoading) return
    const timer = setTimeout(() => setTick(tick + 1), REFRESH_MS)
    return () => clearTimeout(timer)
  }, [isLoading])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Loading…</p>`
  return html`<section><h2>What they asked</h2>
    ${data.recording ? html`<${Recorded} answer=${data} />` : html`<${RecordingOff} />`}</section>`
}

function RecordingOff() {
  return html`<p class="empty">Calls of agents are not recorded. To see here what they ask and get, allow it:</p>
    <pre class="command" tabindex="0">aman config set ui.record_calls true</pre>
    <p class="hint">The record stays on this machine: at most 2 MB and 30 days, without the texts that agents remember. Switching
    it off again erases it when this page is next opened.</p>`
}

function Recorded({ answer }: { answer: RecordedCallsAnswer }) {
  const { calls, total, clients, file } = answer
  if (total === 0)
    return html`<p class="empty">No agent has asked about this project since calls are recorded. A server that runs already needs no restart.</p>`
  const more = total > calls.length ? `, the newest ${number(calls.length)}` : ""
  return html`<table class="table"><thead><tr><th scope="col">Client</th><th scope="col">Calls</th><th scope="col">Tokens</th><th scope="col">Failed</th><th scope="col">Last call</th></tr></thead>
    <tbody>${clients.map(
      ({ client, calls: count, tokens, errors, last }) =>
        html`<tr><th scope="row">${client}</th><td>${number(count)}</td><td>${number(tokens)}</td><td>${number(errors)}</td><td>${new Date(last).toLocaleString()}</td></tr>`,
    )}</tbody></table>
    <p class="state" role="status">${plural(total, "call")}${more}; kept in ${file}</p>
    <${VirtualList} label="Calls" total=${calls.length} row=${(nth: number) => calls[nth]} onVisible=${() => {}} render=${(call: RecordedCall) => html`<${Row} call=${call} />`} />`
}

function Row({ call }: { call: RecordedCall }) {
  const { at, client, tool, asked, took_ms, tokens, results, is_error } = call
  const facts = [
    client,
    new Date(at).toLocaleString(),
    `${took_ms.toFixed(0)} ms`,
    plural(tokens, "token"),
    results !== null && plural(results, "result"),
  ]
  return html`<div class="row"><span class="headline"><b>${tool}</b> <code>${asked}</code></span>
    <span class="facts">${is_error && html`<span class="stale">failed</span> · `}${facts.filter(Boolean).join(" · ")}</span></div>`
}

/** Seconds for the comparison with ripgrep and the replay of past commits, as `aman report` takes by default. */
const COMPARING_S = 60

/** What `aman report` prints; the comparison with ripgrep, which takes a while, when it is asked for. */
function Report() {
  const [seconds, compare] = useState(0)
  const { data, error, isLoading } = useLoaded(
    (abort) => fetchJson<{ lines: string[] }>("report", { seconds }, abort),
    [seconds],
  )
  if (error !== null) return html`<section><h2>What it saves</h2><${Failure} error=${error} /></section>`
  const parts = data?.lines.join("\n").split("\n\n") ?? []
  return html`<section class="report"><h2>What it saves</h2>
    ${parts.map((part) => html`<div key=${part}>${part.split("\n").map((line) => (line.startsWith("  ") ? html`<p class="figure">${line.trim()}</p>` : html`<p>${line}</p>`))}</div>`)}
    ${isLoading && html`<p class="state" role="status">${seconds === 0 ? "Counting…" : "Searching as ripgrep would, and replaying past commits; this takes up to a minute…"}</p>`}
    ${seconds === 0 && html`<button onClick=${() => compare(COMPARING_S)}>Compare with ripgrep and replay the last commits</button>`}</section>`
}

type SetupFile = {
  readonly file: string
  readonly clients: readonly string[]
  readonly parts: readonly string[]
  readonly state: "same" | "create" | "change" | "delete" | "kept" | "broken" | "failed"
  readonly diff: string | null
  readonly problem: { readonly message: string } | null
}
type Plan = {
  readonly clients: readonly { readonly id: string; readonly name: string }[]
  readonly files: readonly SetupFile[]
  readonly notices: readonly string[]
}

/** The agents on this machine, and what `aman setup` would change in their settings. */
function Setup() {
  const { data, error } = useLoaded((abort) => fetchJson<Plan>("setup", {}, abort), [])
  if (error !== null) return html`<section><h2>Setup</h2><${Failure} error=${error} /></section>`
  if (data === null) return html`<p class="state" role="status">Looking for agents…</p>`
  if (data.clients.length === 0)
    return html`<section><h2>Setup</h2><p class="empty">No agent or editor that aman knows is installed here</p></section>`
  const isOpen = data.files.some(({ diff }) => diff !== null)
  return html`<section><h2>Setup</h2>
    ${
      isOpen
        ? html`<p class="state">This is what aman would write; nothing was written. To do it:</p><pre class="command" tabindex="0">aman setup</pre>`
        : html`<p class="state">Everything is set up</p>`
    }
    ${data.clients.map(
      ({ id, name }) => html`<article key=${id} class="client"><h3>${name}</h3>
      ${data.files.filter(({ clients }) => clients.includes(id)).map((file) => html`<${PlannedFile} key=${file.file} file=${file} />`)}</article>`,
    )}<${Notices} notices=${data.notices} /></section>`
}

const STATES: Readonly<Record<SetupFile["state"], string>> = {
  same: "up to date",
  create: "new file",
  change: "would change",
  delete: "would be deleted",
  kept: "left alone",
  broken: "cannot be changed",
  failed: "failed",
}

function PlannedFile({ file: { file, parts, state, diff, problem } }: { file: SetupFile }) {
  const head = html`<span class="path">${file}</span> <span class="facts">${parts.join(", ")} · ${STATES[state]}${problem && `: ${problem.message}`}</span>`
  if (diff === null) return html`<p class="planned">${head}</p>`
  return html`<details class="planned"><summary>${head}</summary>
    <pre class="code diff" tabindex="0">${diff.split("\n").map((line) => html`<span class=${lookOf(line)}>${line}\n</span>`)}</pre></details>`
}

function lookOf(line: string): string {
  if (/^(?:\+\+\+|---) /.test(line)) return "line"
  if (line.startsWith("+")) return "line added"
  return line.startsWith("-") ? "line removed" : "line"
}
