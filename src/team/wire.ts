/* What a team's node and its clients say to each other about repositories and shared memories. */

/** Who can see a shared memory: "private": its owner; "readers": all who may read its repository; else a team's name. */
export type Visibility = string

/** An event of a memory as it is stored; `body` is the change as JSON. */
export type TeamEvent = {
  readonly id: string
  /** ISO instant. */
  readonly at: string
  readonly subject: string
  readonly body: string
}

/** An event with the verified name of the person who shared its entry. */
export type SharedEvent = TeamEvent & {
  readonly owner: string
  /** Name of the repository that the entry is about; null if there is none, or if the principal may not read it. */
  readonly repository: string | null
}

export type PulledEvents = {
  readonly events: readonly SharedEvent[]
  /** The place after these events, for the next request. */
  readonly next: string
  /** True if the server has further events after these. */
  readonly more: boolean
  /** Hash of the ids of all subjects that the principal can see, sorted, with commas between them. */
  readonly digest: string
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
export type PullAnswer = PulledEvents & { readonly principal: string }

/** A repository that the principal may read, and what is published for it. */
export type ReadableRepository = {
  readonly repository: string
  readonly commit: string
  readonly files: number
  readonly published_at: string
  readonly error: string | null
}
