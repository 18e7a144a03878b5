import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { appendPrivate, OpenFolder, sha256, userDataDir } from "../../base/index.ts"

/** Sessions without events for this time, in ms, are deleted. */
const KEPT_MS = 7 * 24 * 3_600_000
/**
 * Max size of a session's log in bytes. Nothing is appended to a larger log, and hooks that must record an event
 * before they answer stay silent.
 */
const MAX_BYTES = 256 * 1024

export type LoggedNote = { readonly at: number; readonly what: string; readonly about: string }

/**
 * The log of a session: hooks append one line for each event. Appends are atomic and all processes see them in the
 * same order, so exactly one of several concurrent hooks is the first to record an event.
 */
export class SessionLog {
  readonly #path: string
  readonly #now: number

  /** `now`: milliseconds since 1970. */
  constructor(session: string, now: number) {
    this.#path = join(sessionsFolder(), `${sha256(session).slice(0, 32)}.log`)
    this.#now = now
  }

  /** All notes of the session, oldest first. */
  notes(): LoggedNote[] {
    return this.#lines().flatMap((line) => {
      const [at, what, about = ""] = line.split(" ", 3)
      return what === undefined ? [] : [{ at: Number(at), what, about }]
    })
  }

  /** Appends a note; false if it could not be written. `about` is one word. */
  note(what: string, about = ""): boolean {
    return this.#append(`${this.#now} ${what} ${about}`)
  }

  forget(): void {
    using folder = OpenFolder.open(sessionsFolder())
    if (folder !== null) rmSync(join(folder.at, basename(this.#path)), { force: true })
  }

  /**
   * Claims a text for showing. True for the first claim since the model's context was last emptied. False also if the
   * claim cannot be recorded, because showing nothing is better than repeating a text each time.
   */
  claims(what: string, about: string): boolean {
    const subject = ` ${what} ${sha256(about).slice(0, 16)} `
    if (afterContextCleared(this.#lines()).some((line) => line.includes(subject))) return false
    const claimId = crypto.randomUUID()
    if (!this.#append(`${this.#now}${subject}${claimId}`)) return false
    // Undefined if another process has cleared the context since, or the log cannot be read.
    const first = afterContextCleared(this.#lines()).find((line) => line.includes(subject))
    return first?.endsWith(claimId) === true
  }

  #append(line: string): boolean {
    try {
      using folder = OpenFolder.open(sessionsFolder(), { make: 0o700 })
      const path = join(folder.at, basename(this.#path))
      if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) return false
      appendPrivate(path, `${line}\n`)
      return true
    } catch {
      return false
    }
  }

  #lines(): string[] {
    try {
      return readFileSync(this.#path, "utf8").split("\n").filter(Boolean)
    } catch {
      return []
    }
  }
}

/** The note that the model's context was emptied or compacted; after it, texts may be shown again. */
export const CONTEXT_CLEARED = "forgotten"

function afterContextCleared(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => line.includes(` ${CONTEXT_CLEARED} `)) + 1)
}

/** Deletes old sessions; checks at most `max` per call. */
export function pruneSessions(now: number, max = 500): void {
  try {
    using folder = OpenFolder.open(sessionsFolder())
    if (folder === null) return
    for (const name of readdirSync(folder.at).slice(0, max)) {
      const path = join(folder.at, name)
      const changed = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && changed < now - KEPT_MS) rmSync(path, { force: true })
    }
  } catch {
    // The folder does not exist yet, or it belongs to another user.
  }
}

function sessionsFolder(): string {
  return join(userDataDir(), "hooks", "sessions")
}
