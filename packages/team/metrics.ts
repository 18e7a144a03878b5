import { Gauge, Histogram, Registry } from "prom-client"
import { version } from "../../src/base/index.ts"
import type { Catalogue } from "./catalogue/catalogue.ts"
import type { NodeFigures } from "./node/node.ts"

/**
 * Bounds of the histogram of durations: from 1 ms, for a question about one open repository, to 20 s, the limit for
 * fetching revisions.
 */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Counters and gauges of a query node, in the text form of Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: "aman_team_request_seconds",
    help: "Time to answer requests, by route and status",
    labelNames: ["route", "status"] as const,
    buckets: SECONDS,
    registers: [this.#registry],
  })
  readonly #gauges = new Map<string, Gauge>()

  constructor() {
    this.#gauge("aman_build_info", "The version that runs", ["version"]).set({ version }, 1)
  }

  observe(route: string, status: number, seconds: number): void {
    this.#requests.observe({ route, status: String(status) }, seconds)
  }

  /** All metrics, with the figures as of now. */
  text(figures: NodeFigures, running: number): Promise<string> {
    const { jobs, repositories, cache, open, denied, resident, processes } = figures
    const queue = this.#gauge("aman_team_jobs", "Jobs in the queue, by state", ["state"])
    for (const [state, count] of Object.entries(jobs)) queue.set({ state }, count)
    const lag = this.#gauge(
      "aman_team_lag_seconds",
      "Age of the oldest unpublished request for an update",
      NAMED,
    )
    const checked = this.#gauge(
      "aman_team_checked_seconds",
      "Time since the last check for new commits",
      NAMED,
    )
    const failed = this.#gauge("aman_team_failed", "1 if the last attempt to index it failed", NAMED)
    // Otherwise the gauges of a repository that was removed would keep their last values.
    for (const gauge of [lag, checked, failed]) gauge.reset()
    for (const { repository, lag_s, checked_s, error } of repositories) {
      lag.set({ repository }, lag_s)
      if (checked_s !== null) checked.set({ repository }, checked_s)
      failed.set({ repository }, error === null ? 0 : 1)
    }
    this.#gauge("aman_team_cache_bytes", "Bytes of revisions on this node's disk").set(cache.bytes)
    this.#gauge("aman_team_cache_max_bytes", "Limit of these bytes").set(cache.maxBytes)
    this.#gauge("aman_team_cache_revisions", "Revisions on this node's disk").set(cache.revisions)
    this.#gauge("aman_team_open_revisions", "Open revisions").set(open)
    this.#gauge("aman_team_denied", "Denied accesses since the start").set(denied)
    this.#gauge("aman_team_running_requests", "Requests that are being answered").set(running)
    const problems = this.#gauge("aman_team_problem", "1 for each kind of problem; see /health", ["kind"])
    problems.reset()
    for (const { kind } of problemsIn(figures)) problems.set({ kind }, 1)
    this.#gauge("aman_team_processes", "Processes of this node that answer").set(processes)
    this.#gauge("process_resident_memory_bytes", "Resident memory of these processes").set(resident)
    return this.#registry.metrics()
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = []): Gauge {
    let gauge = this.#gauges.get(name)
    if (gauge === undefined) {
      gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
      this.#gauges.set(name, gauge)
    }
    return gauge
  }
}

const NAMED = ["repository"]

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
    /** Why the last attempt to index it failed; null if it did not. */
    readonly error: string | null
  }[]
  /** Seconds for which the oldest due job has waited; 0 if there is none. */
  readonly waiting_s: number
}

export async function teamFigures(catalogue: Catalogue): Promise<TeamFigures> {
  const rows: FigureRow[] = await catalogue.run(
    (sql) => sql`
      SELECT r.name, r.error, greatest(0, extract(epoch FROM now() - j.due_at))::float AS due_s, extract(epoch FROM now() - r.checked_at)::float AS checked_s,
        greatest(0, extract(epoch FROM now() - j.wanted_at))::float AS lag_s,
        CASE WHEN j.lease_until > now() THEN 'running' WHEN j.due_at > now() THEN 'delayed'
          WHEN j.repository_id IS NOT NULL THEN 'waiting' END AS state
      FROM aman.repositories r LEFT JOIN aman.jobs j ON j.repository_id = r.id ORDER BY r.name`,
  )
  const count = (state: string) => rows.filter((row) => row.state === state).length
  const dueFor = rows.map(({ state, due_s }) => (state === "waiting" ? (due_s ?? 0) : 0))
  return {
    jobs: { waiting: count("waiting"), running: count("running"), delayed: count("delayed") },
    repositories: rows.map(({ name, lag_s, checked_s, error }) => ({
      ...{ repository: name, lag_s: lag_s ?? 0, checked_s, error },
    })),
    waiting_s: Math.max(0, ...dueFor),
  }
}

/** Something that an administrator should do. */
export type Problem = {
  readonly kind: "worker" | "queue" | "repository" | "disk" | "process"
  readonly message: string
  readonly next: string
}

/** Seconds after which a job that no worker takes is a sign that none is running. */
export const NO_WORKER_S = 10
/** Seconds after which an update that waits is a sign of too few workers. */
const SLOW_S = 1800
const LOW_DISK_BYTES = 512 * 2 ** 20
const MAX_NAMED = 5

/** What is wrong in a team or on a node, each with the next step. */
export function problemsIn({ jobs, repositories, waiting_s, freeBytes, missing }: NodeFigures): Problem[] {
  const problems: Problem[] = []
  if (jobs.running === 0 && waiting_s >= NO_WORKER_S)
    problems.push({
      kind: "worker",
      message: `no worker takes jobs: ${jobs.waiting} wait, for ${Math.round(waiting_s)} s`,
      next: "start one with aman team worker; if one should be running, its log says why it ended",
    })
  else if (waiting_s >= SLOW_S)
    problems.push({
      kind: "queue",
      message: `the queue grows: ${jobs.waiting} wait, the oldest for ${Math.round(waiting_s / 60)} minutes`,
      next: "start another worker, on another machine if the processor of this one is busy",
    })
  const failed = repositories.filter(({ error }) => error !== null)
  if (failed.length > 0) {
    const named = failed.slice(0, MAX_NAMED).map(({ repository, error }) => `${repository} (${error})`)
    const further = failed.length > MAX_NAMED ? ` and ${failed.length - MAX_NAMED} more` : ""
    problems.push({
      kind: "repository",
      message: `not updated: ${named.join(", ")}${further}`,
      next: "mend what the reason says, then: aman team sync NAME; or aman team remove NAME",
    })
  }
  if (freeBytes < LOW_DISK_BYTES)
    problems.push({
      kind: "disk",
      message: `the disk of this node has ${Math.round(freeBytes / 2 ** 20)} MB left`,
      next: "free space, or start it with a lower --cache",
    })
  if (missing > 0)
    problems.push({
      kind: "process",
      message: `${missing} of this node's processes do not answer`,
      next: "they are started again; if that goes on, the node's log says why they end",
    })
  return problems
}

type FigureRow = {
  readonly name: string
  readonly lag_s: number | null
  readonly checked_s: number | null
  readonly error: string | null
  readonly due_s: number | null
  readonly state: string | null
}
