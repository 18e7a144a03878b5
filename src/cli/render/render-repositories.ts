import type { RepositoriesStatus, RepositoryStatus } from "../../app/repositories/configured.ts"
import type { SyncedRepository } from "../../app/repositories/sync.ts"
import type { Colors } from "../output.ts"
import { ago, bytes, duration } from "./numbers.ts"
import { printableLine } from "./printable.ts"

const NONE = "no other repository is configured; run: aman repos add URL\n"
const SHORT_COMMIT = 10

/** The list of repositories, one line each. */
export function repositoryList({ repositories }: RepositoriesStatus, c: Colors): string {
  if (repositories.length === 0) return NONE
  const width = Math.max(...repositories.map(({ repository }) => printableLine(repository).length))
  return repositories
    .map((each) => {
      const old = each.stale && each.state === "ready" ? c.dim(" (not synced recently)") : ""
      return `${printableLine(each.repository).padEnd(width)}  ${stateText(each, c)}${old}\n`
    })
    .join("")
}

/** Full status of each repository. */
export function statusBlocks(answer: RepositoriesStatus, c: Colors): string {
  const { repositories, base_dir, last_sync, syncing, sync_interval_ms } = answer
  if (repositories.length === 0) return NONE
  const doing = syncing ? "syncing now" : `last sync ${last_sync === null ? "never" : ago(last_sync)}`
  const head = `${doing}; servers sync every ${duration(sync_interval_ms)}\nclones and indexes are stored in ${printableLine(base_dir)}\n`
  return [head, ...repositories.map((status) => repositoryBlock(status, c))].join("\n")
}

function repositoryBlock(each: RepositoryStatus, c: Colors): string {
  const rows: (readonly [string, string])[] = [["address", each.url]]
  if (each.commit !== null) rows.push(["commit", each.commit.slice(0, SHORT_COMMIT)])
  if (each.indexed_commit !== null && each.indexed_commit !== each.commit)
    rows.push(["indexed", each.indexed_commit.slice(0, SHORT_COMMIT)])
  if (each.searchable) rows.push(["index", `${each.files} files, ${bytes(each.index_bytes)}`])
  rows.push(["last pull", each.last_pull === null ? "never" : ago(each.last_pull)])
  if (each.error !== null)
    rows.push(["failed", `${each.error_at === null ? "" : `${ago(each.error_at)}: `}${each.error}`])
  if (each.state === "unlisted") rows.push(["next", "aman repos remove --unlisted deletes it"])
  if (each.state === "pending") rows.push(["next", "aman repos sync clones it"])
  const lines = rows.map(([name, value]) => `  ${c.dim(name.padEnd(9))} ${printableLine(value)}\n`)
  return `${c.bold(printableLine(each.repository))}  ${stateText(each, c)}\n${lines.join("")}`
}

/** Result of syncing one repository. */
export function syncLine(synced: SyncedRepository, c: Colors): string {
  const name = printableLine(synced.repository)
  if (synced.outcome === "failed")
    return `${name}  ${c.red("failed")}: ${printableLine(synced.error ?? "")}\n`
  const commit = synced.commit === null ? "no commits yet" : synced.commit.slice(0, SHORT_COMMIT)
  const read =
    synced.changed + synced.removed > 0 ? `, ${synced.changed} read, ${synced.removed} forgotten` : ""
  return `${name}  ${synced.outcome}  ${c.dim(`${commit}, ${synced.files} files${read}`)}\n`
}

function stateText({ state }: RepositoryStatus, c: Colors): string {
  if (state === "failed") return c.red(state)
  return state === "ready" ? c.green(state) : c.yellow(state)
}
