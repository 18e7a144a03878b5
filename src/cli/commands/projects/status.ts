import type { StatusAnswer } from "../../../app/answers.ts"
import type { ChunkedFile, SkippedPath } from "../../../app/project/status-project.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { refuseArguments } from "../../flags/subcommand.ts"
import type { Colors } from "../../output.ts"
import {
  ago,
  bytes,
  configuredText,
  groupDigits,
  largestCounts,
  percent,
  plural,
} from "../../render/numbers.ts"
import { printableLine } from "../../render/printable.ts"
import { progressText } from "../../render/progress-text.ts"
import { remarkNotices, withProject } from "../../with-project.ts"

export const statusCommand: Command = {
  usage: "[flags]\n  aman status --skipped [REASON]\n  aman status --chunked",
  details: "Shows the state of the index. It changes nothing and does not build an index.",
  flags: [
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
    { line: "aman status --json", note: "all fields, as JSON" },
  ],
  async run(input) {
    const { flags, output, words } = input
    const { chunkedFiles, projectStatus, skippedFiles } = await import(
      "../../../app/project/status-project.ts"
    )
    if (flags.has("skipped")) {
      const reason = words.length === 0 ? undefined : words.join(" ")
      const skipped = await withProject(input, async (project) => skippedFiles(project, reason))
      if (flags.has("json")) await output.json({ skipped })
      else await output.write(skippedText(skipped, output.colors))
      return skipped.length > 0 ? EXIT.ok : EXIT.nothingFound
    }
    refuseArguments(input, "status")
    if (flags.has("chunked")) {
      const chunked = await withProject(input, async (project) => chunkedFiles(project))
      if (flags.has("json")) await output.json({ chunked })
      else await output.write(chunkedText(chunked, output.colors))
      return chunked.length > 0 ? EXIT.ok : EXIT.nothingFound
    }
    if (flags.has("watch")) {
      await withProject(input, (project) => watch(input, () => projectStatus(project, UNCOUNTED)))
      return EXIT.ok
    }
    const status = await withProject(input, (project) => projectStatus(project))
    if (flags.has("json")) await output.json(status)
    else await printStatus(input, status)
    return EXIT.ok
  },
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
async function watch(input: Input, ask: () => Promise<StatusAnswer>): Promise<void> {
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
  for (const [program, { files, failed }] of Object.entries(status.chunkers ?? {})) {
    const failures = failed === 0 ? "" : `, failed for ${groupDigits(failed)}`
    rows.push(["chunker", `${program} divided ${plural(files, "file")}${failures}`])
  }
  rows.push([
    "vectors",
    `${embedding.provider} ${embedding.model}, ${embedding.dimensions} × ${embedding.quantization}, ${percent(embedding.share)} of the chunks`,
  ])
  if (embedding.other) rows.push(["model", configuredText(embedding.other)])
  rows.push(["memory", `${bytes(memory.resident_bytes)} of at most ${bytes(memory.limit_bytes)}`])
  return rows
}

function projectRows({ type, source_folders }: StatusAnswer["project"]): [string, string][] {
  return [["project", source_folders.length > 0 ? `${type}, sources in ${source_folders.join(", ")}` : type]]
}
