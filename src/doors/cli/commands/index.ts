import { loadHandDown } from "../../../ask/index.ts"
import type { IndexReport, StatusAnswer } from "../../../base/index.ts"
import {
  type ChunkedFile,
  type ListedProject,
  loadStatusProject,
  type SkippedPath,
} from "../../../context/index.ts"
import {
  loadIndexProject,
  loadIndexTrust,
  loadIndexUpdater,
  type Project,
  type WatchedRun,
} from "../../../index/index.ts"
import { readSource } from "../../../text/index.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { refuseArguments, subcommand } from "../flags.ts"
import type { Colors } from "../output.ts"
import { progressText } from "../progress.ts"
import {
  ago,
  bytes,
  configuredText,
  duration,
  groupDigits,
  largestCounts,
  percent,
  plural,
  printableLine,
  removedText,
} from "../text.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../with-project.ts"

export const indexCommand: Command = {
  usage: "[flags]",
  details: `Indexes new and changed files and removes deleted ones. The index is stored in .aman/ of the project, which
git ignores. An interrupted run continues where it stopped.`,
  flags: [
    { name: "force", help: "Delete the index and build it again" },
    { name: "watch", help: "Keep running and index every change, until Ctrl-C" },
    ...INDEX_FLAGS,
  ],
  examples: [
    { line: "aman index", note: "the project around the working directory" },
    { line: "aman index --root ~/work/shop --json", note: "another project, with a JSON report" },
    { line: "aman index --watch", note: "keep it up to date; prints a line for each change" },
    { line: "aman index --force", note: "rebuild everything" },
    { line: "aman index --memory-limit 1GB", note: "on a small machine" },
  ],
  async run(input) {
    const { flags, output, signal } = input
    refuseArguments(input, "index")
    const { indexProject } = await loadIndexProject()
    const { handDownIfLoggedIn } = await loadHandDown()
    await withProject(input, async (project, progress) => {
      const report = await indexProject(project, {
        ...{ signal, force: flags.has("force"), handDown: handDownIfLoggedIn() },
      })
      progress.done()
      if (flags.has("json")) await output.json(report)
      else if (!flags.has("quiet")) {
        await output.write(reportText(report, output.colors))
        if (flags.has("verbose")) await output.write(phasesText(report.phases_ms, output.colors))
      }
      if (!flags.has("json")) remarkNotices(input, report.notices)
      if (flags.has("watch")) await watchIndex(input, project)
    })
    return EXIT.ok
  },
}

/** The times of all phases, in the order of the run. Those of threads are added up. */
function phasesText(phases: IndexReport["phases_ms"], c: Colors): string {
  const parts = Object.entries(phases).map(([phase, ms]) => `${phase} ${duration(ms)}`)
  return parts.length === 0
    ? ""
    : `${c.dim("times")}      ${parts.join(", ")} (times of threads are added up)\n`
}

/** Prints a line for every run that changed something. */
async function watchIndex({ flags, output, signal }: Input, project: Project): Promise<void> {
  const { watchProject } = await loadIndexUpdater()
  if (!flags.has("quiet")) output.remark("Watching for changes; press Ctrl-C to stop.\n")
  await watchProject(project, signal, (run) => {
    if (flags.has("json")) void output.jsonLine(run)
    else if (!flags.has("quiet")) void output.write(`${runText(run)}\n`)
  })
}

function runText({ changed, removed, files, chunks, duration_ms }: WatchedRun): string {
  const whole = `${plural(files, "file")}, ${plural(chunks, "chunk")}`
  return `${whole}: ${whatWasDone(changed, removed)} in ${duration(duration_ms)}`
}

function whatWasDone(changed: number, removed: number): string {
  if (changed + removed === 0) return "up to date"
  const parts = changed > 0 ? [`${plural(changed, "file")} indexed`] : []
  if (removed > 0) parts.push(`${plural(removed, "file")} removed`)
  return parts.join(", ")
}

export function reportText(report: IndexReport, c: Colors): string {
  const { files, chunks, changed, removed, embedding } = report
  const rows = [
    `${c.bold(plural(files, "file"))}, ${plural(chunks, "chunk")} in ${printableLine(report.root)}`,
    `${whatWasDone(changed, removed)} in ${duration(report.duration_ms)}`,
  ]
  if (report.handed_down) {
    const { server, commit } = report.handed_down
    rows.push(`${c.dim("taken from")} ${printableLine(server)}, commit ${commit.slice(0, 10)}`)
  }
  if (files > 0) rows.push(`${c.dim("languages")}  ${largestCounts(report.languages)}`)
  if (Object.keys(report.skipped).length > 0)
    rows.push(`${c.dim("skipped")}    ${largestCounts(report.skipped)}`)
  rows.push(
    `${c.dim("vectors")}    ${embedding.provider} ${embedding.model}, ${embedding.dimensions} dimensions`,
  )
  if (embedding.other) rows.push(`${c.dim("model")}      ${printableLine(configuredText(embedding.other))}`)
  return `${rows.join("\n")}\n`
}

