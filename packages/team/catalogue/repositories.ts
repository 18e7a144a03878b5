import { randomUUID } from "node:crypto"
import { AmanError } from "../../../src/base/index.ts"
import { type Catalogue, CHANNEL, noSuchRepository, note, type Statements } from "./catalogue.ts"

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
  /** Share of the files that are read; null unless a worker reads them now. */
  readonly progress: number | null
  /** Place in the queue, from 1; null unless it waits. */
  readonly place: number | null
  readonly error: string | null
  /** Patterns of branches that are indexed beside it, and the number of matching ones beyond MAX_BRANCHES. */
  readonly branches: readonly string[]
  readonly left_branches: number
}

/**
 * Adds a repository, requests that it is indexed, and grants it to the teams with a pattern for its name. `patterns`: those of
 * branches that are indexed beside it, which replace the ones of a repository that the team has. Throws NOT_NEW if the team has
 * the repository already and there are none. Returns false if it had it.
 */
export async function addRepository(
  catalogue: Catalogue,
  who: string,
  { name, url, branches = [] }: { name: string; url: string; branches?: readonly string[] },
): Promise<boolean> {
  return catalogue.transaction(async (sql) => {
    await lockPatterns(sql)
    const list = sql.array([...branches], "TEXT")
    const [row] = await sql`
      INSERT INTO aman.repositories (name, url, branch_patterns) VALUES (${name}, ${url}, ${list})
      ON CONFLICT DO NOTHING RETURNING id`
    if (branches.length > 0) await note(sql, who, "index branches", `${branches.join(" ")} of ${url}`)
    if (row === undefined) {
      const [known] = await sql`
        UPDATE aman.repositories SET branch_patterns = ${list}, left_branches = 0
        WHERE name = ${name} AND parent_id IS NULL AND ${branches.length > 0} RETURNING id`
      if (known === undefined)
        throw new AmanError("NOT_NEW", `${name} is already one of the team's repositories`)
      await requestUpdate(sql, known.id)
      return false
    }
    const patterns = await sql<{ team_id: string; pattern: string }[]>`SELECT * FROM aman.grant_patterns`
    for (const { team_id } of patterns.filter((each) => nameMatcher(each.pattern)(name)))
      await sql`INSERT INTO aman.grants VALUES (${team_id}, ${row.id}) ON CONFLICT DO NOTHING`
    await requestUpdate(sql, row.id)
    await note(sql, who, "add repository", url)
    return true
  })
}

/**
 * Held until the transaction ends: a repository that is added and a pattern that is granted at the same time would not see
 * each other.
 */
export async function lockPatterns(sql: Statements): Promise<void> {
  await sql`LOCK TABLE aman.grant_patterns IN SHARE ROW EXCLUSIVE MODE`
}

/**
 * True for names that match a pattern, in which `*` stands for any characters. Case counts, although the large forges ignore
 * it: other hosts do not, and a right must not be wider than what was written.
 */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const [first, ...parts] = pattern.split("*")
  const last = parts.pop()
  if (last === undefined) return (name) => name === pattern
  return (name) => {
    if (!name.startsWith(first!)) return false
    let at = first!.length
    for (const part of parts) {
      const found = name.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return name.length - at >= last.length && name.endsWith(last)
  }
}

/** Maximum number of branches that the patterns of one repository bring. */
export const MAX_BRANCHES = 50

/** The branches of a repository that its patterns bring, without the one that it is indexed at. */
export function matchingBranches(
  branches: readonly string[],
  patterns: readonly string[],
  head: string | null,
): string[] {
  const matchers = patterns.map(nameMatcher)
  return branches.filter((each) => each !== head && matchers.some((matches) => matches(each))).sort()
}

/** The patterns of branches of the job's repository. */
export async function branchPatterns(catalogue: Catalogue, { repositoryId }: IndexJob): Promise<string[]> {
  const [row] = await catalogue.run(
    (sql) => sql<{ branch_patterns: string[] }[]>`
      SELECT branch_patterns FROM aman.repositories WHERE id = ${repositoryId}`,
  )
  return row?.branch_patterns ?? []
}

/**
 * Adds those of these branches that are new, and removes those that are none any more, unless another worker has the job now.
 * Of more than MAX_BRANCHES, those that are there stay and the first ones by name are added.
 */
