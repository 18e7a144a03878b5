import type { Stats } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { languageOf } from "../../code/languages/languages.ts"
import { isStillThere } from "../../git/inner-path.ts"
import { readAsWritten } from "../../text/files/read-source.ts"
import type { ReadAnswer } from "../answers.ts"
import type { Project } from "./open-project.ts"
import { projectPath, secretFileError } from "./project-path.ts"

export type ReadRequest = {
  /** As `projectPath` understands it. */
  readonly path: string
  /** First line, 1-based; start and end absent: the lines attached to the path, or the whole file. */
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

function notText(path: string, reason: string, stat: Stats, maxFileBytes: number): AmanError {
  const quoted = JSON.stringify(path === "" ? "." : path)
  if (stat.isDirectory()) {
    return new AmanError("NOT_TEXT", `${quoted} is a folder`, {
      hint: "give a file in it; search with its path lists files in it",
      isUnknownName: true,
    })
  }
  if (reason === "too large") {
    return new AmanError("NOT_TEXT", `${quoted} is too large: ${stat.size} bytes, at most ${maxFileBytes}`, {
      hint: "raise AMAN_MAX_FILE_SIZE to read it",
    })
  }
  const hint = reason === "unreadable" ? "check its permissions: ls -l" : "give a text file"
  return new AmanError("NOT_TEXT", `${quoted} is ${reason}`, { hint })
}

const NO_FILE = { reason: "not a file" } as const

/** Reads a file of the project or some of its lines. Refuses paths outside the root, links followed. */
export async function readFile(project: Project, request: ReadRequest): Promise<ReadAnswer> {
  const { path, stat, lines: named } = projectPath(project, request.path)
  const { maxFileBytes } = project.config.index
  // A device is not opened, because opening alone can have side effects.
  const source = stat.isFile()
    ? readAsWritten(project.root, path, maxFileBytes, (opened) => isStillThere(project.root, path, opened))
    : NO_FILE
  if ("reason" in source) {
    if (source.reason === "secret") throw secretFileError(path)
    throw notText(path, source.reason, stat, maxFileBytes)
  }
  const lines = source.text.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  const asked =
    request.startLine === undefined && request.endLine === undefined
      ? { first: named?.first ?? 1, last: named?.last }
      : { first: request.startLine ?? 1, last: request.endLine }
  const start = Math.max(1, asked.first)
  const end = Math.min(lines.length, asked.last ?? lines.length)
  if (start > Math.max(1, lines.length) || end < start) {
    throw new AmanError(
      "USAGE",
      `${path} has ${lines.length} lines; lines ${start} to ${asked.last ?? end} do not exist`,
      {
        hint: `use lines 1 to ${lines.length}`,
      },
    )
  }
  return {
    path,
    language: languageOf(path, source.text).id,
    start_line: start,
    end_line: end,
    total_lines: source.text === "" ? 0 : lines.length,
    text: lines.slice(start - 1, end).join("\n"),
  }
}

export type ListedFile = { readonly path: string; readonly size: number; readonly language: string }

/** Indexed files in path order, starting after `after`; empty while there is no index. */
export function listFiles(project: Project, after: string, limit: number): ListedFile[] {
  return project.reader()?.store.files.after(after, limit) ?? []
}
