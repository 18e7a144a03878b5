/* What a team's node and its clients say to each other about code, repositories and shared memories. */

/** Selects every repository. */
export const ALL = "*"
/** Prefix of the name of a repository on the team's server, in arguments and in answers. */
export const TEAM_PREFIX = "team:"

/**
 * The part of a name after "team:", which selects a repository of the team's server; null for a name without that
 * prefix, which selects repositories of this machine.
 */
export function teamName(wanted: string): string | null {
  const text = wanted.trim()
  return text.startsWith(TEAM_PREFIX) ? text.slice(TEAM_PREFIX.length).trim() || ALL : null
}

/** Fields of a request for code that stay on this machine: its memories, and what a search of many indexes sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(["memories", "correctable", "liftsPage", "isEstimate"])

/** The request as the fields of a JSON body: maxTokens is max_tokens there. */
export function bodyOf(request: object): Readonly<Record<string, unknown>> {
  const sent = Object.entries(request).filter(([name]) => !NOT_SENT.has(name))
  return Object.fromEntries(sent.map(([name, value]) => [nameInJson(name), value]))
}

function nameInJson(name: string): string {
  return name.startsWith("is") ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The request that a JSON body stands for. */
export function requestOf(body: object): Readonly<Record<string, unknown>> {
  const name = (inJson: string) => inJson.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(body).map(([each, value]) => [name(each), value]))
}

/** An entry that a client shares, with events that the server may not have yet. */
export type PushedEntry = {
  readonly subject: string
  /** "private", "readers", or the name of a team. */
  readonly visible_to: string
  readonly repository: string | null
  readonly events: readonly unknown[]
}

export type PushAnswer = {
  readonly stored: number
  readonly refused: readonly { readonly subject: string; readonly reason: string }[]
}

/** Events of shared entries that the principal may see. */
export type PullAnswer = {
  readonly principal: string
  readonly events: readonly {
    readonly id: string
    /** ISO instant. */
    readonly at: string
    readonly subject: string
    /** The change as JSON. */
    readonly body: string
    /** The verified name of the person who shared the entry. */
    readonly owner: string
    /** Name of the repository that the entry is about; null if there is none, or if the principal may not read it. */
    readonly repository: string | null
  }[]
  /** The place after these events, for the next request. */
  readonly next: string
  /** True if the server has further events after these. */
  readonly more: boolean
  /** Hash of the ids of all subjects that the principal can see, sorted, with commas between them. */
  readonly digest: string
}

/** A repository that the principal may read, and what is published for it. */
export type ReadableRepository = {
  readonly repository: string
  readonly commit: string
  readonly files: number
  readonly published_at: string
  readonly error: string | null
}