export async function keepBranches(
  catalogue: Catalogue,
  job: IndexJob,
  branches: readonly string[],
): Promise<void> {
  await catalogue.transaction(async (sql) => {
    if (!(await holdsJob(sql, job))) return
    const rows = await sql<{ name: string }[]>`
      SELECT name FROM aman.repositories WHERE parent_id = ${job.repositoryId}`
    const known = new Set(rows.map(({ name }) => name))
    const named = branches.map((branch) => ({ name: `${job.name}#${branch}`, url: `${job.url}#${branch}` }))
    const kept = [
      ...named.filter(({ name }) => known.has(name)),
      ...named.filter(({ name }) => !known.has(name)),
    ].slice(0, MAX_BRANCHES)
    const names = sql.array(
      kept.map(({ name }) => name),
      "TEXT",
    )
    await sql`DELETE FROM aman.repositories WHERE parent_id = ${job.repositoryId} AND name <> ALL(${names})`
    for (const { name, url } of kept.filter((each) => !known.has(each.name))) {
      const [added] = await sql`
        INSERT INTO aman.repositories (name, url, parent_id) VALUES (${name}, ${url}, ${job.repositoryId})
        ON CONFLICT DO NOTHING RETURNING id`
      if (added !== undefined) await requestUpdate(sql, added.id)
    }
    await sql`
      UPDATE aman.repositories SET left_branches = ${branches.length - kept.length} WHERE id = ${job.repositoryId}`
    await sql`SELECT pg_notify(${CHANNEL.revision}, ${job.repositoryId})`
  })
}

/**
 * Removes a repository and its published revisions; its blobs are deleted by the next collection. Throws NOT_FOUND.
 */
export async function removeRepository(catalogue: Catalogue, who: string, name: string): Promise<void> {
  await catalogue.transaction(async (sql) => {
    const [row] = await sql`
      DELETE FROM aman.repositories WHERE name = ${name} AND parent_id IS NULL RETURNING id, url`
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

/** The addresses of all repositories and branches. */
export async function repositoryUrls(catalogue: Catalogue): Promise<string[]> {
  const rows = await catalogue.run((sql) => sql<{ url: string }[]>`SELECT url FROM aman.repositories`)
  return rows.map(({ url }) => url)
}

/** All repositories, sorted by name. */
export async function listRepositories(catalogue: Catalogue): Promise<TeamRepository[]> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT r.name, r.url, r.checked_at, r.error, r.branch_patterns, r.left_branches, v.commit_id, v.files, v.bytes, v.published_at, j.worker,
        j.progress, j.repository_id IS NOT NULL AS is_wanted, coalesce(j.lease_until > now(), false) AS is_claimed,
        rank() OVER (PARTITION BY coalesce(j.lease_until > now(), false) ORDER BY j.wanted_at) AS place
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
    progress: row.is_claimed ? row.progress : null,
    place: repositoryState(row) === "waiting" ? Number(row.place) : null,
    error: row.error,
    branches: row.branch_patterns,
    left_branches: row.left_branches,
  }))
}

type RepositoryRow = {
  readonly branch_patterns: string[]
  readonly left_branches: number
  readonly name: string
  readonly url: string
  readonly checked_at: Date | null
  readonly error: string | null
  readonly commit_id: string | null
  readonly files: number | null
  readonly bytes: string | null
  readonly published_at: Date | null
  readonly worker: string | null
  readonly progress: number | null
  readonly place: string
  readonly is_wanted: boolean
  readonly is_claimed: boolean
}

function repositoryState({ is_wanted, is_claimed, error }: RepositoryRow): TeamRepository["state"] {
  if (is_claimed) return "indexing"
  if (error !== null) return "failed"
  return is_wanted ? "waiting" : "ready"
}

/** A repository that this worker indexes, as long as it renews its lease. */
export type IndexJob = {
  readonly repositoryId: string
  readonly name: string
  readonly url: string
  /** Identifies this claim: writes in its name are refused once another worker has taken the job over. */
  readonly claim: string
  readonly wantedAt: Date
  readonly attempts: number
  /** The published revision, or null. */
  readonly revisionId: string | null
}

/**
 * Seconds after which a job is given to another worker if its lease is not renewed. A lease that has expired can still be
 * renewed until another worker has claimed the job, so a slow database costs nothing while no worker is idle.
 */
export const LEASE_S = 3

const FIRST_PAUSE_S = 10
const MAX_PAUSE_S = 3600
/**
 * Number of times that a job is taken over at once. If its workers have ended more often than that, the repository may be
 * the reason, and further takeovers wait as after a failure, so that it does not keep all workers from other jobs.
 */
const QUICK_TAKEOVERS = 5

/**
 * Requests that a repository is fetched and indexed now. If a job for it is already running, another job follows that
 * one.
 */
export async function requestUpdate(sql: Statements, repositoryId: string): Promise<void> {
  await sql`
    INSERT INTO aman.jobs (repository_id) VALUES (${repositoryId})
    ON CONFLICT (repository_id) DO UPDATE SET wanted_at = clock_timestamp(), due_at = now(), attempts = 0`
  await sql`SELECT pg_notify(${CHANNEL.job}, ${repositoryId})`
}

