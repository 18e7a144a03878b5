import { existsSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import { AmanError, pathOfUri, type ReadAnswer, replaceFile } from "../../../base/index.ts"
import { loadBundle, loadMapProject, loadMapText, loadMemories } from "../../../context/index.ts"
import { loadReadFile, type Project } from "../../../index/index.ts"
import { loadCodeLog } from "../../../symbols/index.ts"
import { loadTokenizerModule } from "../../../text/index.ts"
import { CONTEXT, contextRequest, LOG, MAP, READ } from "../../verbs/code.ts"
import { pieceOf, type ReadPiece } from "../../verbs/read-piece.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { flagsOf, fromFlags, inProject, otherRepository, refuseArguments, standardInput } from "../flags.ts"
import { type Colors, jsonText, reportFailure } from "../output.ts"
import { printable } from "../text.ts"
import { INDEX_FLAGS, remarkNotices, withProject, withSource } from "../with-project.ts"

export const contextCommand: Command = {
  usage: "[flags] TASK...",
  details: `Collects what an agent needs to know for a task, within a token budget (o200k_base): the most relevant
definitions, their callees and callers, their tests and latest commits, and related memories; other files that match
are named. Each part says why it is included, and hints name what was left out. The index is
built or updated first. Everything after -- belongs to the task; - reads the task from stdin. Exits with 1 if nothing
is found.`,
  flags: [...flagsOf(CONTEXT), ...INDEX_FLAGS],
  examples: [
    { line: "aman context -- add a --json flag to the export command", note: "a task" },
    {
      line: 'aman context --names "renew ttl" where are sessions renewed',
      note: "with names that the code may use",
    },
    { line: "aman context --max-tokens 1000 where are sessions renewed", note: "the essentials only" },
    {
      line: "aman context --root ~/work/shop --json --max-tokens 2000 -- fix the cart total",
      note: "for a program",
    },
    { line: "gh issue view 12 | aman context -", note: "the task from stdin" },
    { line: "aman context --repository '*' retry back-off", note: "from all other repositories" },
  ],
  async run(input) {
    const request = contextRequest(fromFlags(CONTEXT, input.flags, { query: await task(input) }))
    const [{ memoriesIn }, { contextText, printedWithin }] = await Promise.all([loadMemories(), loadBundle()])
    await using memories = memoriesIn({ cwd: input.cwd, root: input.flags.text("root") })
    const isJson = input.flags.has("json")
    const print = isJson ? (answer: object) => jsonText(answer, input.output.isTerminal) : contextText
    const bundle = await withSource(input, (source) =>
      printedWithin(request, (asked) => source.context(asked, { memories: memories?.hints }), print),
    )
    await input.output.write(isJson ? print(bundle) : printable(print(bundle)))
    return bundle.files.length === 0 ? EXIT.nothingFound : EXIT.ok
  },
}

async function task({ words, flags, signal }: Input): Promise<string> {
  const isPiped = words.length === 0 && !flags.has("names") && process.stdin.isTTY !== true
  const typed = words.join(" ") === "-" || isPiped ? await standardInput(signal) : words.join(" ")
  if (typed.trim() !== "" || flags.has("names")) return typed.trim()
  throw new AmanError("USAGE", "no task given", {
    hint: "for example: aman context fix the total of an empty cart; for an overview of the project: aman map",
  })
}

type LineRange = { readonly startLine?: number; readonly endLine?: number }

export const readCommand: Command = {
  usage: "[flags] PATH[:START[-END]] | PATH#SYMBOL",
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
    const { start_column: startColumn, max_tokens: maxTokens } = fromFlags(READ, input.flags, { path })
    const answer =
      otherRepository(input) === undefined
        ? await readFromProject(input, path, range)
        : await withSource(input, (source) => source.read({ path, ...range }))
    const piece = pieceOf(answer, { startColumn, maxTokens })
    await printFile(piece, input)
    if (!input.flags.has("json"))
      remarkNotices(input, [...(answer.notices ?? []), ...restNotice(piece, answer)])
    return EXIT.ok
  },
}

/** How to read on after a piece of the requested lines. */
function restNotice({ next }: ReadPiece, { end_line, total_lines }: ReadAnswer): string[] {
  if (next === undefined) return []
  const last = end_line === total_lines ? "" : end_line
  const column = next.start_column === undefined ? "" : ` --column ${next.start_column}`
  return [`the text is cut; continue with --lines ${next.start_line}-${last}${column}`]
}

