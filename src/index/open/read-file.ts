import type { Stats } from "node:fs"
import { AmanError, type ReadAnswer } from "../../base/index.ts"
import { languageOf } from "../../parse/index.ts"
import {
  DOCUMENT_LIMITS,
  isDocument,
  isSvg,
  maxBytesOf,
  readAsWritten,
  readDocument,
  type SourceText,
  type Unreadable,
} from "../../text/index.ts"
import { isStillThere, raiseFileSize } from "../../tree/index.ts"
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
    const what =
      stat.size > maxBytesOf(path, maxFileBytes)
        ? `is too large: ${stat.size} bytes, at most ${maxBytesOf(path, maxFileBytes)}`
        : `has too much text: at most ${maxFileBytes} characters`
    return new AmanError("NOT_TEXT", `${quoted} ${what}`, {
      hint: raiseFileSize(stat.size),
    })
  }
  const exceeded = EXCEEDED[reason]
  if (exceeded !== undefined)
    return new AmanError("NOT_TEXT", `${quoted} ${exceeded}`, {
      hint: "export its text to a file, and read that",
    })
  const hint = reason === "unreadable" ? "check its permissions: ls -l" : "give a text file"
  return new AmanError("NOT_TEXT", `${quoted} is ${reason}`, { hint })
}

/** What documents do that exceed a limit, by the reason. */
const EXCEEDED: Readonly<Record<string, string>> = {
  "unpacks too large":
    `unpacks to more than ${mebibytes(DOCUMENT_LIMITS.maxUnpackedBytes)}, ` +
    `or a part of it to more than ${mebibytes(DOCUMENT_LIMITS.maxPartBytes)}`,
  "too complex":
    `is too complex: reading it takes more than ${DOCUMENT_LIMITS.maxSteps} steps ` +
    `or ${DOCUMENT_LIMITS.maxCpuMs / 1000} s of processor time`,
  "too much memory": `takes more memory to read than performance.memory_limit or ${mebibytes(DOCUMENT_LIMITS.maxMemoryBytes)}`,
  "parser failed": "ended the process that read it",
}

function mebibytes(bytes: number): string {
  return `${bytes >> 20} MiB`
}

const NO_FILE = { reason: "not a file" } as const

/** Reads a file of the project or some of its lines. Refuses paths outside the root, links followed. */
export async function readFile(project: Project, request: ReadRequest): Promise<ReadAnswer> {
  const { path, stat, lines: named } = projectPath(project, request.path)
  const { maxFileBytes } = project.config.index
  // A device is not opened, because opening alone can have side effects.
  const source = stat.isFile() ? await readText(project, path) : NO_FILE
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
    ...guessNotice(path, source),
  }
}

function guessNotice(path: string, { encoding, isGuess }: SourceText): Pick<ReadAnswer, "notices"> {
  return isGuess ? { notices: [`${path} is not UTF-8 and was read as ${encoding}, which is a guess`] } : {}
}

/** The text of a file; of a document, the text that the index has, or else it is extracted. */
async function readText(project: Project, path: string): Promise<SourceText | Unreadable> {
  const { root, config } = project
  const { maxFileBytes } = config.index
  const mayRead = (opened: Stats) => isStillThere(root, path, opened)
  const indexed = project.reader()?.store.texts
  const source = readAsWritten(root, path, maxFileBytes, { mayRead, ...(indexed && { indexed }) })
  if (!("reason" in source) || source.reason !== "binary" || !isDocument(path) || isSvg(path)) return source
  const { memoryLimitBytes } = config.performance
  return await readDocument(root, path, maxFileBytes, { mayRead, memoryLimitBytes })
}

export type ListedFile = { readonly path: string; readonly size: number; readonly language: string }

/** Indexed files in path order, starting after `after`; empty while there is no index. */
export function listFiles(project: Project, after: string, limit: number): ListedFile[] {
  return project.reader()?.store.files.after(after, limit) ?? []
}
