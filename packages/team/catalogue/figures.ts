import type { Catalogue } from "./catalogue.ts"

/** The state of the queue and of the repositories, for operators. */
export type TeamFigures = {
  /** Numbers of jobs: `waiting` for a worker, `running` on a worker, and `delayed` after a failure. */
  readonly jobs: { readonly waiting: number; readonly running: number; readonly delayed: number }
  readonly repositories: readonly {
    readonly repository: string
    /** Seconds since the request for an update that is not published yet; 0 if there is none. */
    readonly lag_s: number
    /** Seconds since the last check for new commits; null before the first. */
    readonly checked_s: number | null
    readonly is_failed: boolean
  }[]
}

export async function teamFigures(catalogue: Catalogue): Promise<TeamFigures> {
  const rows: FigureRow[] = await catalogue.run(
    (sql) => sql`
      SELECT r.name, r.error IS NOT NULL AS is_failed, extract(epoch FROM now() - r.checked_at)::float AS checked_s,
        greatest(0, extract(epoch FROM now() - j.wanted_at))::float AS lag_s,
        CASE WHEN j.lease_until > now() THEN 'running' WHEN j.due_at > now() THEN 'delayed'
          WHEN j.repository_id IS NOT NULL THEN 'waiting' END AS state
      FROM aman.repositories r LEFT JOIN aman.jobs j ON j.repository_id = r.id ORDER BY r.name`,
  )
  const count = (state: string) => rows.filter((row) => row.state === state).length
  return {
    jobs: { waiting: count("waiting"), running: count("running"), delayed: count("delayed") },
    repositories: rows.map(({ name, lag_s, checked_s, is_failed }) => ({
      ...{ repository: name, lag_s: lag_s ?? 0, checked_s, is_failed },
    })),
  }
}

type FigureRow = {
  readonly name: string
  readonly lag_s: number | null
  readonly checked_s: number | null
  readonly is_failed: boolean
  readonly state: string | null
}
