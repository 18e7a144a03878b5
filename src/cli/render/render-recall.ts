import { confidenceWord, entryText } from "../../app/memory/entries/entry-output.ts"
import type { RecallAnswer, RecallHit, RecallRequest } from "../../app/memory/requests.ts"
import type { CommandOutput } from "../output.ts"
import { duration, plural } from "./numbers.ts"
import { printable, printableLine, wrap } from "./printable.ts"

/** Formats hits for people: the text first, then its details. */
export function renderRecall(answer: RecallAnswer, request: RecallRequest, output: CommandOutput): string {
  const { colors: c } = output
  if (request.detail === "count") return `${answer.total}\n`
  if (answer.results.length === 0) return output.isTerminal ? `${c.dim("Nothing found.")}\n` : ""
  const blocks = request.by_topic
    ? byTopic(answer.results, output)
    : answer.results.map((hit) => hitBlock(hit, output))
  if (output.isTerminal) {
    const { total, confidence, took_ms } = answer
    const many = `${answer.results.length} of ${plural(total, "entry").replace("entrys", "entries")}`
    blocks.push(
      c.dim(
        `${many}, confidence ${confidenceWord(confidence)} (${confidence.toFixed(2)}), ${duration(took_ms)}\n`,
      ),
    )
  }
  return blocks.join("\n")
}

function byTopic(hits: readonly RecallHit[], output: CommandOutput): string[] {
  const topics = Map.groupBy(hits, ({ topic }) => topic)
  return [...topics].map(
    ([topic, group]) =>
      `${output.colors.bold(`# ${printableLine(topic)}`)}\n\n${group.map((hit) => hitBlock(hit, output)).join("\n")}`,
  )
}

function hitBlock(hit: RecallHit, output: CommandOutput): string {
  const { colors: c } = output
  const { id, heading, text, remarks } = entryText(hit)
  const shown = printable(text)
  const lines = [
    `${c.magenta(id)}  ${c.dim(printableLine(heading))}`,
    output.isTerminal ? wrap(shown, output.columns) : shown,
    ...remarks.map((remark) => c.yellow(printable(remark))),
  ]
  if (hit.explanation)
    lines.push(
      ...hit.explanation.map(({ term, value }) => c.dim(`  ${term.padEnd(12)} +${value.toFixed(3)}`)),
    )
  return `${lines.join("\n")}\n`
}
