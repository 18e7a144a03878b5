import type { Database } from "bun:sqlite"
import { addSeal, compareSums, damagedStore, isSealed, type SealedTable, sealOf, sealSum } from "./seal.ts"

/** A project. It is stored outside the log and included in exports, because entries refer to it by id only. */
export type ProjectRow = { readonly id: string; readonly name: string; readonly created: string }

/** The kinds of marks that an export may contain. */
export const MARK_KINDS = ["root-commit", "remote", "path"] as const
/** A mark of kind "folder" identifies the folder that the file system has at a path; see `folderMark`. */
export type MarkKind = (typeof MARK_KINDS)[number] | "folder"

/** A mark by which a project is recognized. Marks of kind path and folder are valid on this machine only. */
export type ProjectMark = { readonly project: string; readonly kind: MarkKind; readonly value: string }

export class ProjectsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  all(): ProjectRow[] {
    return this.#whole("projects", "id, name, created", "created, id").map(([id, name, created]) => ({
      id,
      name,
      created,
    }))
  }

  get(id: string): ProjectRow | null {
    return this.#db.query<ProjectRow, [string]>("SELECT id, name, created FROM projects WHERE id = ?").get(id)
  }

  /** Adds a project. False, without a change, if the id exists already. */
  add({ id, name, created }: ProjectRow): boolean {
    const { changes } = this.#db
      .query("INSERT INTO projects (id, name, created, seal) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .run(id, name, created, sealOf("projects", [id, name, created]))
    return changes > 0
  }

  rename(id: string, name: string): void {
    const known = this.get(id)
    if (known === null) return
    this.#db
      .query("UPDATE projects SET name = ?, seal = ? WHERE id = ?")
      .run(name, sealOf("projects", [id, name, known.created]), id)
  }

  /** Removes a project with its marks. Entries that refer to it stay unchanged. */
  remove(id: string): void {
    this.#db.query("DELETE FROM project_marks WHERE project = ?").run(id)
    this.#db.query("DELETE FROM projects WHERE id = ?").run(id)
  }

  marks(project?: string): ProjectMark[] {
    const marks = this.#whole("project_marks", "kind, value, project", "project, kind, value")
    return marks.flatMap(([kind, value, id]) =>
      project === undefined || id === project ? [{ project: id, kind: kind as MarkKind, value }] : [],
    )
  }

  /** Ids of the projects with this mark. Several projects may have it, for example forks. */
  withMark(kind: MarkKind, value: string): string[] {
    return this.marks()
      .filter((mark) => mark.kind === kind && mark.value === value)
      .map((mark) => mark.project)
  }

  mark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("INSERT OR IGNORE INTO project_marks (project, kind, value, seal) VALUES (?, ?, ?, ?)")
      .run(project, kind, value, sealOf("project_marks", [kind, value, project]))
  }

  unmark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("DELETE FROM project_marks WHERE project = ? AND kind = ? AND value = ?")
      .run(project, kind, value)
  }

  /**
   * All rows of a table, checked against their seals. Without this check, a lost mark would mean that a project's
   * entries are not found, and nobody would notice.
   */
  #whole(table: SealedTable, columns: string, order: string): [string, string, string][] {
    const read = () => {
      const expected = sealSum(this.#db, table)
      const sql = `SELECT ${columns}, ${expected === null ? "NULL" : "seal"} FROM ${table} ORDER BY ${order}`
      const rows = this.#db.query<never, []>(sql).values() as [string, string, string, number | null][]
      let seals = 0
      for (const [a, b, c, seal] of rows) {
        if (!isSealed(table, [a, b, c], seal)) throw damagedStore(`a row of ${table} was altered`)
        seals = addSeal(seals, seal)
      }
      if (expected !== null) compareSums(table, { rows: rows.length, seals }, expected)
      return rows.map(([a, b, c]): [string, string, string] => [a, b, c])
    }
    // One transaction, so that the rows and the table's stored count and checksum are those of one moment.
    return this.#db.inTransaction ? read() : this.#db.transaction(read).deferred()
  }
}
