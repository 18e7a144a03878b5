/** A question about test/fixtures/ranking, and the file that answers it. */
export type RankingQuery = { readonly query: string; readonly expected: string }

export const QUERIES: readonly RankingQuery[] = [
  { query: "Broker", expected: "server/queue/broker.go" },
  { query: "Lease.Renew", expected: "server/queue/lease.go" },
  { query: "pauseBefore", expected: "server/queue/backoff.go" },
  { query: "handler_for", expected: "worker/registry.py" },
  { query: "ERR_LEASE_LOST", expected: "server/queue/broker.go" },
  { query: "RequestError Display", expected: "cli/src/requests.rs" },
  { query: '"busy_timeout"', expected: "server/store/db.go" },
  { query: "how long does a failed job wait before it is tried again", expected: "server/queue/backoff.go" },
  { query: "where are bearer tokens checked", expected: "server/api/auth.go" },
  { query: "environment variables override the settings file", expected: "server/config/config.go" },
  { query: "graceful shutdown of a worker", expected: "worker/loop.py" },
  { query: "keep a lease alive while the job is still running", expected: "worker/heartbeat.py" },
  { query: "jobs that failed too often", expected: "server/queue/dead_letter.go" },
  { query: "how does the router wire requireToken", expected: "server/api/router.go" },
  { query: "backup the database", expected: "scripts/backup.sh" },
  { query: "why was SQLite chosen over Postgres", expected: "docs/adr/0001-sqlite.md" },
  { query: "resize pictures", expected: "worker/handlers/thumbnail.py" },
  { query: "polling slows down after failures", expected: "web/src/poll.ts" },
]
