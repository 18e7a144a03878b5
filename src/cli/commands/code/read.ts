import { relative, resolve, sep } from "node:path"
import type { ReadAnswer } from "../../../app/answers.ts"
import type { Project } from "../../../app/project/open-project.ts"
import { AmanError } from "../../../base/errors.ts"
import { pathOfUri } from "../../../base/paths.ts"
import { READ } from "../../../verbs/code.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { flagsOf } from "../../flags/flags.ts"
import { otherRepository } from "../../flags/other-repository.ts"
import type { Colors } from "../../output.ts"
import { printable } from "../../render/printable.ts"
import { remarkNotices, withProject, withSource } from "../../with-project.ts"

type LineRange = { readonly startLine?: number; readonly endLine?: number }

export const readCommand: Command = {
  usage: "[flags] PATH[:START[-END]]",
  details:
    "PATH is a path as search prints it, or relative to the working directory. Only files inside the project can be read.",
  flags: [
    ...flagsOf(READ),
    { name: "lines", value: "START[-END]", help: "Only these lines; 10- means line 10 to the end" },
  ],
  examples: [
    { line: "aman read src/main.ts", note: "the whole file" },
    { line: "aman read src/main.ts:10-40", note: "lines 10 to 40" },
    { line: "aman read --repository owner/name src/main.ts", note: "from another repository" },
    {
      line: "aman read --json --lines 10-40 src/main.ts",
      note: '{"path","language","start_line","end_line","total_lines","text"}',
    },
  ],
  async run(input) {
    const { path, range } = target(input)
    const answer =
      otherRepository(input) === undefined
        ? await readFromProject(input, path, range)
        : await withSource(input, (source) => source.read({ path, ...range }))
    await printFile(answer, input)
    if (!input.flags.has("json")) remarkNotices(input, answer.notices ?? [])
    return EXIT.ok
  },
}

async function readFromProject(input: Input, path: string, range: LineRange): Promise<ReadAnswer> {
  const { readFile } = await import("../../../app/project/read-file.ts")
  return withProject(input, async (project) => {
    const candidates = candidatePaths(project, input.cwd, path)
    for (const candidate of candidates) {
      try {
        return await readFile(project, { path: candidate, ...range })
      } catch (error) {
        const isLast = candidate === candidates.at(-1)
        if (isLast || !(error instanceof AmanError && error.code === "NOT_FOUND")) throw error
      }
    }
    throw new AmanError("NOT_FOUND", `no such file: ${path}`)
  })
}

async function printFile(answer: ReadAnswer, { flags, output }: Input): Promise<void> {
  if (flags.has("json")) await output.json(answer)
  // Control characters are replaced only on a terminal; a pipe gets the file unchanged.
  else if (!output.isTerminal) await output.write(answer.text === "" ? "" : `${answer.text}\n`)
  else await output.write(numberedLines(answer, output.colors))
}

function numberedLines(answer: ReadAnswer, c: Colors): string {
  const lines = printable(answer.text).replace(/\n$/, "").split("\n")
  const width = String(answer.end_line).length
  return lines
    .map((line, index) => `${c.dim(String(answer.start_line + index).padStart(width))}  ${line}\n`)
    .join("")
}

/** Candidate paths: relative to the working directory, then to the root. */
function candidatePaths(project: Project, cwd: string, path: string): string[] {
  const fromWorkingFolder = relative(project.root, resolve(cwd, pathOfUri(path))).replaceAll(sep, "/")
  // The typed path is kept for a path outside the project, so that the error names it.
  return fromWorkingFolder.startsWith("../") ? [path] : [...new Set([fromWorkingFolder, path])]
}

function target({ words, flags }: Input): { path: string; range: LineRange } {
  const [word, ...others] = words
  if (word === undefined || others.length > 0) {
    throw new AmanError("USAGE", "read takes one path", { hint: "for example: aman read src/main.ts:10-40" })
  }
  const lines = flags.text("lines")
  return { path: word, range: lines === undefined ? {} : parseRange(lines) }
}

/** Parses "10-40", "10-" (to the end), or "10" (one line). */
export function parseRange(text: string): LineRange {
  const [, first, dash, last] = /^(\d+)(-?)(\d*)$/.exec(text) ?? []
  const startLine = Number(first ?? 0)
  const endWithoutNumber = dash ? undefined : startLine
  const endLine = last ? Number(last) : endWithoutNumber
  if (startLine < 1 || (endLine !== undefined && endLine < startLine)) {
    throw new AmanError("USAGE", `invalid line range ${JSON.stringify(text)}`, {
      hint: "lines start at 1: write 10-40, 10- or 10",
    })
  }
  return endLine === undefined ? { startLine } : { startLine, endLine }
}
