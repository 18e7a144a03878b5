/*
 * The history of a file, of lines or of a definition. `codeLog`: 1. `findSubjects` resolves the text to places;
 * overloads that follow each other are one place; 2. `logOf` asks git for the commits of each place, within a time
 * limit; 3. memories about the same files and names are added.
 */

import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../../base/index.ts"
import { type AnswerOptions, type Project, projectPath, readFile, shownHistoryOf } from "../../index/index.ts"
import { type EntryOutput, plainEntry } from "../../memory/index.ts"
import { isSecretPath, oneLine } from "../../text/index.ts"
import {
  type Commit,
  committedText,
  findWorkTree,
  GIT_FAILURES,
  headCommit,
  historyRefusal,
  isEditedSince,
  type LineRange,
  type LinesBefore,
  linesBefore,
  recentSince,
} from "../../tree/index.ts"
import type { DefinitionAnswer } from "./symbol-answer.ts"
import { symbolOf } from "./symbol-project.ts"

export type LogRequest = {
  /** A path, `path:10-40`, `path#symbol`, or a symbol. */
  readonly what: string
  /** Max commits of each place. */
  readonly limit: number
}

export type LogCommit = Commit & {
  /** Pull or merge requests that the message names: "#12", "!7". */
  readonly pull_requests: readonly string[]
}

/** A file, lines or a definition, and the commits that changed it. */
export type LogPlace = {
  readonly path: string
  /** Null for a file or for lines. */
  readonly name: string | null
  /** Lines of the current file, 1-based; null for a whole file. */
  readonly start_line: number | null
  readonly end_line: number | null
  /** True if the place differs from the last commit. */
  readonly is_edited: boolean
  /** Newest first; the last one may have created the place. */
  readonly commits: readonly LogCommit[]
}

export type LogAnswer = {
  readonly what: string
  readonly places: readonly LogPlace[]
  /** Memory entries about these places, decisions first. */
  readonly memories: readonly EntryOutput[]
  readonly notices: readonly string[]
}

/** Finds what was remembered about files and names. */
export type MemoriesAbout = (
  paths: readonly string[],
  names: readonly string[],
) => Promise<readonly EntryOutput[]>

const MAX_DEFINITIONS = 3
const TIMEOUT_MS = 6_000
/** Number of commits that are searched instead if searching the whole history takes too long. */
const RECENT_COMMITS = 1_000

/**
 * The commits that changed a file or a definition, followed through renames of the file, and the memories about it.
 * Throws NOT_FOUND if there is no such file or symbol, and USAGE outside of git's work trees.
 */
export async function codeLog(
  project: Project,
  request: LogRequest,
  options: AnswerOptions,
  memoriesAbout: MemoriesAbout,
): Promise<LogAnswer> {
  const { root } = project
  const workTree = findWorkTree(root)
  const refusal = historyRefusal(root)
  const head = workTree === null ? null : headCommit(workTree)
  if (workTree === null || refusal !== null || head === null)
    throw new AmanError("USAGE", refusal ?? `${root} has no history: it is not a git work tree with commits`)
  const { found, notices } = await findSubjects(project, request.what, options)
  const places: LogPlace[] = []
  const remarks = new Set(notices)
  if (existsSync(join(workTree.commonDir, "shallow")))
    remarks.add("this clone is shallow: older commits are missing (git fetch --unshallow)")
  for (const place of found) {
    const { shown, remark } = await logOf(project, place, { head, limit: request.limit })
    places.push(shown)
    if (remark !== null) remarks.add(remark)
  }
  if (found.some(({ isGone }) => isGone) && places.every(({ commits }) => commits.length === 0))
    throw unknownSubject(request.what)
  const names = found.flatMap(({ name }) => (name === null ? [] : [name]))
  const memories = await memoriesAbout([...new Set(found.map(({ path }) => path))], names)
  return { what: request.what, places, memories, notices: [...remarks] }
}

type LogSubject = {
  readonly path: string
  readonly name: string | null
  readonly lines: readonly [first: number, last: number] | null
  /** True if the file does not exist any more. */
  readonly isGone?: boolean
}

async function findSubjects(
  project: Project,
  what: string,
  options: AnswerOptions,
): Promise<{ readonly found: readonly LogSubject[]; readonly notices: readonly string[] }> {
  const [, inFile, symbol] = /^(.+?)#(.+)$/.exec(what) ?? []
  if (inFile !== undefined && symbol !== undefined && isFile(project, inFile))
    return findDefinitions(project, { name: symbol, path: projectPath(project, inFile).path }, options)
  if (isFile(project, what)) {
    const { path, lines } = projectPath(project, what)
    return only({ path, name: null, lines: lines && [lines.first, lines.last ?? Number.MAX_SAFE_INTEGER] })
  }
  if (isSecretPath(what)) throw unknownSubject(what)
  try {
    return await findDefinitions(project, { name: what, path: undefined }, options)
  } catch (error) {
    // The text may be the path of a deleted file that git still knows.
    const mayBePath = /[./]/.test(what) && !what.split("/").includes("..") && !what.startsWith("/")
    if (!mayBePath || !(error instanceof AmanError && error.code === "NOT_FOUND")) throw error
    return only({ path: what, name: null, lines: null, isGone: true })
  }
}

function only(place: LogSubject) {
  return { found: [place], notices: [] }
}

function unknownSubject(what: string): AmanError {
  return new AmanError("NOT_FOUND", `no file, deleted file or symbol ${JSON.stringify(what)}`, {
    hint: "give a path, path#symbol or a symbol; to find one: aman search",
  })
}

