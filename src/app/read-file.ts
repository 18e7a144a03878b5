import { realpathSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { isInside, toPosix } from "../base/paths.ts"
import { languageOf } from "../code/languages.ts"
import { readSource } from "../indexing/read-source.ts"
import { isSecretPath } from "../indexing/scan-secrets.ts"
import type { ReadAnswer } from "./answers.ts"
import type { Project } from "./open-project.ts"

export type ReadRequest = {
  /** Relative to the root. */
  readonly path: string
  /** 1-based, inclusive; both absent: the whole file. */
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

/** A file of the project or some of its lines. Refuses whatever lies outside the root, links followed. */
export async function readFile(project: Project, request: ReadRequest): Promise<ReadAnswer> {
  const path = relativePath(project, request.path)
  const source = readSource(project.root, path, project.config.index.maxFileBytes)
  if ("reason" in source) {
    throw new AmanError("NOT_TEXT", `${path} is ${source.reason}`, {
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

/** The path as the index spells it, or OUTSIDE_ROOT, NOT_FOUND. */
function relativePath({ root, config }: Project, path: string): string {
  if (path.includes("\0") || isAbsolute(path) || /^[A-Za-z]:|^\\\\/u.test(path)) throw outside(path)
  const full = join(root, path)
  if (!isInside(root, full)) throw outside(path)
  const real = realPath(full)
  if (real === null) {
    throw new AmanError("NOT_FOUND", `no file ${path} in ${root}`, {
      hint: "paths are relative to the project root",
    })
  }
  if (!isInside(realpathSync(root), real)) throw outside(path)
  const relative = toPosix(real.slice(realpathSync(root).length + 1))
  // Our own files above all: opening and closing lock.db would end this process's lead (POSIX).
  if (isInside(realPath(config.index.dir) ?? config.index.dir, real)) throw outside(path)
  if (relative.split("/").includes(".git") || isSecretPath(relative)) {
    throw new AmanError("OUTSIDE_ROOT", `${path} may hold secrets and is never read`, {
      hint: "open it yourself",
    })
  }
  return relative
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function outside(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is outside the project`, {
    hint: "name a path relative to the project root, without ..",
  })
}
