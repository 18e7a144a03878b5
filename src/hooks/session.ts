import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { userDataDir } from "../base/paths.ts"
import { sha256 } from "../base/sha256.ts"

/** A session is forgotten when nothing happened in it for so long. */
const KEPT_MS = 7 * 24 * 3_600_000
/** Beyond this nothing more is noted, and what has to be noted first is not done any more. */
const MOST_BYTES = 256 * 1024

export type Note = { readonly at: number; readonly what: string; readonly about: string }

/**
 * What happened in a session so far: a line for each, appended by whichever hook saw it. Appends do not tear and have
 * one order for all processes, so of hooks that run at the same time exactly one is the first to note a thing.
 */
export class Session {
  readonly #path: string
  readonly #now: number

  /** `now`: milliseconds since 1970. */
  constructor(session: string, now: number) {
    this.#path = join(sessionsFolder(), `${sha256(session).slice(0, 32)}.log`)
    this.#now = now
  }

  /** Oldest first. */
  notes(): Note[] {
    return this.#lines().flatMap((line) => {
      const [at, what, about = ""] = line.split(" ", 3)
      return what === undefined ? [] : [{ at: Number(at), what, about }]
    })
  }

  /** False where it could not be written down. `about` is a word. */
  note(what: string, about = ""): boolean {
    return this.#append(`${this.#now} ${what} ${about}`)
  }

  forget(): void {
    rmSync(this.#path, { force: true })
  }

  /**
   * True for the first who asks since the model's context was last emptied; false also where that cannot be noted:
   * better to say nothing than to say it each time.
   */
  claims(what: string, about: string): boolean {
    const subject = ` ${what} ${sha256(about).slice(0, 16)} `
    if (sinceForgotten(this.#lines()).some((line) => line.includes(subject))) return false
    const own = crypto.randomUUID()
    if (!this.#append(`${this.#now}${subject}${own}`)) return false
    return sinceForgotten(this.#lines())
      .find((line) => line.includes(subject))!
      .endsWith(own)
  }

  #append(line: string): boolean {
    try {
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size
      if (size === undefined) mkdirSync(sessionsFolder(), { recursive: true, mode: 0o700 })
      else if (size > MOST_BYTES) return false
      appendFileSync(this.#path, `${line}\n`, { mode: 0o600 })
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

/** What was said before the context was emptied or made short has to be said again. */
export const FORGOTTEN = "forgotten"

function sinceForgotten(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => line.includes(` ${FORGOTTEN} `)) + 1)
}

/** Forgets old sessions; of very many, some at a time. */
export function pruneSessions(now: number, most = 500): void {
  try {
    for (const name of readdirSync(sessionsFolder()).slice(0, most)) {
      const path = join(sessionsFolder(), name)
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && changed < now - KEPT_MS) rmSync(path, { force: true })
    }
  } catch {
    // None yet, or none of ours to remove.
  }
}

function sessionsFolder(): string {
  return join(userDataDir(), "hooks", "sessions")
}