export const statusCommand: Command = {
  usage: "[flags]\n  aman status --check\n  aman status --skipped [REASON]\n  aman status --chunked",
  details: `Shows the state of the index. It changes nothing and does not build an index. --check is for hooks and
pipelines: it says whether answers are about the files as they are now, with the reasons if not, and exits with 0 if the index is
fresh, ${EXIT.stale} if files were changed, added or deleted since, and ${EXIT.incomplete} if there is no index or a part of it is missing. Files with
another time but the same content are fresh. After aman index the index is fresh; vectors of the sentence encoder, which come later,
do not count.`,
  flags: [
    { name: "check", help: "Exit by the freshness of the index, and print the reasons" },
    { name: "watch", help: "Keep running and print every change, until Ctrl-C" },
    { name: "skipped", help: "List the files and folders that are not indexed, with the reason" },
    {
      name: "chunked",
      help: "List the files that your chunker program was asked to divide (chunker.program)",
    },
  ],
  examples: [
    { line: "aman status", note: "the project around the working directory" },
    { line: "aman status --watch", note: "follow another process that indexes" },
    { line: "aman status --skipped", note: "what is not indexed, and why" },
    { line: "aman status --skipped 'lock file'", note: "only what is skipped for this reason" },
    { line: "aman status --check || aman index", note: "in a pipeline" },
    { line: "aman status --json", note: "all fields, as JSON" },
  ],
  async run(input) {
    const { flags, output, words } = input
    const { chunkedFiles, projectStatus, skippedFiles } = await loadStatusProject()
    if (flags.has("skipped")) {
      const reason = words.join(" ") || undefined
      const skipped = await withProject(input, async (project) => skippedFiles(project, reason))
      return printList(input, "skipped", skipped, skippedText(skipped, output.colors))
    }
    refuseArguments(input, "status")
    if (flags.has("check")) return withProject(input, (project) => checkFreshness(input, project))
    if (flags.has("chunked")) {
      const chunked = await withProject(input, async (project) => chunkedFiles(project))
      return printList(input, "chunked", chunked, chunkedText(chunked, output.colors))
    }
    if (flags.has("watch")) {
      await withProject(input, (project) => watchStatus(input, () => projectStatus(project, UNCOUNTED)))
      return EXIT.ok
    }
    const status = await withProject(input, (project) => projectStatus(project))
    if (flags.has("json")) await output.json(status)
    else await printStatus(input, status)
    return EXIT.ok
  },
}

/** Prints a list as JSON under its name, or as text; finding nothing is not a failure. */
async function printList({ flags, output }: Input, name: string, rows: readonly object[], text: string) {
  if (flags.has("json")) await output.json({ [name]: rows })
  else await output.write(text)
  return rows.length > 0 ? EXIT.ok : EXIT.nothingFound
}

/** Prints whether `aman index` would change the index, and why; returns the exit code of the verdict. */
async function checkFreshness({ flags, output }: Input, project: Project): Promise<number> {
  const { projectStatus } = await loadStatusProject()
  const status = await projectStatus(project, UNCOUNTED)
  const missing = missingParts(status)
  const reasons = missing.length > 0 ? missing : await staleReasons(project)
  const state = missing.length > 0 ? "incomplete" : reasons.length > 0 ? "stale" : "fresh"
  if (flags.has("json")) await output.json({ root: status.root, state, reasons })
  else if (!flags.has("quiet")) await output.write(`${[state, ...reasons.map(printableLine)].join("\n  ")}\n`)
  return EXIT[state]
}

function missingParts({ state, embedding: { share }, leader, notices, files }: StatusAnswer): string[] {
  if (state === "missing") return notices.slice(0, 1)
  const how = leader === "nobody" ? "was interrupted" : "is not finished"
  if (state === "indexing") return [`an index run ${how}: ${plural(files, "file")} so far`]
  return share < 1 ? [`vectors: ${percent(share)} of the chunks`] : []
}