/**
 * Requests an update of each repository whose last check for new commits is more than `ageS` seconds ago. Returns the
 * number of repositories for which there was no request yet.
 */
export async function requestOverdueUpdates(catalogue: Catalogue, ageS: number): Promise<number> {
  const rows = await catalogue.run(
    (sql) => sql`
      INSERT INTO aman.jobs (repository_id)
      SELECT id FROM aman.repositories
      WHERE checked_at IS NULL OR checked_at < now() - make_interval(secs => ${ageS})
      ON CONFLICT DO NOTHING RETURNING repository_id`,
  )
  return rows.length
}

/** Takes a job whose worker has stopped renewing its lease, or else the one that has waited longest; null if none is due. */
export async function claimJob(catalogue: Catalogue, worker: string): Promise<IndexJob | null> {
  const claim = randomUUID()
  const rows = await catalogue.run(
    (sql) => sql`
      WITH next AS (
        SELECT repository_id, lease_until IS NOT NULL AS is_takeover FROM aman.jobs
        WHERE due_at <= now() AND (lease_until IS NULL OR lease_until + make_interval(secs =>
          CASE WHEN attempts <= ${QUICK_TAKEOVERS} THEN 0
          ELSE least(${MAX_PAUSE_S}, ${FIRST_PAUSE_S} * 2 ^ least(20, attempts - ${QUICK_TAKEOVERS} - 1)) END) < now())
        ORDER BY lease_until, wanted_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      UPDATE aman.jobs job SET worker = ${worker}, claim = ${claim}, claimed_at = clock_timestamp(),
        attempts = attempts + 1, progress = NULL, lease_until = now() + make_interval(secs => ${LEASE_S})
      FROM next, aman.repositories WHERE job.repository_id = next.repository_id AND id = next.repository_id
      RETURNING job.repository_id, name, url, wanted_at, attempts, revision_id, is_takeover`,
  )
  const [row] = rows
  if (row === undefined) return null
  const { repository_id, wanted_at, revision_id, is_takeover, ...rest } = row
  if (is_takeover && rest.attempts > QUICK_TAKEOVERS)
    await noteLostWorkers(catalogue, repository_id, rest.attempts - 1)
  return { ...rest, repositoryId: repository_id, claim, wantedAt: wanted_at, revisionId: revision_id }
}

/** Records that workers keep ending while they index a repository; the next success removes it. */
async function noteLostWorkers(catalogue: Catalogue, repositoryId: string, tries: number): Promise<void> {
  const error = `a worker ended while it indexed this repository, at try ${tries}`
  await catalogue.run((sql) => sql`UPDATE aman.repositories SET error = ${error} WHERE id = ${repositoryId}`)
}

/** Extends the lease; false if another worker has the job now. `progress`: share of the files that are read, or null. */
export async function renewJob(
  catalogue: Catalogue,
  { claim }: IndexJob,
  progress: number | null = null,
): Promise<boolean> {
  const rows = await catalogue.run(
    (sql) => sql`
      UPDATE aman.jobs SET lease_until = now() + make_interval(secs => ${LEASE_S}), progress = ${progress}
      WHERE claim = ${claim} RETURNING 1`,
  )
  return rows.length > 0
}

/** Locks the job until the end of the transaction; false if another worker has taken it over. */
export async function holdsJob(sql: Statements, { claim }: IndexJob): Promise<boolean> {
  return (await sql`SELECT 1 FROM aman.jobs WHERE claim = ${claim} FOR UPDATE`).length > 0
}

/** Ends a finished job. It stays in the queue if the repository was requested again meanwhile. */
export async function endJob(sql: Statements, { claim, repositoryId }: IndexJob): Promise<void> {
  await sql`UPDATE aman.repositories SET checked_at = now(), error = NULL WHERE id = ${repositoryId}`
  await sql`DELETE FROM aman.jobs WHERE claim = ${claim} AND wanted_at <= claimed_at`
  await sql`
    UPDATE aman.jobs SET claim = NULL, worker = NULL, lease_until = NULL, attempts = 0 WHERE claim = ${claim}`
}

/** Returns a job to the queue: at once if `error` is null, otherwise after a delay that grows with each failure. */
export async function releaseJob(catalogue: Catalogue, job: IndexJob, error: string | null): Promise<void> {
  const pauseS =
    error === null ? 0 : Math.min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** Math.max(0, job.attempts - 1))
  await catalogue.transaction(async (sql) => {
    if (!(await holdsJob(sql, job))) return
    await sql`
      UPDATE aman.jobs SET claim = NULL, worker = NULL, lease_until = NULL,
        due_at = now() + make_interval(secs => ${pauseS}) WHERE claim = ${job.claim}`
    if (error !== null)
      await sql`
        UPDATE aman.repositories SET checked_at = now(), error = ${error} WHERE id = ${job.repositoryId}`
  })
}
