/**
 * An entry as a person expects it. The model implements the rules of the store in the simplest way; tests compare it
 * with the store.
 */
export type ModelEntry = {
  readonly id: string
  text: string
  topic: string
  project: string | null
  key: string | null
  tags: Set<string>
  entities: readonly string[]
  revision: number
  /** Number of the step in which it was last stored or revised. */
  stepNumber: number
  isDeleted: boolean
  until: string | null
  reason: string | null
  successor: string | null
}

/** A simple model of a store that one person uses. */
export class KnowledgeModel {
  readonly entries = new Map<string, ModelEntry>()

  get ids(): string[] {
    return [...this.entries.keys()]
  }

  /**
   * Id of the existing entry that remembering these fields would find or revise; null when a new entry is
   * stored.
   */
  known(asked: Pick<ModelEntry, "text" | "topic" | "project" | "key">): string | null {
    const living = this.ids.filter((id) => this.isLiving(id)).map((id) => this.entries.get(id)!)
    const sameKey = living.find(
      ({ key, project }) => key !== null && key === asked.key && project === asked.project,
    )
    if (sameKey !== undefined) return sameKey.id
    const same = living.find(
      ({ text, topic, project, key }) =>
        text === asked.text && topic === asked.topic && project === asked.project && key === asked.key,
    )
    return same?.id ?? null
  }

  store(
    id: string,
    stepNumber: number,
    fields: Pick<ModelEntry, "text" | "topic" | "project" | "key" | "tags" | "entities">,
  ): void {
    const fresh = { revision: 1, isDeleted: false, until: null, reason: null, successor: null }
    this.entries.set(id, { id, stepNumber, ...fields, ...fresh })
  }

  revise(id: string, stepNumber: number, fields: Partial<ModelEntry>): void {
    const entry = this.entries.get(id)!
    Object.assign(entry, fields, { stepNumber, revision: entry.revision + 1 })
  }

  restore(id: string): void {
    const entry = this.entries.get(id)!
    if (entry.isDeleted) entry.isDeleted = false
    else Object.assign(entry, { until: null, reason: null, successor: null })
  }

  /**
   * Id of the entry that replaced this one: the declared successor, else the latest entry with the same key. Null when
   * there is none.
   */
  successorOf(id: string): string | null {
    const entry = this.entries.get(id)!
    if (entry.successor !== null || entry.isDeleted || entry.key === null) return entry.successor
    const rivals = [...this.entries.values()].filter(
      ({ key, project, isDeleted, successor }) =>
        key === entry.key && project === entry.project && !isDeleted && successor === null,
    )
    const last = rivals.reduce((one, other) => (other.stepNumber > one.stepNumber ? other : one))
    return last.id === id ? null : last.id
  }

  /** Neither deleted nor replaced. */
  isLiving(id: string): boolean {
    return !this.entries.get(id)!.isDeleted && this.successorOf(id) === null
  }
}
