/*
 * The parts of the page that only a team's node shows: signing in and out, and the repositories that a person may read.
 */

import { html } from "htm/preact"
import { useEffect, useState } from "preact/hooks"
import type { TeamRepository } from "../server/team-repository.ts"
import { connection, facts, fetchJson, signIn, signOut } from "./api.ts"
import { Failure, plural, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute } from "./route.ts"

/** A form for the token, which also says why the last one was refused. `failure`: why the stored one could not be tried. */
export function SignIn({ failure }: { failure: unknown }) {
  const [error, setError] = useState(failure)
  const submit = (event: Event) => {
    event.preventDefault()
    const given = new FormData(event.target as HTMLFormElement).get("token") as string
    setError(null)
    signIn(given.trim()).catch(setError)
  }
  return html`<main>
    <h1>Sign in</h1>
    <form class="filters" onSubmit=${submit}>
      <label>Token <input name="token" type="password" size="48" required autofocus autocomplete="off" /></label>
      <button>Sign in</button>
    </form>
    <p class="state">With the token of aman team login, or one of the identity provider of your team. This tab keeps it until you sign out or close it.</p>
    ${
      connection.value === "refused"
        ? html`<p class="failure" role="alert">This token is wrong, expired or revoked.<br />
          <span>An administrator makes a new one: aman team token PERSON --team TEAM</span></p>`
        : error !== null && html`<${Failure} error=${error} />`
    }
  </main>`
}

/** Who has signed in, at the foot of the navigation. */
export function Account() {
  const leave = () => {
    replaceRoute("search", {})
    signOut()
  }
  return html`<p class="index-state">${facts.value?.person} <button class="quiet" onClick=${leave}>Sign out</button></p>`
}

/** Pause in ms, after which repositories that wait for their index are listed again. */
const WAIT_MS = 3000

export function RepositoriesPage() {
  const [asked, ask] = useState(0)
  const { data, error } = useLoaded(
    (abort) => fetchJson<{ repositories: TeamRepository[] }>("repositories", {}, abort),
    [asked],
  )
  const all = data?.repositories ?? []
  const isWaiting = all.some(({ state }) => state === "waiting" || state === "indexing")
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setTimeout(() => ask(asked + 1), WAIT_MS)
    return () => clearTimeout(timer)
  }, [data])
  return html`<main>
    <h1>Repositories</h1>
    ${error !== null && html`<${Failure} error=${error} />`}
    ${data !== null && html`<p class="state" role="status">You can read ${plural(all.length, "repository", "repositories")}</p>`}
    <ul class="notices" aria-label="Repositories">${all.map(repositoryItem)}</ul>
  </main>`
}

function repositoryItem(each: TeamRepository) {
  const { repository, state, commit, files, published_at: at, progress, reason } = each
  const name =
    commit === null ? repository : html`<a href=${linkTo("search", { in: repository })}>${repository}</a>`
  const share = progress === null ? "" : ` ${Math.floor(100 * progress)} %`
  const published =
    commit === null
      ? ""
      : `, ${commit.slice(0, 10)}, ${plural(files ?? 0, "file")}, ${new Date(at ?? "").toLocaleString()}`
  const why = reason === null ? "" : `${commit === null ? "" : ", not updated"}: ${reason}`
  return html`<li key=${repository}>${name} <span class="facts">${state}${share}${published}${why}</span></li>`
}
