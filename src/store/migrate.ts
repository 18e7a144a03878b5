import type { Database } from "bun:sqlite"

/** Brings a database to the newest schema: its version is the number of migrations it has had. */
export function migrate(db: Database, migrations: readonly string[]): void {
  if (schemaVersion(db) >= migrations.length) return
  db.transaction(() => {
    // Asked again inside: another process may have been first.
    for (let next = schemaVersion(db); next < migrations.length; next++) db.run(migrations[next]!)
    db.run(`PRAGMA user_version = ${Math.max(schemaVersion(db), migrations.length)}`)
  }).immediate()
}

export function schemaVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()!.user_version
}
