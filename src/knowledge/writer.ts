import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { derive } from "./derive.ts"
import type { Change } from "./event.ts"
import { toRow } from "./event-rows.ts"
import { instant } from "./times.ts"

/** Writes events of our own, with what follows from them. For use inside one transaction. */
export class Writer {
  readonly store: KnowledgeStore
  /** ISO instant. */
  readonly now: string
  readonly nextId: () => string

  constructor(store: KnowledgeStore, now: string, nextId: () => string) {
    this.store = store
    this.now = now
    this.nextId = nextId
  }

  /** Moved behind what happened to the subject before: a later event is later in time too, whatever the clock says. */
  write(subject: string, change: Change, at: string = this.now): void {
    const last = this.store.events.lastAt(subject)
    const when = last === null || at > last ? at : instant(Date.parse(last) + 1)
    this.store.events.add(toRow({ id: this.nextId(), at: when, subject, change }))
    derive(this.store, [subject], this.store.events.lastSeq())
  }
}
