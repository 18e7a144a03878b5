import type { Database } from "bun:sqlite"

/** Kept beside the log and carried with exports: an id of entries would mean nothing without. */
export type ProjectRow = { readonly id: string; readonly name: string; readonly created: string }

export const MARK_KINDS = ["root-commit", "remote", "path"] as const
export type MarkKind = (typeof MARK_KINDS)[number]

/** By what a project is known again. A path means something on this machine only. */
export type ProjectMark = { readonly project: string; readonly kind: MarkKind; readonly value: string }

export class ProjectsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  all(): ProjectRow[] {
    return this.#db.query<ProjectRow, []>("SELECT id, name, created FROM projects ORDER BY created, id").all()
  }

  get(id: string): ProjectRow | null {
    return this.#db.query<ProjectRow, [string]>("SELECT id, name, created FROM projects WHERE id = ?").get(id)
  }

  /** False, and nothing changed, where the id is known. */
  add({ id, name, created }: ProjectRow): boolean {
    const { changes } = this.#db
      .query("INSERT INTO projects (id, name, created) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .run(id, name, created)
    return changes > 0
  }

  rename(id: string, name: string): void {
    this.#db.query("UPDATE projects SET name = ? WHERE id = ?").run(name, id)
  }

  /** With its marks; entries that name it stay as they are. */
  remove(id: string): void {
    this.#db.query("DELETE FROM project_marks WHERE project = ?").run(id)
    this.#db.query("DELETE FROM projects WHERE id = ?").run(id)
  }

  marks(project?: string): ProjectMark[] {
    return this.#db
      .query<ProjectMark, [string | null]>(
        "SELECT project, kind, value FROM project_marks WHERE ?1 IS NULL OR project = ?1 ORDER BY project, kind, value",
      )
      .all(project ?? null)
  }

  /** Ids of the projects that carry this mark: more than one is possible, as of a fork. */
  withMark(kind: MarkKind, value: string): string[] {
    return this.#db
      .query<{ project: string }, [string, string]>(
        "SELECT project FROM project_marks WHERE kind = ? AND value = ? ORDER BY project",
      )
      .all(kind, value)
      .map((row) => row.project)
  }

  mark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("INSERT OR IGNORE INTO project_marks (project, kind, value) VALUES (?, ?, ?)")
      .run(project, kind, value)
  }

  unmark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("DELETE FROM project_marks WHERE project = ? AND kind = ? AND value = ?")
      .run(project, kind, value)
  }
}