async function readFromProject(input: Input, path: string, range: LineRange): Promise<ReadAnswer> {
  const { readFile } = await loadReadFile()
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

export const logCommand: Command = {
  usage: "[flags] WHAT",
  details: `Lists the commits that changed a file, lines or a definition, followed through renames of the file, with their
messages and pull request numbers, and what was remembered about it. WHAT is PATH, PATH:10-40, PATH#SYMBOL or a symbol. If
git needs more than six seconds for the whole history of a place, only the last 1,000 commits are searched, and the output
says so.`,
  flags: [...flagsOf(LOG), ...INDEX_FLAGS],
  examples: [
    { line: "aman log parseConfig", note: "commits that changed a function" },
    { line: "aman log src/config.ts#parseConfig", note: "the one in this file" },
    { line: "aman log src/config.ts:10-40 -n 3", note: "the last three commits that changed these lines" },
    { line: "aman log src/config.ts --json", note: "a file, with whole messages" },
  ],
  async run(input) {
    const { words, flags, output, signal } = input
    const [what, ...others] = words
    if (what === undefined || others.length > 0)
      throw new AmanError("USAGE", "log takes one path or symbol", {
        hint: "for example: aman log parseConfig",
      })
    const { limit } = fromFlags(LOG, flags)
    const { codeLog, logText } = await loadCodeLog()
    const { memoriesIn } = await loadMemories()
    await using memories = memoriesIn({ cwd: input.cwd, root: flags.text("root") })
    const answer = await withProject(input, (project) =>
      codeLog(
        project,
        { what: fromRoot(project, input.cwd, what), limit },
        { refresh: true, signal },
        memories?.about ?? (async () => []),
      ),
    ).catch((error: unknown) => {
      if (error instanceof AmanError && error.code === "NOT_FOUND") return error
      throw error
    })
    if (answer instanceof AmanError) {
      await reportFailure(answer, { json: flags.has("json"), verbose: flags.has("verbose") }, output)
      return EXIT.nothingFound
    }
    if (flags.has("json")) await output.json(answer)
    else await output.write(`${printable(logText(answer))}\n`)
    remarkNotices(input, answer.notices)
    return answer.places.some(({ commits }) => commits.length > 0) ? EXIT.ok : EXIT.nothingFound
  },
}

/**
 * The typed word relative to the root if it is a path that exists in the working directory; otherwise the word
 * unchanged.
 */
function fromRoot(project: Project, cwd: string, what: string): string {
  const [path = what, rest = ""] = /^(.+?)((?:#.+|:\d+(?:-\d+)?)?)$/.exec(what)?.slice(1) ?? []
  if (!existsSync(resolve(cwd, path))) return what
  const [fromRootPath = path] = inProject(project, [path])
  return fromRootPath.startsWith("../") ? what : `${fromRootPath}${rest}`
}

export const mapCommand: Command = {
  usage: "[flags]",
  details: `Shows what a project is, its entry points (commands, libraries, main functions, targets), what its folders
hold, and its most used symbols; or draws its modules and their uses as one HTML file. The index is built or updated first.`,
  flags: [
    ...flagsOf(MAP),
    { name: "html", value: "FILE", help: "Write the map of `aman ui` to FILE, a page that needs no server" },
    {
      name: "since",
      value: "REV",
      help: "With --html: mark what differs from a commit, and what that may break",
    },
    { name: "symbol", value: "NAME", help: "With --html: mark what may break if the symbol changes" },
    ...INDEX_FLAGS,
  ],
  examples: [
    { line: "aman map", note: "the project around the working directory" },
    { line: "aman map --max-tokens 500", note: "the essentials only" },
    { line: "aman map --json", note: "everything, for a program" },
    { line: "aman map --html map.html --since main", note: "to look at, or to send" },
  ],
  async run(input) {
    refuseArguments(input, "map")
    const { max_tokens: tokens } = fromFlags(MAP, input.flags)
    const { mapProject } = await loadMapProject()
    const { flags, signal } = input
    const file = flags.text("html")
    const marks = { since: flags.text("since"), symbol: flags.text("symbol") }
    const [answer, page] = await withProject(input, async (project) => [
      await mapProject(project, { refresh: true, signal }),
      file === undefined ? "" : await input.mapPage(project, marks, signal),
    ])
    if (file !== undefined) replaceFile(resolve(input.cwd, file), page)
    else if (input.flags.has("json")) await input.output.json(answer)
    else {
      const { mapText } = await loadMapText()
      const { loadTokenizer } = await loadTokenizerModule()
      await input.output.write(printable(mapText(answer, { tokens, count: await loadTokenizer() })))
      remarkNotices(input, answer.notices)
    }
    return answer.files === 0 ? EXIT.nothingFound : EXIT.ok
  },
}
