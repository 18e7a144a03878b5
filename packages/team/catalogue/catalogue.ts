import { SQL, type TransactionSQL } from "bun"
import { AmanError } from "../../../src/base/errors.ts"
import { MIGRATIONS } from "./migrations.ts"
import { grantRights } from "./roles.ts"

/**
 * Key of the advisory lock that serializes migrations of several processes; an arbitrary number that no other program
 * uses.
 */
const MIGRATION_LOCK = 5_418_361_722

const CONNECT_TIMEOUT_S = 10
const MAX_CONNECTIONS = 8

/** Runs statements, on any connection or within a transaction. */
export type Statements = SQL | TransactionSQL

/** Channels on which the database announces committed changes; the payload is the id of a repository. */
export const CHANNEL = { job: "aman_job", revision: "aman_revision" } as const

/**
 * The team's PostgreSQL database: repositories, their published revisions, the rights to read them, and the queue of
 * jobs. Migrated when it is opened. Methods throw TEAM if it cannot be reached or refuses a statement.
 */
export class Catalogue implements AsyncDisposable {
  readonly #sql: SQL

  private constructor(sql: SQL) {
    this.#sql = sql
  }

  /** Throws TEAM if the database cannot be reached, or was migrated by a newer aman. */
  static async open(url: string): Promise<Catalogue> {
    const catalogue = new Catalogue(connect(url))
    try {
      await catalogue.run((sql) => sql.begin(migrate))
      return catalogue
    } catch (error) {
      await catalogue[Symbol.asyncDispose]()
      throw error
    }
  }

  async run<T>(act: (sql: SQL) => Promise<T>): Promise<T> {
    try {
      return await act(this.#sql)
    } catch (error) {
      throw asTeamError(error)
    }
  }

  /** Runs `act` in a transaction, which is undone if it throws. */
  transaction<T>(act: (sql: TransactionSQL) => Promise<T>): Promise<T> {
    return this.run((sql) => sql.begin(act)) as Promise<T>
  }

  /**
   * Calls `onNews` for each announcement on the channel, and once when listening starts or starts again, because
   * announcements may have been missed.
   */
  listen(channel: string, onNews: () => void): Promise<AsyncDisposable> {
    return this.run(async (sql) => await sql.listen(channel, onNews, onNews))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 1 })
  }
}

function connect(url: string): SQL {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw notAnAddress()
  }
  if (!/^postgres(?:ql)?:$/.test(parsed.protocol)) throw notAnAddress()
  return new SQL(url, { max: MAX_CONNECTIONS, connectionTimeout: CONNECT_TIMEOUT_S })
}

// The message does not quote the address, because it contains a password.
function notAnAddress(): AmanError {
  return new AmanError("USAGE", "the team's database is not given as an address of PostgreSQL", {
    hint: "set AMAN_TEAM_DATABASE to postgres://USER:PASSWORD@HOST:5432/DATABASE",
  })
}

async function migrate(sql: TransactionSQL): Promise<void> {
  // Roles of workers and nodes may read the version and nothing more.
  if ((await versionOf(sql)) === MIGRATIONS.length) return
  await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await sql`CREATE SCHEMA IF NOT EXISTS aman`
  await sql`CREATE TABLE IF NOT EXISTS aman.schema (version int NOT NULL)`
  const version = await versionOf(sql)
  if (version > MIGRATIONS.length) {
    throw new AmanError("TEAM", `the team's database was migrated by a newer aman (schema ${version})`, {
      hint: "update aman",
    })
  }
  if (version === MIGRATIONS.length) return
  for (const migration of MIGRATIONS.slice(version)) await sql.unsafe(migration)
  await sql`DELETE FROM aman.schema`
  await sql`INSERT INTO aman.schema VALUES (${MIGRATIONS.length})`
  await grantRights(sql)
}

/** Number of the migrations that were applied. */
async function versionOf(sql: TransactionSQL): Promise<number> {
  const [found] = await sql`SELECT to_regclass('aman.schema') IS NOT NULL AS exists`
  if (!found.exists) return 0
  const [row] = await sql<{ version: number }[]>`SELECT version FROM aman.schema`
  return row?.version ?? 0
}

/** PostgreSQL's code for a text that is not in the database's encoding, such as one with a NUL. */
const UNTRANSLATABLE = "22021"

/** PostgreSQL's code for a right that the role does not have. */
const FORBIDDEN = "42501"

/** Returns an AmanError unchanged, and any other error as a TEAM error with the database's message. */
function asTeamError(error: unknown): unknown {
  if (!(error instanceof SQL.SQLError)) return error
  const { code, errno } = error as { readonly code?: string; readonly errno?: string }
  if (errno === UNTRANSLATABLE)
    return new AmanError("USAGE", "a text contains a character that cannot be stored (NUL)", { cause: error })
  if (errno === FORBIDDEN)
    return new AmanError("TEAM", `the team's database refused this role: ${error.message}`, {
      hint: "use the role that owns the tables in AMAN_TEAM_DATABASE; for workers and nodes it runs: aman team permit",
      cause: error,
    })
  const isAway = /CONNECTION|TIMEOUT/.test(code ?? "")
  return new AmanError(
    "TEAM",
    `the team's database ${isAway ? "cannot be reached" : "failed"}: ${error.message}`,
    {
      hint: isAway
        ? "check AMAN_TEAM_DATABASE and that PostgreSQL runs"
        : `PostgreSQL's error code is ${errno ?? "unknown"}`,
      cause: error,
    },
  )
}
