import {
  loadRepositories,
  loadSyncModule,
  type RepositoriesStatus,
  type RepositoryStatus,
  type SyncEvent,
  type SyncedRepository,
  type SyncReport,
} from "../../../ask/index.ts"
import { AmanError } from "../../../base/index.ts"
import { projectRoot } from "../../../index/index.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { subcommand } from "../flags.ts"
import type { Colors } from "../output.ts"
import { REPOS_FLAGS, reposFlags } from "../setting-flags.ts"
import { ago, bytes, duration, printableLine } from "../text.ts"
import { remarkNotices } from "../with-project.ts"

export const reposCommand: Command = {
  usage: "[list | status | add URL | sync [NAME...] | remove NAME]",
  details: `Clones other git repositories, one commit deep, into your data folder with your own git and ssh. Search
them with aman search --repository NAME. URL is an address for git clone, or a folder; #branch or #tag may follow. aman
never runs code from a repository, and never accepts or stores passwords.`,
  verbs: [
    ["list", "The configured repositories and their state"],
    ["status", "The same, with times, commits and errors"],
    ["add URL", "Clone and index a repository, and add it to your settings"],
    ["sync [NAME...]", "Update all repositories, or these, from their remotes"],
    ["remove NAME", "Remove a repository from your settings, and delete its clone and index"],
  ],
  flags: [
    { name: "later", help: "add: only add it to the settings; the next sync clones it" },
    { name: "unlisted", help: "remove: delete clones that are no longer in your settings" },
    ...REPOS_FLAGS,
  ],
  examples: [
    { line: "aman repos add git@github.com:owner/name", note: "clone it, index it, add it to the settings" },
    { line: "aman repos add https://github.com/owner/name#v2", note: "a branch or a tag" },
    { line: "aman search --repository name retry back-off", note: "search it" },
    { line: "aman repos sync", note: "update all; a server does this every 15 minutes" },
    {
      line: "aman repos status --json",
      note: '{"repositories":[{"repository","state","commit","error",…}]}',
    },
  ],
  async run(input) {
    const words = { list: 0, status: 0, add: 1, sync: "any", remove: "any" } as const
    const { name, words: rest } = subcommand(input, words, "list", reposCommand.examples)
    // The root is kept out of the search for git, as for commands that open the project.
    projectRoot({ cwd: input.cwd })
    switch (name) {
      case "list":
        return printRepositories(input)
      case "status":
        return status(input)
      case "add":
        return add(input, rest[0]!)
      case "sync":
        return runSync(input, rest)
      case "remove":
        return remove(input, rest)
    }
  },
}

async function printRepositories(input: Input): Promise<number> {
  const answer = await currentStatus(input)
  const repositories = answer.repositories.map(({ repository, url, state, stale }) => {
    return { repository, url, state, stale }
  })
  if (input.flags.has("json")) await input.output.json({ repositories })
  else await input.output.write(repositoryList(answer, input.output.colors))
  remarkNotices(input, answer.notices)
  return EXIT.ok
}

async function status(input: Input): Promise<number> {
  const answer = await currentStatus(input)
  if (input.flags.has("json")) await input.output.json(answer)
  else await input.output.write(statusBlocks(answer, input.output.colors))
  remarkNotices(input, answer.notices)
  return EXIT.ok
}

async function currentStatus({ flags }: Input): Promise<RepositoriesStatus> {
  const { configuredRepositories, repositoriesStatus } = await loadRepositories()
  return repositoriesStatus(configuredRepositories(reposFlags(flags)))
}

async function add(input: Input, url: string): Promise<number> {
  const { addRepository, existingState } = await loadSyncModule()
  const { flags, output } = input
  const options = { ...syncOptions(input), cwd: input.cwd, withoutSync: flags.has("later") }
  const whatIsDone = () => DONE_BY_ADD[existingState(url, options)]
  const done = await withInterruptNote(whatIsDone, input, () => addRepository(url, options))
  if (flags.has("json")) await output.json(done)
  else if (!flags.has("quiet")) {
    const where = done.file === null ? "is already configured" : `added to ${printableLine(done.file)}`
    await output.write(`${printableLine(done.repository)} ${where}\n`)
    for (const each of done.sync?.repositories ?? []) await output.write(syncLine(each, output.colors))
  }
  remarkNotices(input, done.sync?.notices ?? [])
  return EXIT.ok
}

async function runSync(input: Input, names: readonly string[]): Promise<number> {
  const { flags, output } = input
  const { chooseRepositories, configuredRepositories } = await loadRepositories()
  const { syncRepositories } = await loadSyncModule()
  const configured = configuredRepositories(reposFlags(flags))
  const wanted = (names.length === 0 ? ["*"] : names).flatMap((name) => chooseRepositories(configured, name))
  const whatIsDone = () => "finished repositories are kept; the next sync continues"
  const report = await withInterruptNote(whatIsDone, input, () =>
    syncRepositories(configured, [...new Set(wanted)], syncOptions(input)),
  )
  if (flags.has("json")) await output.json(report)
  else if (!flags.has("quiet")) {
    await output.write(report.repositories.map((each) => syncLine(each, output.colors)).join(""))
  }
  remarkNotices(input, report.notices)
  return isComplete(report) ? EXIT.ok : EXIT.failure
}

const DONE_BY_ADD = {
  nothing: "nothing was added, run the same command to start again",
  clone: "nothing was added to your settings; an older clone stays in place",
  configured: "it is configured; the next sync clones what is missing",
} as const

/** Runs `act`. If it is interrupted, prints what is done already and what the user can do (`whatIsDone`). */
async function withInterruptNote<T>(
  whatIsDone: () => string,
  { flags, output, signal }: Input,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (signal.aborted && !flags.has("quiet")) output.remark(`interrupted; ${whatIsDone()}\n`)
    throw error
  }
}

function isComplete({ repositories, stale }: SyncReport): boolean {
  return !stale && repositories.every(({ outcome }) => outcome !== "failed")
}

async function remove(input: Input, names: readonly string[]): Promise<number> {
  const { flags, output } = input
  const { removeRepository, removeUnlisted } = await loadSyncModule()
  const options = { flags: reposFlags(flags), signal: input.signal }
  if (flags.has("unlisted") === names.length > 0 || names.length > 1) {
    throw new AmanError("USAGE", "remove needs the name of one repository, or --unlisted", {
      hint: "see: aman repos list",
    })
  }
  const removed =
    names.length === 0 ? await removeUnlisted(options) : [await removeRepository(names[0]!, options)]
  if (flags.has("json")) await output.json({ removed })
  else if (!flags.has("quiet")) {
    const lines = removed.map(({ repository }) => `removed ${printableLine(repository)}\n`)
    await output.write(lines.join("") || "nothing to remove\n")
  }
  return EXIT.ok
}

function syncOptions(input: Input) {
  const { flags, signal, output } = input
  const isQuiet = flags.has("quiet") || flags.has("json") || !output.isRemarkTerminal
  const onEvent = ({ name, phase }: SyncEvent) => {
    if (!isQuiet && PHASES[phase] !== undefined) {
      output.remark(output.remarkColors.dim(`${PHASES[phase]} ${printableLine(name)}\n`))
    }
  }
  return { flags: reposFlags(flags), signal, onEvent }
}

const PHASES: Readonly<Partial<Record<SyncEvent["phase"], string>>> = { fetch: "fetching", index: "indexing" }

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
