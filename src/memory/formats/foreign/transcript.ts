import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, toInstant } from "../import-time.ts"
import {
  type Imported,
  type ImportedEntry,
  nothingImported,
  roleOf,
  type SourceFile,
  stem,
} from "../imported.ts"

/**
 * A conversation as plain text: lines "Name: text", with an optional time in front ("[2026-03-05 10:11] Ann: …"), and
 * lines with only a date. A line without a name continues the one above.
 */
export const TRANSCRIPT: ForeignFormat = {
  name: "transcript",
  detects: ({ text, isJson }) => !isJson && isTranscript(text),
  read: importTranscript,
}

function importTranscript(file: SourceFile): Imported {
  const session = stem(file.name)
  const entries: ImportedEntry[] = []
  for (const { name, when, text } of turnsIn(file.text)) {
    const role = roleOf(name)
    if (role === null || text === "") continue
    const ordinal = entries.length + 1
    const author = roleOf(name, null) === null ? name : null
    entries.push({
      ref: `${session}\n${ordinal}\n${text}`,
      text,
      topic: "conversation",
      kind: "episodic",
      role,
      author,
      session,
      ordinal,
      recordedAt: when && toInstant(when),
    })
  }
  return { ...nothingImported(), entries }
}

/** True when most paragraphs begin with a name or a date, there are few names, and one of them occurs again. */
function isTranscript(text: string): boolean {
  const lines = text.slice(0, MAX_DETECTED_CHARACTERS).split("\n")
  const blocks = lines.filter(
    (line, index) => line.trim() !== "" && (index === 0 || lines[index - 1]!.trim() === ""),
  )
  const speakers = speakersIn(lines)
  const names = lines.flatMap((line) => speakerIn(line)?.name ?? []).filter((name) => speakers.has(name))
  const distinct = new Set(names)
  const begins = blocks.filter((line) => speakerIn(line) !== null || dateIn(line) !== null)
  return (
    distinct.size >= 2 &&
    names.length > distinct.size &&
    names.length >= 2 * distinct.size - 1 &&
    begins.length * 10 >= blocks.length * 8
  )
}

const MAX_DETECTED_CHARACTERS = 20_000

type Turn = { readonly name: string; readonly when: string | null; text: string }

/** The messages; one without a time gets the last time above it. */
function turnsIn(text: string): Turn[] {
  const lines = text.split("\n")
  const speakers = speakersIn(lines)
  const turns: Turn[] = []
  let last: string | null = null
  for (const line of lines) {
    const date = dateIn(line)
    const speaker = date === null ? speakerIn(line) : null
    if (date !== null) last = date
    else if (speaker && speakers.has(speaker.name)) {
      last = speaker.when ?? last
      turns.push({ ...speaker, when: last })
    } else if (turns.length > 0) turns.at(-1)!.text += `\n${line}`
  }
  return turns.map((turn) => ({ ...turn, text: turn.text.trim() }))
}

/** Names before a colon. Three or more words count only if they occur twice: "It took two days: Friday" has no speaker. */
function speakersIn(lines: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const name = speakerIn(line)?.name
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const isName = ([name, count]: [string, number]) => count > 1 || name.split(/\s+/).length <= 2
  return new Set([...counts].filter(isName).map(([name]) => name))
}

const STAMP = String.raw`(?:[[(](?<bracketed>[^\])]{8,40})[\])]|(?<plain>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?))`
const NAME = String.raw`(?:\*\*)?(?<name>\p{L}[\p{L}\p{N} ._'’-]{0,40}?)(?:\*\*)?`
const SPEAKER = new RegExp(String.raw`^${STAMP}?\s*[-–]?\s*${NAME}:(?:\*\*)?(?:\s+(?<text>.*))?$`, "u")

function speakerIn(line: string): Turn | null {
  const groups =
    line.length < MAX_LINE ? SPEAKER.exec(line)?.groups : SPEAKER.exec(line.slice(0, 200))?.groups
  if (!groups) return null
  const stamp = groups["bracketed"] ?? groups["plain"]
  const when = stamp === undefined ? null : parseImportTime(stamp)
  // A bracket without a time is part of the text.
  if (groups["bracketed"] !== undefined && when === null) return null
  const name = groups["name"]!.trim()
  if (name.split(/\s+/).length > 4) return null
  return {
    name,
    when,
    text: line
      .slice(line.indexOf(":", line.indexOf(name) + name.length) + 1)
      .replace(/^\*\*/, "")
      .trim(),
  }
}

const MAX_LINE = 2000

/**
 * The date in a line that contains only a date, such as "2026-03-05", "## 5 March 2026" or "--- Session 2 (2023/05/20
 * (Sat) 02:21) ---"; null for other lines.
 */
function dateIn(line: string): string | null {
  if (line.length > 80) return null
  const bare = line
    .replace(/^[\s#*=>-]+|[\s#*=-]+$/g, "")
    .replace(/^(?:session|day|date)\s*\d*\s*[:(–-]*\s*/i, "")
    .replace(/^\((.*)\)$/, "$1")
  return parseImportTime(bare) ?? parseImportTime(bare.replace(/\)$/, ""))
}
