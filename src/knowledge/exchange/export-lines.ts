import type { Knowledge } from "../knowledge.ts"
import { JSONL_FORMAT } from "./detect.ts"
import { inOrder, scopesOf } from "./scopes.ts"

/** Of the file, not of aman: raised when one who reads the former version would misread it. */
export const EXPORT_VERSION = 1

export type ExportOptions = {
  /** What belongs to this project alone; absent: everything. */
  readonly project?: string
  /** With the folders in which projects lie on this machine. */
  readonly withPaths?: boolean
}

/**
 * Everything that happened, as JSON Lines: a header, the projects, the events in the order in which they are folded.
 * Two stores that hold the same write the same bytes. Read of one state of the store; lines without their ends.
 */
export function* exportLines(
  knowledge: Knowledge,
  { project, withPaths = false }: ExportOptions = {},
): Generator<string> {
  const { events, projects } = knowledge.consistently(() => ({
    events: inOrder(knowledge.events()),
    projects: projectLines(knowledge, project, withPaths),
  }))
  const scopes = project === undefined ? null : scopesOf(events)
  const wanted = scopes === null ? events : events.filter(({ subject }) => scopes.get(subject) === project)
  const counts = { projects: projects.length, events: wanted.length }
  yield JSON.stringify({ format: JSONL_FORMAT, version: EXPORT_VERSION, ...counts })
  yield* projects
  for (const { id, at, subject, change } of wanted) yield JSON.stringify({ id, at, subject, change })
}

function projectLines({ projects }: Knowledge, wanted: string | undefined, withPaths: boolean): string[] {
  const marks = projects.marks().filter(({ kind }) => withPaths || kind !== "path")
  return projects
    .all()
    .filter(({ id }) => wanted === undefined || id === wanted)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, name, created }) => {
      const own = marks.filter(({ project }) => project === id).map(({ kind, value }) => ({ kind, value }))
      return JSON.stringify({ project: id, name, created, marks: own })
    })
}
