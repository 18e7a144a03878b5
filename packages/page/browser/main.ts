import { html } from "htm/preact"
import { render } from "preact"
import { useEffect } from "preact/hooks"
import { AgentsPage } from "./agents-page.ts"
import {
  connection,
  enter,
  facts,
  fetchJson,
  isOfTeam,
  listen,
  live,
  type ProjectFacts,
  signIn,
} from "./api.ts"
import { FilePage } from "./file-page.ts"
import { HelpPage } from "./help-page.ts"
import { IndexPage } from "./index-page.ts"
import { MapPage } from "./map-page.ts"
import { MemoryPage } from "./memory/memory-page.ts"
import { number } from "./parts.ts"
import { linkTo, route } from "./route.ts"
import { SearchPage } from "./search-page.ts"
import { Account, RepositoriesPage, SignIn } from "./team.ts"
import "./style.css"

/** `of`: where the page is; absent: on that of a project and on that of a team's node. */
const ALL_PAGES = {
  search: { title: "Search", page: SearchPage },
  repositories: { title: "Repositories", page: RepositoriesPage, of: "team" },
  map: { title: "Code map", page: MapPage, of: "project" },
  memory: { title: "Memory", page: MemoryPage, of: "project" },
  index: { title: "Index", page: IndexPage, of: "project" },
  agents: { title: "Agents", page: AgentsPage, of: "project" },
  help: { title: "Help", page: HelpPage },
  file: { title: "File", page: FilePage },
} as const

type Page = { readonly title: string; readonly page: () => unknown; readonly of?: "team" | "project" }

const PAGES = new Map<string, Page>(
  Object.entries<Page>(ALL_PAGES).filter(([, { of }]) => of !== (isOfTeam ? "project" : "team")),
)

/** The pages of the navigation; a file is opened from a result. */
const LISTED = [...PAGES].filter(([name]) => name !== "file")

function App({ isAdmitted }: { isAdmitted: boolean }) {
  const name = PAGES.has(route.value.page) ? route.value.page : "search"
  const { title, page } = PAGES.get(name)!
  // The search is drawn at once. The other pages show what the state of the index and of the memory determines: drawn
  // before the first event tells that state, they would load everything twice.
  const isStateKnown = live.value !== null || connection.value !== "open" || isOfTeam
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
      ${isOfTeam ? html`<${Account} />` : html`<${State} />`}
    </nav>
    <${Connection} />
    ${isAdmitted && (isStateKnown || name === "search") && html`<${page} />`}`
}

/** The page of a team's node. `failure`: why the token that this tab has stored could not be tried; null if there is none. */
function TeamApp({ failure }: { failure: unknown }) {
  return facts.value === null
    ? html`<nav aria-label="Pages"><p class="brand">aman</p></nav><${SignIn} failure=${failure} />`
    : html`<${App} isAdmitted=${true} />`
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
await (isOfTeam ? startTeam() : startProject())

async function startTeam(): Promise<void> {
  const failure = await signIn().catch((error: unknown) => error)
  render(html`<${TeamApp} failure=${failure ?? null} />`, document.body)
}

async function startProject(): Promise<void> {
  const isAdmitted = await enter().catch(() => false)
  if (!isAdmitted && connection.value === "open") connection.value = "refused"
  // The page is drawn before the first answer of the server arrives.
  render(html`<${App} isAdmitted=${isAdmitted} />`, document.body)
  if (!isAdmitted) return
  void listen()
  facts.value = await fetchJson<ProjectFacts>("project").catch(() => null)
}
