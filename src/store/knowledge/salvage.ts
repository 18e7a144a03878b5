import { Database } from "bun:sqlite"
import type { EventRow } from "./events.ts"
import type { ProjectMark, ProjectRow } from "./projects.ts"

/** What can still be read of a damaged knowledge.db. */
export type Salvaged = {
  readonly events: readonly EventRow[]
  /** Events that were there and cannot be read. */
  readonly lost: number
  /** Bodies, JSON. */
  readonly entries: readonly string[]
  readonly entities: readonly string[]
  readonly relations: readonly string[]
  readonly projects: readonly ProjectRow[]
  readonly marks: readonly ProjectMark[]
}

/** Row by row, so that a damaged page takes no more with it than it holds. Changes nothing. */
export function salvage(path: string): Salvaged {
  using db = new Database(path, { readonly: true })
  const events = byNumber<EventRow>(db, "events", "seq", "seq, id, at, subject, type, body")
  const bodies = (table: string, number: string): string[] =>
    byNumber<{ body: string }>(db, table, number, "body").found.map(({ body }) => body)
  return {
    events: events.found,
    lost: events.lost,
    entries: bodies("entries", "row"),
    entities: bodies("entities", "rowid"),
    relations: bodies("relations", "rowid"),
    projects: byNumber<ProjectRow>(db, "projects", "rowid", "id, name, created").found,
    marks:
      attempt(() => db.query<ProjectMark, []>("SELECT project, kind, value FROM project_marks").all()) ?? [],
  }
}

/** Every row by its number, up to the highest that can be found out. */
function byNumber<Row>(
  db: Database,
  table: string,
  number: string,
  columns: string,
): { found: Row[]; lost: number } {
  const found: Row[] = []
  let lost = 0
  const last = highest(db, table, number)
  const find = attempt(() => db.query<Row, [number]>(`SELECT ${columns} FROM ${table} WHERE ${number} = ?`))
  for (let at = 1; find && at <= last; at++) {
    const row = attempt(() => find.get(at))
    if (row === undefined) lost++
    else if (row !== null) found.push(row)
  }
  return { found, lost }
}

function highest(db: Database, table: string, number: string): number {
  const counted = attempt(
    () =>
      db.query<{ seq: number }, [string]>("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table)?.seq,
  )
  const last = attempt(
    () => db.query<{ last: number | null }, []>(`SELECT max(${number}) AS last FROM ${table}`).get()?.last,
  )
  return Math.max(counted ?? 0, last ?? 0)
}

/** Undefined where the pages that it needs are damaged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