/** Throws if the path is outside the project or names a secret file. */
function isFile(project: Project, path: string): boolean {
  try {
    projectPath(project, path)
    return true
  } catch (error) {
    if (error instanceof AmanError && error.code === "NOT_FOUND") return false
    throw error
  }
}

async function findDefinitions(
  project: Project,
  { name, path }: { readonly name: string; readonly path: string | undefined },
  options: AnswerOptions,
) {
  const request = { relation: "definition", name, path, limit: 100, offset: 0 } as const
  const { definitions: all, notices } = await symbolOf(project, request, options)
  const subjects = mergeOverloads(all)
  const found = subjects.slice(0, MAX_DEFINITIONS)
  const others = subjects.slice(MAX_DEFINITIONS).map((other) => `${other.path}#${other.name}`)
  const more = `${others.length} more definitions, among them ${others.slice(0, MAX_DEFINITIONS).join(", ")}`
  return { found, notices: others.length === 0 ? notices : [...notices, more] }
}

/** Merges definitions of one name that follow each other in a file, such as overloads, into one place. */
function mergeOverloads(all: readonly DefinitionAnswer[]): LogSubject[] {
  const places: { path: string; name: string; lines: [number, number] }[] = []
  for (const { path, name, start_line, end_line } of all) {
    const place = places.find((each) => each.path === path && isNear(each.lines, start_line, end_line))
    if (place === undefined) places.push({ path, name, lines: [start_line, end_line] })
    else place.lines = [Math.min(place.lines[0], start_line), Math.max(place.lines[1], end_line)]
  }
  return places
}

const MAX_GAP = 5

function isNear([first, last]: readonly [number, number], start: number, end: number): boolean {
  return start <= last + MAX_GAP && end >= first - MAX_GAP
}

type LogPosition = { readonly head: string; readonly limit: number }

async function logOf(
  project: Project,
  subject: LogSubject,
  { head, limit }: LogPosition,
): Promise<{ readonly shown: LogPlace; readonly remark: string | null }> {
  const { root } = project
  const { path, name, lines } = subject
  const { range, isEdited } =
    lines === null ? await wholeFile(root, subject, head) : await linesInCommit(project, path, lines, head)
  const shown = { path, name, start_line: lines?.[0] ?? null, end_line: lines?.[1] ?? null }
  const isUnknown = lines !== null && range === null
  const place = range === null ? { path } : { path, startLine: range[0], endLine: range[1] }
  const { commits, remark } = isUnknown
    ? { commits: [], remark: null }
    : await commitsWithinTime(root, place, { head, limit })
  const isNew = commits.length === 0 && remark === null && subject.isGone !== true
  return {
    shown: {
      ...shown,
      is_edited: isEdited || isNew,
      commits: commits.map((commit) => ({ ...commit, pull_requests: pullRequestsIn(commit) })),
    },
    remark: isNew ? `${name ?? path} is in no commit yet` : remark,
  }
}

/** The place of a whole file: `range` is null; `isEdited` says whether the file has uncommitted changes. */
async function wholeFile(root: string, { path, isGone }: LogSubject, head: string): Promise<LinesBefore> {
  const stat = isGone === true ? undefined : statSync(join(root, path), { throwIfNoEntry: false })
  const isEdited = stat?.isFile()
    ? await isEditedSince(root, head, { path, size: stat.size, mtimeMs: stat.mtimeMs })
    : false
  return { range: null, isEdited }
}

/** The range of these lines in the last commit; `range` is null if the commit does not contain them. */
async function linesInCommit(
  project: Project,
  path: string,
  lines: readonly [number, number],
  head: string,
): Promise<LinesBefore> {
  const then = await committedText(project.root, head, path)
  if (then === null) return { range: null, isEdited: true }
  return (await linesBefore(then, (await readFile(project, { path })).text))(...lines)
}

/** The commits; if the whole history takes too long, those among the last thousand, and a remark that says so. */
async function commitsWithinTime(
  root: string,
  place: LineRange | { readonly path: string },
  { head, limit }: LogPosition,
) {
  const all = await shownHistoryOf(root, place, { head, since: null, limit, timeoutMs: TIMEOUT_MS })
  if (typeof all !== "string") return { commits: all, remark: null }
  const since = all === "timeout" ? await recentSince(root, head, RECENT_COMMITS) : undefined
  const some = since ? await shownHistoryOf(root, place, { head, since, limit, timeoutMs: TIMEOUT_MS }) : all
  return typeof some === "string"
    ? { commits: [], remark: `the history of ${place.path} is not known: ${GIT_FAILURES[some]}` }
    : { commits: some, remark: `only the last ${RECENT_COMMITS} commits were searched: git takes too long` }
}

/**
 * Pull and merge requests that a message names in the forms of GitHub, GitLab, Bitbucket and Azure. A bare number in the
 * text may be an issue and does not count.
 */
export function pullRequestsIn({ subject, body }: Pick<Commit, "subject" | "body">): string[] {
  const text = `${subject}\n${body.slice(0, 20_000)}`
  const requests = FORMS.flatMap((form) =>
    [...text.matchAll(form)].map(([, sign = "#", number]) => `${sign}${number}`),
  )
  return [...new Set(requests)]
}

const FORMS: readonly RegExp[] = [
  // "Fix it (#12)", also with several numbers: the subject that GitHub and Gitea give to a squashed commit.
  /^[^\n]*\((#)(\d{1,9})\)\s*(?=\n|$)/g,
  /\b[Mm]erge[sd]? (?:pull request|PR) (#)?(\d{1,9})\b/g,
  /\bSee merge request [\w./-]*(!)(\d{1,9})\b/g,
  /\((?:pull request|PR) (#)(\d{1,9})\)/gi,
  /^PR-URL: https?:\/\/\S+\/pull\/(#)?(\d{1,9})\b/gm,
]

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
