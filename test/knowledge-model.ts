/** What a person expects of an entry: told again, plainly, so that the store can be held against it. */
export type ModelEntry = {
  readonly id: string
  text: string
  topic: string
  project: string | null
  key: string | null
  tags: Set<string>
  entities: readonly string[]
  revision: number
  /** When it was last said or revised, as a number of the step. */
  said: number
  isDeleted: boolean
  until: string | null
  reason: string | null
  successor: string | null
}

/** One store as one person uses it. */
export class KnowledgeModel {
  readonly entries = new Map<string, ModelEntry>()

  get ids(): string[] {
    return [...this.entries.keys()]
  }

  /** The id of the entry that is meant by what is remembered, where there is one already. */
  known(asked: Pick<ModelEntry, "text" | "topic" | "project" | "key">): string | null {
    const standing = this.ids.filter((id) => this.isStanding(id)).map((id) => this.entries.get(id)!)
    const sameKey = standing.find(
      ({ key, project }) => key !== null && key === asked.key && project === asked.project,
    )
    if (sameKey !== undefined) return sameKey.id
    const same = standing.find(
      ({ text, topic, project, key }) =>
        text === asked.text && topic === asked.topic && project === asked.project && key === asked.key,
    )
    return same?.id ?? null
  }

  store(
    id: string,
    said: number,
    fields: Pick<ModelEntry, "text" | "topic" | "project" | "key" | "tags" | "entities">,
  ): void {
    const fresh = { revision: 1, isDeleted: false, until: null, reason: null, successor: null }
    this.entries.set(id, { id, said, ...fields, ...fresh })
  }

  revise(id: string, said: number, fields: Partial<ModelEntry>): void {
    const entry = this.entries.get(id)!
    Object.assign(entry, fields, { said, revision: entry.revision + 1 })
  }

  restore(id: string): void {
    const entry = this.entries.get(id)!
    if (entry.isDeleted) entry.isDeleted = false
    else Object.assign(entry, { until: null, reason: null, successor: null })
  }

  /** What took its place: as was said, or the last said entry of the same key. */
  successorOf(id: string): string | null {
    const entry = this.entries.get(id)!
    if (entry.successor !== null || entry.isDeleted || entry.key === null) return entry.successor
    const rivals = [...this.entries.values()].filter(
      ({ key, project, isDeleted, successor }) =>
        key === entry.key && project === entry.project && !isDeleted && successor === null,
    )
    const last = rivals.reduce((one, other) => (other.said > one.said ? other : one))
    return last.id === id ? null : last.id
  }

  /** Neither deleted nor replaced. */
  isStanding(id: string): boolean {
    return !this.entries.get(id)!.isDeleted && this.successorOf(id) === null
  }
}
