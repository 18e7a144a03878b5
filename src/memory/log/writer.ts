import { AmanError } from "../../base/index.ts"
import type { KnowledgeStore } from "../../store/index.ts"
import type { Reach, Reader } from "../entries/entry-rows.ts"
import { instant } from "../entries/times.ts"
import { derive } from "./derive.ts"
import { type Change, toRow } from "./event.ts"
import { idAfter } from "./ids.ts"

/** Writes this store's own events and updates the derived tables. For use inside one transaction. */
export class Writer {
  readonly store: KnowledgeStore
  readonly reach: Reach | null
  /** ISO instant. */
  readonly now: string
  readonly nextId: () => string

  constructor({ store, reach }: Reader, now: string, nextId: () => string) {
    this.store = store
    this.reach = reach
    this.now = now
    this.nextId = nextId
  }

  /**
   * Writes an event. If the clock is not later than the subject's last event, the event gets a time just
   * after that one, so that the order of times is the order of writing.
   */
  write(subject: string, change: Change, at: string = this.now): void {
    const last = this.store.events.lastOf(subject)
    const when = last === null || at > last.at ? at : instant(Date.parse(last.at) + 1)
    const id = this.nextId()
    // If the last event already has the last representable instant, the new event gets the same time, and their ids
    // decide the order.
    const isBehind = last === null || when > last.at || id > last.id || change.type === "purged"
    this.store.events.add(toRow({ id: isBehind ? id : requireIdAfter(last.id), at: when, subject, change }))
    derive(this.store, [subject], this.store.events.lastSeq())
  }
}

function requireIdAfter(last: string): string {
  const id = idAfter(last)
  if (id !== null) return id
  throw new AmanError("USAGE", "this entry cannot be changed: its last change has the latest possible date", {
    hint: "the clock was wrong when it was changed; purge it and store it again",
  })
}