/** The files that differ from their indexed versions in content. */
async function staleReasons(project: Project): Promise<string[]> {
  const { pendingFiles } = await loadStatusProject()
  const { root, config } = project
  const { store } = project.reader()!
  const pending = pendingFiles(project, store)
  if (pending === null) return ["the settings that choose files have changed"]
  const changes = pending.changed.flatMap(({ path, size }) => {
    const row = store.files.byPath(path)
    if (row === null) return [`new: ${path}`]
    const source = row.size === size ? readSource(root, path, config.index.maxFileBytes) : null
    return source !== null && "hash" in source && source.hash === row.hash ? [] : [`changed: ${path}`]
  })
  return [...changes, ...pending.removed.map((path) => `deleted: ${path}`)]
}

function skippedText(skipped: readonly SkippedPath[], c: Colors): string {
  const width = Math.max(...skipped.map(({ reason }) => reason.length))
  return skipped
    .map(({ path, reason }) => `${c.dim(reason.padEnd(width))}  ${printableLine(path)}\n`)
    .join("")
}

function chunkedText(chunked: readonly ChunkedFile[], c: Colors): string {
  return chunked
    .map(({ path, program, failure }) => {
      const by = failure === null ? program : `aman: ${failure}`
      return `${printableLine(path)}  ${c.dim(printableLine(by))}\n`
    })
    .join("")
}

const WATCH_MS = 1000
// These values keep projectStatus from counting pending files, because counting stats every file.
const UNCOUNTED = { leads: false, waiting: null, progress: null }

const CLEAR_SCREEN = "\x1b[2J\x1b[H"

/**
 * Shows the status until it is interrupted: on a terminal the whole status, redrawn; otherwise a line for each
 * change.
 */
async function watchStatus(input: Input, ask: () => Promise<StatusAnswer>): Promise<void> {
  const { flags, output, signal } = input
  let shown = ""
  while (!signal.aborted) {
    const status = await ask()
    const { memory: _, ...rest } = status
    const text = JSON.stringify(rest)
    if (text !== shown) {
      if (flags.has("json")) await output.jsonLine(rest)
      else if (!output.isTerminal) await output.write(`${statusLine(status)}\n`)
      else {
        await output.write(CLEAR_SCREEN)
        await printStatus(input, status)
      }
    }
    shown = text
    await Promise.race([
      Bun.sleep(WATCH_MS),
      new Promise((end) => signal.addEventListener("abort", end, { once: true })),
    ])
  }
}

async function printStatus(input: Input, status: StatusAnswer): Promise<void> {
  await input.output.write(statusText(status, input.output.colors))
  remarkNotices(input, status.notices)
}

function statusLine({ state, files, chunks, generation, leader, pending, notices }: StatusAnswer): string {
  const parts = [state, plural(files, "file"), plural(chunks, "chunk"), `generation ${generation}`]
  parts.push(`watched by ${leader}`)
  if (pending) parts.push(`${plural(pending, "file")} pending`)
  return [parts.join(", "), ...notices.map(printableLine)].join("; ")
}

