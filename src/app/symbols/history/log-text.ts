import { oneLine } from "../../../text/fence.ts"
import { plainEntry } from "../../memory/entries/entry-text.ts"
import type { LogAnswer, LogCommit, LogPlace } from "./code-log.ts"

const MAX_BODY_LINES = 6
const MAX_LINE = 200

/** The history as text: each place with its commits, newest first, then what was remembered about it. */
export function logText({ places, memories }: LogAnswer): string {
  const remembered = memories.length === 0 ? [] : [`Remembered:\n${memories.map(plainEntry).join("\n\n")}`]
  return [...places.map(placeText), ...remembered].join("\n\n")
}

function placeText({ path, name, start_line, end_line, is_edited, commits }: LogPlace): string {
  const lines = start_line === null ? "" : `:${start_line}${end_line === start_line ? "" : `-${end_line}`}`
  const edited = is_edited ? " (edited since the last commit)" : ""
  const head = oneLine(`${path}${lines}${name === null ? "" : ` ${name}`}${edited}`, MAX_LINE)
  return [head, ...commits.map(commitText)].join("\n")
}

function commitText({ id, date, author, subject, body, pull_requests }: LogCommit): string {
  const others = pull_requests.filter((each) => !subject.includes(each))
  const requests = others.length === 0 ? "" : ` (${others.join(", ")})`
  const head = oneLine(`${date} ${id.slice(0, 10)} ${author}: ${subject}${requests}`, MAX_LINE)
  const lines = body.split("\n").filter((line) => line.trim() !== "" && !TRAILER.test(line))
  const more = lines.length - MAX_BODY_LINES
  return [
    `  ${head}`,
    ...lines.slice(0, MAX_BODY_LINES).map((line) => `      ${oneLine(line, MAX_LINE)}`),
    ...(more > 0 ? [`      … ${more} more lines`] : []),
  ].join("\n")
}

/** Lines at the end of a message that name people, not reasons. */
const TRAILER =
  /^(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|cc)(?:-by)?:|^change-id:/i
