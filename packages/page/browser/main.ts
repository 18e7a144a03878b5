import { html } from "htm/preact"
import { render } from "preact"
import { useEffect } from "preact/hooks"
import { AgentsPage } from "./agents-page.ts"
import { connection, enter, facts, fetchJson, listen, live, type ProjectFacts } from "./api.ts"
import { FilePage } from "./file-page.ts"
import { HelpPage } from "./help-page.ts"
import { IndexPage } from "./index-page.ts"
import { MapPage } from "./map-page.ts"
import { MemoryPage } from "./memory/memory-page.ts"
import { number } from "./parts.ts"
import { linkTo, route } from "./route.ts"
import { SearchPage } from "./search-page.ts"
import "./style.css"

const PAGES = {
  search: { title: "Search", page: SearchPage },
  map: { title: "Code map", page: MapPage },
  memory: { title: "Memory", page: MemoryPage },
  index: { title: "Index", page: IndexPage },
  agents: { title: "Agents", page: AgentsPage },
  help: { title: "Help", page: HelpPage },
  file: { title: "File", page: FilePage },
} as const

/** The pages of the navigation; a file is opened from a result. */
const LISTED = Object.entries(PAGES).filter(([name]) => name !== "file")

function App({ isAdmitted }: { isAdmitted: boolean }) {
  const name = Object.hasOwn(PAGES, route.value.page) ? (route.value.page as keyof typeof PAGES) : "search"
  const { title, page } = PAGES[name]
  // The search is drawn at once. The other pages show what the state of the index and of the memory determines: drawn
  // before the first event tells that state, they would load everything twice.
  const isStateKnown = live.value !== null || connection.value !== "open"
  useEffect(() => {
    document.title = `${title} · ${facts.value?.name ?? "aman"}`
  })
  return html`<nav aria-label="Pages">
      <p class="brand">aman</p>
      <p class="project" title=${facts.value?.root ?? ""}>${facts.value?.name ?? ""}</p>
      <ul>${LISTED.map(
        ([each, { title: label }]) =>
          html`<li><a href=${linkTo(each)} aria-current=${each === name ? "page" : undefined}>${label}</a></li>`,
      )}</ul>
      <${State} />
    </nav>
    <${Connection} />
    ${isAdmitted && (isStateKnown || name === "search") && html`<${page} />`}`
}

/** One line about the index, at the foot of the navigation. */
function State() {
  if (live.value === null) return null
  const { state, files, progress } = live.value
  const share =
    progress && progress.total > 0 ? ` ${Math.floor((100 * progress.done) / progress.total)} %` : ""
  const text = progress !== null || state === "indexing" ? `indexing${share}` : `${number(files)} files`
  return html`<p class="index-state"><i class=${progress === null ? "ready" : "busy"}></i>${text}</p>`
}

function Connection() {
  if (connection.value === "open") return null
  const text =
    connection.value === "refused"
      ? "This tab has no access. Run: aman ui, and open the link that it prints. Each link opens one tab."
      : "aman does not answer. Start it again with: aman ui"
  return html`<p class="banner" role="alert">${text}</p>`
}

// A link that is opened in this tab changes only the part of the address after "#".
addEventListener("hashchange", () => {
  if (route.value.page === "open") location.reload()
})
const isAdmitted = await enter().catch(() => false)
if (!isAdmitted && connection.value === "open") connection.value = "refused"
// The page is drawn before the first answer of the server arrives.
render(html`<${App} isAdmitted=${isAdmitted} />`, document.body)
if (isAdmitted) {
  void listen()
  facts.value = await fetchJson<ProjectFacts>("project").catch(() => null)
}