export function statusText(status: StatusAnswer, c: Colors): string {
  const rows = status.state === "missing" ? missingRows(status) : indexRows(status)
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${c.dim(name.padEnd(width))}  ${printableLine(value)}\n`).join("")
}

const WATCHED: Readonly<Record<StatusAnswer["leader"], string>> = {
  "this process": "by this process",
  "another process": "by another process, which updates the index",
  nobody: "no; each search checks for changes",
  unknown: "unknown: the lock of the index cannot be read",
}

function missingRows({ root, project }: StatusAnswer): [string, string][] {
  return [["root", root], ...projectRows(project), ["index", "none yet; run: aman index"]]
}

function indexRows(status: StatusAnswer): [string, string][] {
  const { embedding, memory, progress } = status
  const rows: [string, string][] = [["root", status.root], ...projectRows(status.project)]
  const isInterrupted = status.state === "indexing" && status.leader === "nobody"
  const state = isInterrupted ? "incomplete" : status.state
  rows.push(["index", `${state}, generation ${status.generation}, ${bytes(status.index_bytes)}`])
  if (status.last_indexed) rows.push(["indexed", ago(status.last_indexed)])
  rows.push(["watched", WATCHED[status.leader]])
  if (status.pending) rows.push(["pending", `${plural(status.pending, "file")} changed but not indexed yet`])
  if (progress) rows.push(["now", progressText(progress, 0)])
  rows.push(["files", groupDigits(status.files)], ["chunks", groupDigits(status.chunks)])
  if (status.files > 0) rows.push(["languages", largestCounts(status.languages)])
  if (Object.keys(status.skipped).length > 0) rows.push(["skipped", largestCounts(status.skipped)])
  if (Object.keys(status.ranked_down).length > 0)
    rows.push(["ranked down", largestCounts(status.ranked_down)])
  rows.push(...encodingRows(status))
  for (const [program, { files, failed }] of Object.entries(status.chunkers ?? {})) {
    const failures = failed === 0 ? "" : `, failed for ${groupDigits(failed)}`
    rows.push(["chunker", `${program} divided ${plural(files, "file")}${failures}`])
  }
  rows.push([
    "vectors",
    `${embedding.provider} ${embedding.model}, ${embedding.dimensions} dimensions, ${percent(embedding.share)} of the chunks`,
  ])
  if (embedding.other) rows.push(["model", configuredText(embedding.other)])
  if (embedding.encoded !== undefined)
    rows.push(["encoder", `${percent(embedding.encoded)} of the files read, for questions in your own words`])
  rows.push(["memory", `${bytes(memory.resident_bytes)} of at most ${bytes(memory.limit_bytes)}`])
  return rows
}

function encodingRows({ encodings = {} }: StatusAnswer): [string, string][] {
  return Object.entries(encodings).map(([encoding, { files, guessed, examples }]) => {
    const more = guessed > examples.length ? ", …" : ""
    const guess = guessed === 0 ? "" : `, ${groupDigits(guessed)} by a guess: ${examples.join(", ")}${more}`
    return ["encoding", `${encoding} of ${plural(files, "file")}${guess}`]
  })
}

function projectRows({ type, source_folders }: StatusAnswer["project"]): [string, string][] {
  return [["project", source_folders.length > 0 ? `${type}, sources in ${source_folders.join(", ")}` : type]]
}

export const cleanCommand: Command = {
  usage: "[flags]",
  details: `Deletes the index of this project without asking, and reports what it deleted. Files of the project are not
touched. The next search builds a new index.`,
  flags: [],
  examples: [
    { line: "aman clean", note: "the project around the working directory" },
    { line: "aman clean --root ~/work/shop --json", note: '{"root","dir","files","bytes"}' },
  ],
  async run(input) {
    refuseArguments(input, "clean")
    const { removeIndex } = await loadIndexTrust()
    const { foreignIndexNotices } = await loadIndexTrust()
    const removed = await withProject(input, async ({ indexPlace }) => removeIndex(indexPlace))
    remarkNotices(input, foreignIndexNotices(removed.root))
    if (input.flags.has("json")) await input.output.json(removed)
    else if (!input.flags.has("quiet")) await input.output.write(removedText(removed))
    return EXIT.ok
  },
}

export const projectsCommand: Command = {
  usage: "[VERB] [flags] [ROOT]",
  details: `Lists all projects that aman has indexed for you. remove deletes the index of a project; the project
itself is not touched, and a search in it builds a new index.`,
  verbs: [
    ["list", "Root, size and age of each index (default)"],
    ["remove ROOT", "Delete its index"],
  ],
  flags: [],
  examples: [
    { line: "aman projects", note: "root, size and age of each index" },
    { line: "aman projects remove ~/work/shop", note: "delete its index" },
    {
      line: "aman projects list --json",
      note: '{"projects":[{"root","index_dir","state","index_bytes",…}]}',
    },
  ],
  async run(input) {
    const { name, words } = subcommand(input, { list: 0, remove: 1 }, "list", projectsCommand.examples)
    const { listProjects, removeProject } = await loadStatusProject()
    if (name === "list") return printProjects(input, listProjects())
    const removed = removeProject(words[0]!, input.cwd)
    if (input.flags.has("json")) await input.output.json({ removed })
    else if (!input.flags.has("quiet")) await input.output.write(removed.map(removedText).join(""))
    return EXIT.ok
  },
}

async function printProjects({ flags, output }: Input, projects: readonly ListedProject[]): Promise<number> {
  const c = output.colors
  if (flags.has("json")) await output.json({ projects })
  else if (projects.length === 0) await output.write("no project has been indexed yet\n")
  else {
    const width = Math.max(...projects.map(({ root }) => printableLine(root).length))
    const lines = projects.map(({ root, state, index_bytes, last_changed }) => {
      const when =
        state === "gone"
          ? c.yellow("the project folder is missing")
          : `changed ${last_changed === null ? "never" : ago(last_changed)}`
      return `${printableLine(root).padEnd(width)}  ${bytes(index_bytes).padStart(7)}  ${c.dim(when)}\n`
    })
    await output.write(lines.join(""))
  }
  return EXIT.ok
}
