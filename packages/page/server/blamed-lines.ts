export type BlamedCommit = Readonly<Record<"id" | "date" | "author" | "subject", string>>
/** Lines that follow each other and were last changed by one commit; null: since the last commit. */
export type BlamedLines = {
  readonly start_line: number
  readonly end_line: number
  readonly commit: string | null
}
export type BlameAnswer = {
  readonly commits: readonly BlamedCommit[]
  readonly lines: readonly BlamedLines[]
  readonly notices: readonly string[]
}

/** The lines, those that follow each other with the same commit together. */
export function grouped(lines: readonly number[], commitOf: (nth: number) => string | null): BlamedLines[] {
  const groups: { start_line: number; end_line: number; commit: string | null }[] = []
  for (const [nth, line] of lines.entries()) {
    const commit = commitOf(nth)
    const group = groups.at(-1)
    if (group?.commit === commit) group.end_line = line
    else groups.push({ start_line: line, end_line: line, commit })
  }
  return groups
}

/** The commits in the output of git blame, and by line of the last commit the id of that which changed it. */
export function parsed(output: string) {
  const commits = new Map<string, Record<string, string>>()
  const commitAt = new Map<number, string>()
  let current: Record<string, string> = {}
  for (const row of output.split("\n")) {
    const [, id, line, count] = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/.exec(row) ?? []
    if (id === undefined) {
      const space = row.indexOf(" ")
      current[row.slice(0, space)] = row.slice(space + 1)
      continue
    }
    for (let at = 0; at < Number(count); at++) commitAt.set(Number(line) + at, id)
    current = commits.get(id) ?? {}
    commits.set(id, current)
  }
  return {
    commits: [...commits].map(([id, { author = "", summary = "", ...fields }]): BlamedCommit => {
      return { id, author, subject: summary, date: dayOf(fields["author-time"], fields["author-tz"]) }
    }),
    commitAt,
  }
}

/** The day of a time of git, in seconds, in its own zone, as "+0530". */
function dayOf(time = "0", zone = "+0000"): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? []
  const shift = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -60 : 60)
  const day = new Date((Number(time) + shift) * 1000)
  return Number.isNaN(day.getTime()) ? "" : day.toISOString().slice(0, 10)
}
