import { html } from "htm/preact"
import { useState } from "preact/hooks"
import type { CodeMap } from "../../../src/context/map/code-map.ts"
import { fetchJson, live } from "./api.ts"
import { Complete } from "./complete.ts"
import { save } from "./drawings/graph-view.ts"
import { ImpactOfDiff, Neighbourhood } from "./drawings/symbol-graph.ts"
import type { CodeChanges, CodeUses } from "./map/map-types.ts"
import { type Impact, MapView } from "./map/map-view.ts"
import { Failure, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"

/** The project as a map, with changes and impact on it; or the neighbourhood, impact or tests of a symbol as a graph. */
export function MapPage() {
  const { query } = route.value
  const of = (name: string) => query.get(name) ?? ""
  const [symbol, view, since, impact] = [of("symbol"), of("view"), of("since"), of("impact")]
  const go = (name: string) => (event: Event) => {
    event.preventDefault()
    const value = (new FormData(event.target as HTMLFormElement).get(name) as string).trim()
    location.hash = linkTo("map", { [name]: value, view: name === "symbol" ? view : "" })
  }
  const isGraph = symbol !== "" || view === "graph"
  return html`<main class="wide">
    <h1>Code map</h1>
    <div class="filters">
      <form class="filters" onSubmit=${go("symbol")}><label>Symbol <${Complete} of="symbol" name="symbol" value=${symbol || impact} placeholder="Owner.name" /></label><button>Show</button></form>
      <form class="filters" onSubmit=${go("since")}><label>Changes since <input name="since" value=${since} placeholder="HEAD~10" spellcheck=${false} /></label><button>Mark</button></form>
      <a class="button" href=${linkTo("map")} aria-current=${!isGraph && since === "" && impact === "" ? "page" : undefined}>Modules</a>
      <a class="button" href=${linkTo("map", { since: "HEAD" })} aria-current=${since === "HEAD" && !isGraph ? "page" : undefined}>Impact of uncommitted changes</a>
      ${symbol !== "" && html`<a class="button" href=${linkTo("map", { impact: symbol, path: of("path") })}>Impact on the map</a>`}
      ${impact !== "" && html`<a class="button" href=${linkTo("map", { symbol: impact, path: of("path"), view: "impact" })}>As a graph</a>`}
      ${since !== "" && html`<a class="button" href=${linkTo("map", { since, view: isGraph ? "" : "graph" })}>${isGraph ? "On the map" : "As a graph"}</a>`}
    </div>
    ${symbol !== "" && html`<${Neighbourhood} key=${`${symbol} ${of("path")} ${view}`} name=${symbol} path=${of("path")} view=${view} />`}
    ${symbol === "" && (isGraph ? html`<${ImpactOfDiff} key=${since} revision=${since || "HEAD"} />` : html`<${Modules} key=${`${since} ${impact} ${of("path")}`} at=${of("at")} since=${since} impact=${impact} path=${of("path")} />`)}
  </main>`
}

type Shown = { at: string; since: string; impact: string; path: string }

function Modules({ at, since, impact, path }: Shown) {
  const version = live.value?.version
  const map = useLoaded(
    (abort) => fetchJson<CodeMap>("map", { memories: "true" }, abort),
    [version, live.value?.memory],
  )
  const uses = useLoaded((abort) => fetchJson<CodeUses>("uses", {}, abort), [version])
  const marks = useLoaded(
    async (abort) => {
      if (since === "" && impact === "") return { changes: null, impact: null }
      const asked = impact === "" ? { diff: since } : { name: impact, path }
      const [changes, graph] = await Promise.all([
        since === "" ? null : fetchJson<CodeChanges>("changes", { since }, abort),
        fetchJson<Impact>("graph", { ...asked, relation: "impact", limit: 200 }, abort),
      ])
      return { changes, impact: graph }
    },
    [since, impact, path, version],
  )
  const error = map.error ?? uses.error
  if (error !== null) return html`<${Failure} error=${error} />`
  if (map.data === null) return html`<p class="state" role="status">Measuring files…</p>`
  return html`${marks.error !== null && html`<${Failure} error=${marks.error} />`}
    ${marks.data === null && marks.error === null && html`<p class="state" role="status">Following what the change may break…</p>`}
    <${MapView} map=${map.data} uses=${uses.data} changes=${marks.data?.changes ?? null} impact=${marks.data?.impact ?? null} at=${at}
      choose=${(next: string) => replaceRoute("map", { at: next, since, impact, path })} linkTo=${addressOf} />
    <${Export} since=${since} symbol=${impact} />`
}

/** Saves what the map shows as a file of its own, like `aman map --html`. */
function Export({ since, symbol }: { since: string; symbol: string }) {
  const [state, set] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null })
  const run = async () => {
    set({ isBusy: true, error: null })
    try {
      save("map.html", (await fetchJson<{ html: string }>("map-page", { since, symbol })).html)
      set({ isBusy: false, error: null })
    } catch (error) {
      set({ isBusy: false, error })
    }
  }
  return html`<p class="filters"><button disabled=${state.isBusy} onClick=${run}>Save the map as a file</button></p>
    ${state.error !== null && html`<${Failure} error=${state.error} />`}`
}

function addressOf(path: string, line: number, name: string | null): string {
  return name === null ? linkTo("file", { path, line: String(line) }) : linkTo("map", { symbol: name, path })
}
