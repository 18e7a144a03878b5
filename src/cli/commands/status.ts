import type { StatusAnswer } from "../../app/answers.ts"
import { type Command, EXIT } from "../command.ts"
import { bytes, count, percent, tally } from "../numbers.ts"
import { otherText } from "../other-text.ts"
import type { Colors } from "../output.ts"
import { printableLine } from "../printable.ts"
import { progressText } from "../progress-text.ts"
import { remarkNotices, withProject } from "../with-project.ts"

export const statusCommand: Command = {
  usage: "[flags]",
  details: "Changes nothing: a project without an index stays without one.",
  flags: [],
  examples: [
    { line: "aman status", note: "the project around the working directory" },
    { line: "aman status --json", note: "everything that is known, as JSON" },
  ],
  async run(input) {
    const { projectStatus } = await import("../../app/status-project.ts")
    const status = await withProject(input, (project) => projectStatus(project))
    if (input.flags.has("json")) {
      await input.output.json(status)
      return EXIT.ok
    }
    await input.output.write(statusText(status, input.output.colors))
    remarkNotices(input, status.notices)
    return EXIT.ok
  },
}

export function statusText(status: StatusAnswer, c: Colors): string {
  const rows = status.state === "missing" ? missingRows(status) : indexRows(status)
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${c.dim(name.padEnd(width))}  ${printableLine(value)}\n`).join("")
}

function missingRows({ root, project }: StatusAnswer): [string, string][] {
  return [["root", root], ...projectRows(project), ["index", "none yet; aman index makes it"]]
}

function indexRows(status: StatusAnswer): [string, string][] {
  const { embedding, memory, progress } = status
  const rows: [string, string][] = [["root", status.root], ...projectRows(status.project)]
  rows.push(["index", `${status.state}, generation ${status.generation}, ${bytes(status.index_bytes)}`])
  if (status.last_indexed) rows.push(["indexed", status.last_indexed])
  if (progress) rows.push(["now", progressText(progress, 0)])
  rows.push(["files", count(status.files)], ["chunks", count(status.chunks)])
  if (status.files > 0) rows.push(["languages", tally(status.languages)])
  if (Object.keys(status.skipped).length > 0) rows.push(["skipped", tally(status.skipped)])
  if (Object.keys(status.ranked_down).length > 0) rows.push(["ranked down", tally(status.ranked_down)])
  rows.push([
    "vectors",
    `${embedding.provider} ${embedding.model}, ${embedding.dimensions} × ${embedding.quantization}, ${percent(embedding.share)} of the chunks`,
  ])
  if (embedding.other) rows.push(["model", otherText(embedding.other)])
  rows.push(["memory", `${bytes(memory.resident_bytes)} of at most ${bytes(memory.limit_bytes)}`])
  return rows
}

function projectRows({ type, source_folders }: StatusAnswer["project"]): [string, string][] {
  return [["project", source_folders.length > 0 ? `${type}, sources in ${source_folders.join(", ")}` : type]]
}
