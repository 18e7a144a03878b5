import { html } from "htm/preact"
import { useRef, useState } from "preact/hooks"
import type { RepositoryStatus } from "../../../src/ask/index.ts"
import type { StatusAnswer } from "../../../src/base/answers.ts"
import type { ReadableRepository } from "../../../src/index/index.ts"
import { fetchJson, live } from "./api.ts"
import { EditorLink } from "./code.ts"
import { bytes, Failure, Notices, number, Path, plural, useLoaded } from "./parts.ts"
import { VirtualList } from "./virtual-list.ts"

type CountByName = Readonly<Record<string, number>>

export function IndexPage() {
  const { data, error } = useLoaded(
    (abort) => fetchJson<StatusAnswer>("status", {}, abort),
    [live.value?.version, live.value?.state, live.value?.pending, live.value?.leader],
  )
  return html`<main>
    <h1>Index</h1>
    ${error !== null && html`<${Failure} error=${error} />`}
    <${Progress} />
    ${
      data &&
      html`<${Facts} status=${data} /><${Notices} notices=${data.notices} />
      <${Bars} title="Languages" counts=${data.languages} />
      <${Skipped} counts=${data.skipped} />
      <${Bars} title="Ranked lower" counts=${data.ranked_down} />
      <${Files} key=${live.value?.version} total=${data.files} />`
    }
    <${Repositories} />
    <${Team} />
    <${Log} />
  </main>`
}

function Progress() {
  const progress = live.value?.progress ?? null
  if (progress === null || progress.total === 0) return null
  const { phase, done, total } = progress
  return html`<p class="progress" role="status">
    <label>${phase} <progress max=${total} value=${done}></progress> ${number(done)} of ${number(total)}</label></p>`
}

