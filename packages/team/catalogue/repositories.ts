import { AmanError } from "../../../src/base/errors.ts"
import { note } from "./audit.ts"
import { type Catalogue, CHANNEL } from "./catalogue.ts"
import { requestUpdate } from "./jobs.ts"

/** A repository of the team, as people see it. */
export type TeamRepository = {
  readonly repository: string
  readonly url: string
  /** The commit whose index is published; null if none is. */
  readonly commit: string | null
  readonly files: number
  readonly bytes: number
  readonly published_at: string | null
  readonly checked_at: string | null
  /**
   * `waiting`: to be indexed; `indexing`: a worker is indexing it; `ready`: nothing to do; `failed`: the last attempt
   * failed.
   */
  readonly state: "waiting" | "indexing" | "ready" | "failed"
  readonly worker: string | null
  readonly error: string | null
}

/** Adds a repository and requests that it is indexed. Throws NOT_NEW if the team has the repository already. */
export async function addRepository(
  catalogue: Catalogue,
  who: string,
  name: string,
  url: string,
): Promise<void> {
  await catalogue.transaction(async (sql) => {
    const [row] = await sql`
      INSERT INTO aman.repositories (name, url) VALUES (${name}, ${url}) ON CONFLICT DO NOTHING RETURNING id`
    if (row === undefined) throw new AmanError("NOT_NEW", `${name} is already one of the team's repositories`)
    await requestUpdate(sql, row.id)
    await note(sql, who, "add repository", url)
  })
}

/**
 * Removes a repository and its published revisions; its blobs are deleted by the next collection. Throws NOT_FOUND.
 */
export async function removeRepository(catalogue: Catalogue, who: string, name: string): Promise<void> {
  await catalogue.transaction(async (sql) => {
    const [row] = await sql`DELETE FROM aman.repositories WHERE name = ${name} RETURNING id, url`
    if (row === undefined) throw noSuchRepository(name)
    await note(sql, who, "remove repository", row.url)
    await sql`SELECT pg_notify(${CHANNEL.revision}, ${row.id})`
  })
}

/** Requests that these repositories are fetched and indexed now; all of them if none is named. Throws NOT_FOUND. */
export async function requestUpdates(catalogue: Catalogue, names: readonly string[]): Promise<number> {
  return catalogue.transaction(async (sql) => {
    const found =
      names.length === 0
        ? await sql`SELECT id FROM aman.repositories`
        : await sql`SELECT id, name FROM aman.repositories WHERE name = ANY(${sql.array([...names], "TEXT")})`
    const missing = names.find((name) => !found.some((row: { name: string }) => row.name === name))
    if (missing !== undefined) throw noSuchRepository(missing)
    for (const { id } of found) await requestUpdate(sql, id)
    return found.length
  })
}

/**
 * Requests an update of the repositories with these names, on any branch; returns how many there are. Null if the
 * message with this hash (64 hexadecimal digits) was received before.
 */
export async function requestPushedUpdates(
  catalogue: Catalogue,
  names: readonly string[],
  digest: string,
): Promise<number | null> {
  return catalogue.transaction(async (sql) => {
    await sql`DELETE FROM aman.deliveries WHERE at < now() - make_interval(days => ${KEPT_DELIVERIES_DAYS})`
    const [taken] = await sql`
      INSERT INTO aman.deliveries (hash) VALUES (${Buffer.from(digest, "hex")}) ON CONFLICT DO NOTHING RETURNING 1`
    if (taken === undefined) return null
    const found = await sql`
      SELECT id FROM aman.repositories WHERE split_part(name, '#', 1) = ANY(${sql.array([...names], "TEXT")})`
    for (const { id } of found) await requestUpdate(sql, id)
    return found.length
  })
}

/**
 * Number of days for which the hashes of webhook deliveries are kept. A replay after this time can only request one more check
 * of a repository.
 */
const KEPT_DELIVERIES_DAYS = 90

/** All repositories, sorted by name. */
export async function listRepositories(catalogue: Catalogue): Promise<TeamRepository[]> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT r.name, r.url, r.checked_at, r.error, v.commit_id, v.files, v.bytes, v.published_at, j.worker,
        j.repository_id IS NOT NULL AS is_wanted, coalesce(j.lease_until > now(), false) AS is_claimed
      FROM aman.repositories r
      LEFT JOIN aman.revisions v ON v.id = r.revision_id
      LEFT JOIN aman.jobs j ON j.repository_id = r.id
      ORDER BY r.name`,
  )
  return rows.map((row: RepositoryRow) => ({
    repository: row.name,
    url: row.url,
    commit: row.commit_id,
    files: row.files ?? 0,
    bytes: Number(row.bytes ?? 0),
    published_at: row.published_at?.toISOString() ?? null,
    checked_at: row.checked_at?.toISOString() ?? null,
    state: repositoryState(row),
    worker: row.is_claimed ? row.worker : null,
    error: row.error,
  }))
}

type RepositoryRow = {
  readonly name: string
  readonly url: string
  readonly checked_at: Date | null
  readonly error: string | null
  readonly commit_id: string | null
  readonly files: number | null
  readonly bytes: string | null
  readonly published_at: Date | null
  readonly worker: string | null
  readonly is_wanted: boolean
  readonly is_claimed: boolean
}

function repositoryState({ is_wanted, is_claimed, error }: RepositoryRow): TeamRepository["state"] {
  if (is_claimed) return "indexing"
  if (error !== null) return "failed"
  return is_wanted ? "waiting" : "ready"
}

export function noSuchRepository(name: string): AmanError {
  return new AmanError("NOT_FOUND", `the team has no repository named ${JSON.stringify(name)}`, {
    hint: "see: aman team repos",
  })
}
