import type { IndexMark } from "../../app/index-mark.ts"
import { everyHalfSecond } from "../../base/heartbeat.ts"
import type { Session } from "../session.ts"
import type { Subscriptions } from "./subscriptions.ts"
import { resourceName } from "./uris.ts"

// Comparing the list of all files costs some milliseconds where there are many.
const LIST_EVERY_MS = 1000

/**
 * Tells a client when the files of the index are others, or what it subscribed to says something else. Looked at twice
 * a second, since another process may be the one that indexes or remembers.
 */
export function followChanges(session: Session, subscriptions: Subscriptions): Disposable {
  const list = new ListWatch(() => subscriptions.tellList())
  const seen = new Map<string, number | null>()

  function look(): void {
    const mark = session.opened.project?.indexMark() ?? null
    if (mark !== null) list.look(mark)
    for (const uri of [...seen.keys()]) if (!subscriptions.uris.has(uri)) seen.delete(uri)
    for (const uri of subscriptions.uris) {
      const [before, now] = [seen.get(uri), stateOf(uri, session, mark)]
      seen.set(uri, now)
      if (before !== undefined && before !== now) subscriptions.tell(uri)
    }
  }

  return everyHalfSecond(() => {
    try {
      look()
    } catch {
      // An index that is being replaced; the next look sees it.
    }
  })
}

class ListWatch {
  readonly #tell: () => void
  #version: number | null = null
  #list: bigint | null = null
  #at = Number.NEGATIVE_INFINITY
  #isDue = false

  constructor(tell: () => void) {
    this.#tell = tell
  }

  look({ version, list }: IndexMark): void {
    this.#isDue ||= version !== this.#version
    this.#version = version
    const now = performance.now()
    if (!this.#isDue || now - this.#at < LIST_EVERY_MS) return
    this.#isDue = false
    this.#at = now
    const found = list()
    if (this.#list !== null && this.#list !== found) this.#tell()
    this.#list = found
  }
}

/** Another number whenever a resource says something else. */
function stateOf(uri: string, session: Session, mark: IndexMark | null): number | null {
  const { project, memory } = session.opened
  const name = project === null ? null : resourceName(uri, project.root)
  if (name === null) return null
  if (name.kind === "memory" || name.kind === "topic") return memory?.knowledge.lastSeq() ?? null
  return "path" in name ? (mark?.file(name.path) ?? null) : (mark?.version ?? null)
}