function Facts({ status }: { status: StatusAnswer }) {
  const { embedding, memory } = status
  const percent = (share: number) => `${Math.floor(share * 100)} %`
  const space = (each: Omit<StatusAnswer["embedding"], "other">) =>
    `${each.provider} ${each.model}, ${each.dimensions} dimensions, ${percent(each.share)} of the chunks`
  const facts = [
    ["Folder", status.root],
    ["Files", `${number(status.files)} in ${plural(status.chunks, "chunk")}`],
    ["Waiting", status.pending === null ? "unknown" : plural(status.pending, "file")],
    ["Vectors", space(embedding)],
    ...(embedding.other === null ? [] : [["Configured vectors", space(embedding.other)]]),
    ["Disk", bytes(status.index_bytes)],
    ["Memory", `${bytes(memory.resident_bytes)}, limit while indexing ${bytes(memory.limit_bytes)}`],
    ["Kept current by", status.leader],
    ["Last change", status.last_indexed === null ? "never" : new Date(status.last_indexed).toLocaleString()],
  ]
  return html`<dl class="fact-list">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Counts as bars, largest first. */
function Bars({ title, counts }: { title: string; counts: CountByName }) {
  const all = Object.entries(counts).sort(([, a], [, b]) => b - a)
  if (all.length === 0) return null
  const max = all[0]![1]
  return html`<section><h2>${title}</h2><ul class="bars">${all.map(
    ([name, count]) =>
      html`<li><span>${name}</span><i style=${{ width: `${(60 * count) / max}%` }}></i><b>${number(count)}</b></li>`,
  )}</ul></section>`
}

/** Number of files left out, by reason. `repository`: name of another repository; absent for the project itself. */
function Skipped({ counts, repository }: { counts: CountByName; repository?: string }) {
  const [reason, show] = useState<string | null>(null)
  const all = Object.entries(counts).filter(([, count]) => count > 0)
  if (all.length === 0) return null
  return html`<section>${repository === undefined ? html`<h2>Not indexed</h2>` : html`<h3>Not indexed</h3>`}
    <p class="chips">${all.map(
      ([name, count]) =>
        html`<button aria-expanded=${reason === name} onClick=${() => show(reason === name ? null : name)}>${name} ${number(count)}</button>`,
    )}</p>
    ${reason !== null && html`<${SkippedPaths} key=${reason} reason=${reason} repository=${repository} />`}</section>`
}

function SkippedPaths({ reason, repository }: { reason: string; repository?: string }) {
  const { data, error } = useLoaded(
    (abort) =>
      fetchJson<{ skipped: { path: string }[]; total: number }>("skipped", { reason, repository }, abort),
    [reason, live.value?.version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return null
  const more = data.total - data.skipped.length
  return html`<ul class="paths">${data.skipped.map(({ path }) => html`<li><${Path} path=${path} /></li>`)}
    ${more > 0 && html`<li>and ${number(more)} more${repository === undefined ? ": aman status --skipped" : ""}</li>`}</ul>`
}

type File = { readonly path: string; readonly size: number; readonly language: string }

const PAGE = 500

/** The indexed files of one version of the index; a new version is a new component. */
function Files({ total }: { total: number }) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [error, fail] = useState<unknown>(null)
  const needed = useRef(0)
  const isLoading = useRef(false)
  const load = async (last: number) => {
    needed.current = last
    if (isLoading.current) return
    isLoading.current = true
    try {
      for (let known = files; known.length < needed.current; ) {
        const after = known.at(-1)?.path ?? ""
        const more = await fetchJson<{ files: File[] }>("files", { after, limit: PAGE })
        if (more.files.length === 0) break
        known = [...known, ...more.files]
        setFiles(known)
      }
    } catch (reason) {
      fail(reason)
    }
    isLoading.current = false
  }
  return html`<section><h2>Files</h2>${error !== null && html`<${Failure} error=${error} />`}
    <${VirtualList} label="Indexed files" total=${total} row=${(nth: number) => files[nth]}
      onVisible=${(_: number, last: number) => void load(last)}
      render=${({ path, size, language }: File) => html`<div class="row"><${Path} path=${path} />
        <span class="facts">${language} · ${bytes(size)} <${EditorLink} path=${path} line=${1} /></span></div>`} />
  </section>`
}

function Repositories() {
  const { data, error } = useLoaded(
    (abort) => fetchJson<{ repositories: RepositoryStatus[]; notices: string[] }>("repositories", {}, abort),
    [],
  )
  if (error !== null) return html`<section><h2>Other repositories</h2><${Failure} error=${error} /></section>`
  if (data === null || data.repositories.length === 0) return null
  return html`<section><h2>Other repositories</h2>${data.repositories.map(
    (each) => html`<${OneRepository} key=${each.url} of=${each} />`,
  )}<${Notices} notices=${data.notices} /></section>`
}

/**
 * One of the other repositories. When the user opens it, it shows its files that are not indexed and the lines of the
 * servers' log about it.
 */
function OneRepository({ of }: { of: RepositoryStatus }) {
  const { repository, state, files, error: why } = of
  const [isOpen, open] = useState(false)
  const { data, error } = useLoaded(
    async (abort) => {
      if (!isOpen) return null
      const [skipped, log] = await Promise.all([
        state === "pending"
          ? { reasons: {} }
          : fetchJson<{ reasons: CountByName }>("skipped", { repository }, abort),
        fetchJson<{ lines: string[] }>("log", { repository }, abort),
      ])
      return { counts: skipped.reasons, lines: log.lines }
    },
    [isOpen, state],
  )
  return html`<article class="repository">
    <p class="chips"><button aria-expanded=${isOpen} onClick=${() => open(!isOpen)}>${repository}</button>
      <span class="facts">${state}, ${plural(files, "file")}${why === null ? "" : `: ${why}`}</span></p>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${
      isOpen &&
      data &&
      html`<${Skipped} counts=${data.counts} repository=${repository} />
      <${LogLines} label=${`Log of ${repository}`} lines=${data.lines} none="The servers’ log has no line about it" />`
    }</article>`
}

type TeamAnswer = {
  readonly team: { url: string; principal: string; repositories: readonly ReadableRepository[] } | null
}

/** The repositories of the team whose server the user is logged in to. */
function Team() {
  const { data, error } = useLoaded((abort) => fetchJson<TeamAnswer>("team", {}, abort), [])
  if (error !== null) return html`<section><h2>Team</h2><${Failure} error=${error} /></section>`
  if (data === null || data.team === null) return null
  const { url, principal, repositories } = data.team
  return html`<section><h2>Team</h2><p class="state">${principal} at ${url}</p>
    <ul class="paths" tabindex="0" aria-label="Repositories of the team">${repositories.map(
      ({ repository, files, published_at, error: why }) =>
        html`<li>${repository} <span class="facts">${plural(files, "file")}, ${new Date(published_at).toLocaleString()}${why === null ? "" : `: ${why}`}</span></li>`,
    )}</ul></section>`
}

/** The newest lines of the servers' log. */
function Log() {
  const [isOpen, open] = useState(false)
  const [asked, ask] = useState(0)
  const { data, error } = useLoaded(
    async (abort) => (isOpen ? fetchJson<{ lines: string[] }>("log", {}, abort) : null),
    [isOpen, asked, live.value?.version],
  )
  return html`<section><h2>Log</h2><p class="chips"><button aria-expanded=${isOpen} onClick=${() => open(!isOpen)}>Show</button>
    ${isOpen && html`<button onClick=${() => ask(asked + 1)}>Read again</button>`}</p>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${isOpen && data && html`<${LogLines} label="Log" lines=${data.lines} none="No server has written a log yet" />`}</section>`
}

/** Lines of a log, newest first. */
function LogLines({ label, lines, none }: { label: string; lines: readonly string[]; none: string }) {
  return html`<pre class="code log" tabindex="0" aria-label=${label}>${lines.length === 0 ? none : lines.toReversed().join("\n")}</pre>`
}
