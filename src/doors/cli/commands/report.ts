import { loadRecordedCalls } from "../../../ask/index.ts"
import { loadWithIndexRepair, type Project } from "../../../index/index.ts"
import { followed, noCalls } from "../../report/calls-report.ts"
import { type Replay, replayCommits, ripgrepCost } from "../../report/replay.ts"
import { type Command, EXIT } from "../command.ts"
import { numberFlag, refuseArguments } from "../flags.ts"
import { groupDigits, plural, printableLine } from "../text.ts"
import { INDEX_FLAGS, withProject } from "../with-project.ts"

export const reportCommand: Command = {
  usage: "[flags]",
  details: `Shows what agents asked aman about this project and what it cost, from the calls that are recorded on this
machine (aman config set ui.record_calls true; off by default), and replays the project's last 20 commits: how many tokens are
printed until every file of the commit is named, by aman and by ripgrep. Says how each figure was computed; losses are shown.`,
  flags: [
    { name: "days", value: "N", help: "Calls of the last N days (default: 30, for which they are kept)" },
    { name: "seconds", value: "N", help: "Time for replay and ripgrep, 0 for neither (default: 60)" },
    ...INDEX_FLAGS,
  ],
  examples: [
    { line: "aman report", note: "calls and replay" },
    { line: "aman report --json", note: '{"recording","calls",…,"replay":{"commits":[…]}}' },
  ],
  async run(input) {
    refuseArguments(input, "report")
    const days = numberFlag(input.flags, "days", 1, 30) ?? 30
    const seconds = numberFlag(input.flags, "seconds", 0, 3600) ?? 60
    const { signal } = input
    const { snapshotFor } = await loadWithIndexRepair()
    const report = await withProject(input, async (project, progress) => {
      if (seconds > 0) await snapshotFor(project, { refresh: true, signal })
      progress.done()
      return reportOf(project, { days, seconds, signal })
    })
    if (input.flags.has("json")) await input.output.json(report)
    else await input.output.write(`${reportLines(report).join("\n")}\n`)
    return EXIT.ok
  },
}

type Asked = { readonly days: number; readonly seconds: number; readonly signal: AbortSignal }

/** The recorded calls of the last days and what followed them; with `seconds`, compared with ripgrep and replayed. */
export async function reportOf(project: Project, { days, seconds, signal }: Asked) {
  const { recordedCalls, sumsOf } = await loadRecordedCalls()
  const since = new Date(Date.now() - days * 24 * 3_600_000).toISOString()
  const recorded = recordedCalls(project.root, new Date().toISOString()).filter(({ at }) => at >= since)
  const after = followed(recorded)
  const ripgrep = { answers: 0, aman_tokens: 0, tokens: 0, missed: 0 }
  const endsAt = performance.now() + 1000 * seconds
  for (const { query, tokens, files } of after.used.slice(-20).reverse()) {
    if (performance.now() >= endsAt) break
    ripgrep.answers++
    const cost = await ripgrepCost({ project, query, files, signal })
    ripgrep.aman_tokens += tokens
    ripgrep.tokens += cost.tokens
    ripgrep.missed += files.length - cost.named
  }
  const replay = seconds > 0 ? await replayCommits(project, endsAt, signal) : null
  const about = { root: project.root, recording: project.config.ui.recordsCalls }
  return { ...about, ...sumsOf(recorded), ...after, ripgrep, replay, computed: COMPUTED }
}

/** How the figures were computed, and what they cannot tell. */
const COMPUTED = [
  "tokens: the characters that the agent gets, divided by 3.5",
  "read: with the tool read, and with the agent's own tools where its hooks are set up; what an agent without hooks reads or searches, and whether it had to, is not known. An answer counts for half an hour",
  "ripgrep: rg -n -i for the words of the question until the files are named, 5 lines of 200 characters a file, files with the most different words first; ripgrep itself has no such order. Reading the files costs the same both ways and is left out",
  "replay: the subject of each commit is the question, on today's files, which have its change already; past commits are ignored, and files that are no longer indexed left out. aman: pages of search with 10 files, each counted as a whole. Both end after 20,000 tokens",
] as const

/** The report as the terminal and the page show it. */
export function reportLines(report: Awaited<ReturnType<typeof reportOf>>): string[] {
  const { recording, replay, ripgrep } = report
  const { answers, aman_tokens, tokens, missed } = ripgrep
  const lacking = missed === 0 ? "" : `, without ${plural(missed, "file")} that it does not find`
  const compared = `newest ${plural(answers, "answer")} whose files were read: ${plural(aman_tokens, "token")}; ripgrep until the same files: ${plural(tokens, "token")}${lacking}`
  return [
    ...(report.calls === 0 ? [noCalls(recording)] : callsLines(report)),
    ...(answers === 0 ? [] : [compared]),
    ...(replay === null ? [] : ["", ...replayLines(replay)]),
    ...["", "How this was computed", ...COMPUTED.map((line) => `  ${line}`)],
  ]
}

function callsLines(report: Awaited<ReturnType<typeof reportOf>>): string[] {
  const { calls, first, last, tools, answers, reads, searches_after } = report
  const row = ({ tool, calls, tokens, failed }: (typeof tools)[number]) =>
    `  ${printableLine(tool)}: ${plural(calls, "call")}, ${plural(tokens, "token")}, ${failed} failed`
  return [
    `${plural(calls, "call")} from ${first!.slice(0, 10)} to ${last!.slice(0, 10)}`,
    ...tools.map(row),
    `memory: ${plural(report.memory_tokens, "token")}; hooks: ${plural(report.hook_tokens, "token")}`,
    `${plural(answers, "answer")} named files; files read: ${reads}, of these named by an answer before: ${report.reads_of_named}, read again: ${report.read_again}; searches with other tools after an answer: ${searches_after}`,
  ]
}

function replayLines({ commits, left_out }: Replay): string[] {
  type Way = "aman" | "ripgrep"
  if (commits.length === 0) return ["No past commits could be replayed"]
  const isWhole = (commit: Replay["commits"][number], way: Way) => commit[way].named === commit.files.length
  const both = commits.filter((each) => isWhole(each, "aman") && isWhole(each, "ripgrep"))
  const total = (way: Way, other: Way) => {
    const whole = commits.filter((each) => isWhole(each, way)).length
    const fewer = both.filter((each) => each[way].tokens < each[other].tokens).length
    const tokens = both.reduce((sum, each) => sum + each[way].tokens, 0)
    return `${way}: all files named in ${whole} of ${commits.length}; where both did (${both.length}), ${plural(tokens, "token")}, fewer in ${fewer}`
  }
  const row = (commit: Replay["commits"][number]) => {
    const costs = (["aman", "ripgrep"] as const).map((way) => {
      const part = isWhole(commit, way) ? "" : ` for ${commit[way].named} of them`
      return `${way} ${groupDigits(commit[way].tokens)}${part}`
    })
    return `  ${plural(commit.files.length, "file")}, ${costs.join(", ")}: ${printableLine(commit.subject).slice(0, 70)}`
  }
  const rest = left_out === 0 ? "" : `; the time was over for ${left_out} more`
  return [
    `Tokens until every file of the last ${plural(commits.length, "commit")} was named${rest}`,
    ...commits.map(row),
    ...[total("aman", "ripgrep"), total("ripgrep", "aman")],
  ]
}
