/*
 * Repositories from a list, or from the interface of a forge. A forge is one row of `FORGES`; all three number their pages
 * from 1 and answer an empty list after the last one.
 */

import { z } from "zod"
import { AmanError, isLoopback, readBounded } from "../../src/base/index.ts"

type Forge = {
  readonly site: string
  /** Address of the interface of a site. */
  readonly api: (site: string) => string
  /** Paths of the repositories of an organisation and of a person; the page number is appended. */
  readonly paths: (owner: string) => readonly string[]
  /** Field with the address of a repository. */
  readonly url: string
  readonly header: (token: string) => Readonly<Record<string, string>>
}

const FORGES: Readonly<Record<string, Forge>> = {
  github: {
    site: "https://github.com",
    api: (site) => (site === "https://github.com" ? "https://api.github.com" : `${site}/api/v3`),
    paths: (owner) => [`/orgs/${owner}/repos?per_page=100`, `/users/${owner}/repos?per_page=100`],
    url: "clone_url",
    header: (token) => ({ authorization: `Bearer ${token}` }),
  },
  gitlab: {
    site: "https://gitlab.com",
    api: (site) => `${site}/api/v4`,
    paths: (owner) => [
      `/groups/${owner}/projects?include_subgroups=true&per_page=100`,
      `/users/${owner}/projects?per_page=100`,
    ],
    url: "http_url_to_repo",
    header: (token) => ({ "private-token": token }),
  },
  gitea: {
    site: "https://codeberg.org",
    api: (site) => `${site}/api/v1`,
    paths: (owner) => [`/orgs/${owner}/repos?limit=50`, `/users/${owner}/repos?limit=50`],
    url: "clone_url",
    header: (token) => ({ authorization: `token ${token}` }),
  },
}

/** Maximum number of pages, and of bytes and milliseconds of each. */
const MAX_PAGES = 200
const MAX_PAGE_BYTES = 8 << 20
const PAGE_MS = 30_000

const PAGE = z.array(z.record(z.string(), z.unknown()))
type Listed = { readonly url: string; readonly isArchived: boolean }

export type Discovered = {
  readonly urls: readonly string[]
  /** Number of repositories that are archived, which are left out. */
  readonly archived: number
  /** Number of addresses that are not of the forge's own host, which are left out: a forge must not name folders of a worker. */
  readonly elsewhere: number
}

/** The addresses in a list: one a line; empty lines and those that begin with "#" do not count. */
export function listedUrls(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim())
  return lines.filter((line) => line !== "" && !line.startsWith("#"))
}

/**
 * The repositories of an owner on a forge: "github:OWNER", or "gitea:https://git.example.com/OWNER" for another site. Null for
 * any other text. `tokenFor`: a token for the host of a site, or null. Throws USAGE, TEAM.
 */
export async function forgeRepositories(
  from: string,
  tokenFor: (site: URL) => Promise<string | null>,
  signal: AbortSignal,
): Promise<Discovered | null> {
  const [, kind, where] = /^([a-z]+):(.+)$/s.exec(from) ?? []
  const forge = kind !== undefined && Object.hasOwn(FORGES, kind) ? FORGES[kind]! : null
  if (forge === null) return null
  const [, given, path] = /^(https?:\/\/[^/]+)\/(.+)$/.exec(where!) ?? []
  const [site, owner] = [given ?? forge.site, (path ?? where!).replace(/\/+$/, "")]
  if (!URL.canParse(site))
    throw new AmanError("USAGE", `${JSON.stringify(site)} is no address of a forge`, {
      hint: `for example: --from ${kind}:${forge.site}/OWNER`,
    })
  const { protocol, hostname } = new URL(site)
  const token = await tokenFor(new URL(site))
  if (token !== null && protocol !== "https:" && !isLoopback(hostname))
    throw new AmanError("USAGE", `a token for ${hostname} would cross the network in the clear`, {
      hint: `write https://${hostname}`,
    })
  const headers = { accept: "application/json", "user-agent": "aman", ...(token ? forge.header(token) : {}) }
  const [asOrganisation, asPerson] = forge
    .paths(encodeURIComponent(owner))
    .map((each) => forge.api(site) + each)
  const listed = (address: string) => allPages(address, forge.url, headers, signal)
  const all = (await listed(asOrganisation!)) ?? (await listed(asPerson!))
  if (all === null)
    throw new AmanError("NOT_FOUND", `${site} has no organisation or person ${JSON.stringify(owner)}`, {
      hint: `check the name; for a private one, ${MORE_RIGHTS}`,
    })
  const kept = all.filter(({ isArchived }) => !isArchived)
  const isOwn = ({ url }: Listed) => {
    const parsed = URL.canParse(url) ? new URL(url) : null
    return parsed?.hostname === hostname && [protocol, "https:"].includes(parsed.protocol)
  }
  const own = kept.filter(isOwn)
  return {
    urls: [...new Set(own.map(({ url }) => url))],
    archived: all.length - kept.length,
    elsewhere: kept.length - own.length,
  }
}

/** The repositories on all pages, with the address in the field `key`; null if there is no such list. */
async function allPages(
  address: string,
  key: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Listed[] | null> {
  const all: Listed[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await fetchPage(`${address}&page=${page}`, headers, signal)
    if (found === null) return null
    if (found.length === 0) return all
    for (const each of found) all.push({ url: `${each[key]}`, isArchived: each["archived"] === true })
  }
  throw new AmanError("TEAM", `${new URL(address).host} lists more than ${MAX_PAGES} pages of repositories`, {
    hint: "give their addresses as a list in a file",
  })
}

async function fetchPage(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<z.infer<typeof PAGE> | null> {
  const { host } = new URL(address)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)])
  // A redirect could lead the token to another host.
  const response = await fetch(address, { headers, signal: limit, redirect: "error" }).catch((cause) => {
    throw new AmanError(
      "TEAM",
      `${host} does not answer: ${cause instanceof Error ? cause.message : cause}`,
      {
        hint: "check the address and the network",
        cause,
      },
    )
  })
  if (response.status === 404) return null
  if (!response.ok)
    throw new AmanError("TEAM", `${host} refused to list the repositories: ${response.status}`, {
      hint: HINTS[response.status] ?? "try again later",
    })
  const text = (await readBounded(response.body, MAX_PAGE_BYTES))?.toString()
  try {
    return PAGE.parse(JSON.parse(text ?? ""))
  } catch (cause) {
    throw new AmanError("TEAM", `${host} does not answer with a list of repositories`, {
      hint: "check that the forge is of this kind",
      cause,
    })
  }
}

const MORE_RIGHTS = "set AMAN_TEAM_FORGE_TOKEN to a token that may read the repositories"
const HINTS: Readonly<Record<number, string>> = {
  401: MORE_RIGHTS,
  403: `${MORE_RIGHTS}; or the limit of requests is reached`,
}
