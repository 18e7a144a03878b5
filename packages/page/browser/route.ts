import { signal } from "@preact/signals"

/** The page that the address names, after the "#": "/search?q=retries". */
export type Route = { readonly page: string; readonly query: URLSearchParams }

export const route = signal(current())
addEventListener("hashchange", () => {
  route.value = current()
})

function current(): Route {
  const [path = "", query] = location.hash.slice(1).split("?")
  return { page: path.replace(/^\//, "") || "search", query: new URLSearchParams(query) }
}

/** The address of a page, for a link. */
export function linkTo(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]))
  return `#/${page}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`
}

/** Changes the address without adding an entry to the browser's history. */
export function replaceRoute(page: string, parameters: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(null, "", linkTo(page, parameters))
  route.value = current()
}
