import { AmanError } from "../base/errors.ts"
import { languageOf } from "../code/languages.ts"
import { isStillThere } from "../git/inner-path.ts"
import { readSource } from "../text/read-source.ts"
import type { ReadAnswer } from "./answers.ts"
import type { Project } from "./open-project.ts"
import { projectPath, secret } from "./project-path.ts"

export type ReadRequest = {
  /** Relative to the root. */
  readonly path: string
  /** 1-based, inclusive; both absent: the whole file. */
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

const NO_FILE = { reason: "not a file" } as const

/** A file of the project or some of its lines. Refuses whatever lies outside the root, links followed. */
export async function readFile(project: Project, request: ReadRequest): Promise<ReadAnswer> {
  const { path, stat } = projectPath(project, request.path)
  const { maxFileBytes } = project.config.index
  // A device is not even opened: that alone may do something.
  const source = stat.isFile()
    ? readSource(project.root, path, maxFileBytes, (opened) => isStillThere(project.root, path, opened))
    : NO_FILE
  if ("reason" in source) {
    if (source.reason === "secret") throw secret(path)
    throw new AmanError("NOT_TEXT", `${JSON.stringify(path)} is ${source.reason}`, {
      hint: source.reason === "too large" ? "raise AMAN_MAX_FILE_SIZE to read it" : "name a text file",
    })
  }
  const lines = source.text.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  const start = Math.max(1, request.startLine ?? 1)
  const end = Math.min(lines.length, request.endLine ?? lines.length)
  if (start > Math.max(1, lines.length) || end < start) {
    throw new AmanError(
      "USAGE",
      `${path} has ${lines.length} lines; ${start} to ${request.endLine ?? end} are not among them`,
      {
        hint: `name lines from 1 to ${lines.length}`,
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
