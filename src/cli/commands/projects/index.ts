import type { IndexReport } from "../../../app/answers.ts"
import type { WatchedRun } from "../../../app/index/watch-project.ts"
import type { Project } from "../../../app/project/open-project.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { refuseArguments } from "../../flags/subcommand.ts"
import type { Colors } from "../../output.ts"
import { configuredText, duration, largestCounts, plural } from "../../render/numbers.ts"
import { printableLine } from "../../render/printable.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../../with-project.ts"

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
    const { indexProject } = await import("../../../app/index/index-project.ts")
    const { handDownIfLoggedIn } = await import("../../../app/team/client/hand-down.ts")
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
      if (flags.has("watch")) await watch(input, project)
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
async function watch({ flags, output, signal }: Input, project: Project): Promise<void> {
  const { watchProject } = await import("../../../app/index/watch-project.ts")
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
