import type { Database } from "bun:sqlite"

/** What is folded from the log, table by table: an id first, and nothing of when it was folded. */
const CONTENTS: Readonly<Record<string, string>> = {
  entries: `SELECT id, project, topic, kind, key, author, role, session, ordinal, path, recorded_at, revised_at,
    valid_from, valid_until, superseded_at, superseded_by, deleted_at, text_hash, body FROM main.entries`,
  entry_tags: "SELECT entry, tag FROM main.entry_tags",
  entry_entities: "SELECT entry, name FROM main.entry_entities",
  entry_likeness: `SELECT coalesce(e.id, 'row ' || l.entry), l.key
    FROM main.entry_likeness AS l LEFT JOIN main.entries AS e ON e.row = l.entry`,
  entities: "SELECT id, project, merged_into, deleted_at, body FROM main.entities",
  entity_names: "SELECT entity, name FROM main.entity_names",
  relations: "SELECT id, deleted_at, body FROM main.relations",
}

/** The derived tables as a whole: to be emptied, filled anew, and compared with what they were. */
export class DerivedTables {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Empties them, and keeps aside what they were. Call inside a transaction that fills them anew. */
  clear(): void {
    for (const [table, contents] of Object.entries(CONTENTS))
      this.#db.run(`CREATE TEMP TABLE former_${table} AS ${contents}`)
    for (const table of Object.keys(CONTENTS)) this.#db.run(`DELETE FROM main.${table}`)
  }

  /** Ids of what is otherwise now, sorted; forgets what was kept aside. */
  differing(): string[] {
    const ids = new Set<string>()
    for (const [table, contents] of Object.entries(CONTENTS)) {
      const former = `SELECT * FROM temp.former_${table}`
      for (const sql of [`${former} EXCEPT ${contents}`, `${contents} EXCEPT ${former}`])
        for (const [id] of this.#db.query<never, []>(sql).values() as [string][]) ids.add(id)
      this.#db.run(`DROP TABLE temp.former_${table}`)
    }
    return [...ids].sort()
  }
}
