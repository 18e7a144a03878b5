import { html } from "htm/preact"
import { fetchJson } from "./api.ts"
import { Failure, useLoaded } from "./parts.ts"
import { replaceRoute, route } from "./route.ts"

type HelpAnswer = {
  readonly results: readonly { readonly place: string; readonly title: string; readonly text: string }[]
}

const PAUSE_MS = 120

/** A search over aman's own guides, commands and settings, as `aman help WORDS`. */
export function HelpPage() {
  const asked = route.value.query.get("q") ?? ""
  const { data, error } = useLoaded(
    (abort) => fetchJson<HelpAnswer>("help", { q: asked }, abort),
    [asked],
    PAUSE_MS,
  )
  return html`<main>
    <h1>Help</h1>
    <form role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <input type="search" aria-label="Question about aman" placeholder="leave out a folder" value=${asked}
        onInput=${({ currentTarget }: { currentTarget: HTMLInputElement }) => replaceRoute("help", { q: currentTarget.value })} />
    </form>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${data?.results.length === 0 && asked !== "" && html`<p class="state" role="status">The guides have nothing about this.</p>`}
    ${data?.results.map(
      ({ place, title, text }, at) => html`<details class="guide" open=${at === 0}>
        <summary>${title} <span class="folder">${place}</span></summary>
        <pre tabindex="0">${text}</pre>
      </details>`,
    )}
  </main>`
}
